/** JSON of what message objects show of the directory, as bytes: encoded once for each change of what they show. */
import { userId } from '../core/index.js';
import type { DirectoryUser, DirectoryView } from '../directory/index.js';
import { avatarUrl } from '../people/index.js';
import { displayRecipient, isGravatar, type MessageVariant, shownOfSender } from './present.js';

const encoder = new TextEncoder();

/** Members of an object, without the braces. */
const members = (of: object): string => JSON.stringify(of).slice(1, -1);

interface SenderPieces {
  readonly subdomain: string;
  /** By options. */
  readonly pieces: (Uint8Array | undefined)[];
}

const senders = new WeakMap<DirectoryUser, SenderPieces>();
const optionsOf = ({ applyMarkdown, clientGravatar }: MessageVariant): number =>
  (applyMarkdown ? 2 : 0) + (clientGravatar ? 1 : 0);

function makeSender(user: DirectoryUser | undefined, directory: DirectoryView, options: MessageVariant): Uint8Array {
  const { applyMarkdown, clientGravatar } = options;
  const of = {
    content_type: applyMarkdown ? 'text/html' : 'text/x-markdown',
    ...shownOfSender(user, directory),
    avatar_url: clientGravatar && isGravatar(user) ? null : user ? avatarUrl(user) : '',
  };
  // Ends the content, which comes before it.
  return encoder.encode(`",${members(of)},"display_recipient":`);
}

/** From the end of the content to the beginning of the recipient. */
export function senderPiece(sender: number, directory: DirectoryView, options: MessageVariant): Uint8Array {
  const user = directory.user(userId(sender));
  if (!user) return makeSender(user, directory, options);
  let known = senders.get(user);
  if (!known || known.subdomain !== directory.subdomain) {
    known = { subdomain: directory.subdomain, pieces: [] };
    senders.set(user, known);
  }
  const which = optionsOf(options);
  known.pieces[which] ??= makeSender(user, directory, options);
  return known.pieces[which];
}

interface RecipientPieces {
  version: number;
  readonly streams: Map<number, Uint8Array>;
  readonly conversations: Map<string, Uint8Array>;
}

/** Of one version of a directory; there are more conversations than streams. */
const MOST_CONVERSATIONS = 10_000;
const recipients = new WeakMap<DirectoryView, RecipientPieces>();

/** @param stream 0 = a direct message */
export function recipientPiece(stream: number, participants: readonly number[], directory: DirectoryView): Uint8Array {
  let known = recipients.get(directory);
  if (!known || known.version !== directory.version) {
    known = { version: directory.version, streams: new Map(), conversations: new Map() };
    recipients.set(directory, known);
  }
  const { streams, conversations } = known;
  const name = stream === 0 ? participants.join() : '';
  const made = stream === 0 ? conversations.get(name) : streams.get(stream);
  if (made) return made;
  const piece = encoder.encode(JSON.stringify(displayRecipient(stream, participants, directory)));
  if (stream !== 0) streams.set(stream, piece);
  else {
    if (conversations.size >= MOST_CONVERSATIONS) conversations.clear();
    conversations.set(name, piece);
  }
  return piece;
}

/** There are few combinations of flags. */
const MOST_COMBINATIONS = 1_000;
const combinations = new Map<string, Uint8Array>();

/** What one user alone has of a message to which nothing was done since. */
export function flagsPiece(flags: readonly string[]): Uint8Array {
  const name = flags.length === 1 ? flags[0]! : flags.join();
  let piece = combinations.get(name);
  if (piece === undefined) {
    piece = encoder.encode(`,"reactions":[],"flags":${JSON.stringify(flags)}`);
    if (combinations.size < MOST_COMBINATIONS) combinations.set(name, piece);
  }
  return piece;
}
