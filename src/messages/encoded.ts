/**
 * Message objects as JSON text. Many people read the same messages, and read them again; what they see differs by their
 * flags and by a few options of their clients, so the rest is encoded once per option and kept with the stored body.
 */
import { streamId, userId } from '../core/index.js';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '../directory/index.js';
import { memoOf } from '../store/index.js';
import { type MessageVariant, neutral, variant } from './present.js';
import type { MessageBody, StoredMessage } from './stored.js';

interface Known {
  readonly sender: DirectoryUser | undefined;
  readonly stream: DirectoryStream | undefined;
  /** Of the directory; null where nothing else of it is in the text. */
  readonly version: number | null;
  /** By options. */
  readonly texts: (string | undefined)[];
}

/** Shows more of the directory than its sender and its stream: people of a conversation, who reacted, who edited. */
const showsMore = ({ stream, reactions, edits }: MessageBody): boolean =>
  stream === 0 || (reactions !== undefined && reactions.length > 0) || (edits !== undefined && edits.length > 0);

/** The message object for one kind of client, without the closing brace; what one user alone has of it is to follow. */
export function encodedMessage(message: StoredMessage, directory: DirectoryView, options: MessageVariant): string {
  const { body } = message;
  const memo = memoOf(body);
  if (!memo) return encode(message, directory, options);
  const sender = directory.user(userId(message.sender));
  const stream = body.stream === 0 ? undefined : directory.stream(streamId(body.stream));
  const version = showsMore(body) ? directory.version : null;
  // A body is never changed: an edit, a move or a reaction stores another one.
  let known = memo.made as Known | undefined;
  if (!known || known.sender !== sender || known.stream !== stream || known.version !== version) {
    known = { sender, stream, version, texts: [] };
    memo.made = known;
  }
  const which = (options.applyMarkdown ? 2 : 0) + (options.clientGravatar ? 1 : 0);
  known.texts[which] ??= encode(message, directory, options);
  return known.texts[which];
}

const encode = (message: StoredMessage, directory: DirectoryView, options: MessageVariant): string =>
  JSON.stringify(variant(neutral(message, directory), options)).slice(0, -1);

/** There are few combinations of flags. */
const MOST_COMBINATIONS = 1_000;
const combinations = new Map<string, string>();

export function encodedFlags(flags: readonly string[]): string {
  const [only] = flags;
  if (only === undefined) return '[]';
  const name = flags.length === 1 ? only : flags.join();
  let text = combinations.get(name);
  if (text === undefined) {
    text = JSON.stringify(flags);
    if (combinations.size < MOST_COMBINATIONS) combinations.set(name, text);
  }
  return text;
}
