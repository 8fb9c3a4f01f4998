/** Parts of message objects that depend on the directory, as JSON bytes: encoded once per change of their source. */
import { memoizeByObject } from '#base';
import { toUserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import {
  type ClientMessageVariant,
  clientMessageVariantFields,
  formatDisplayRecipientForApi,
  indexOfClientMessageVariant,
  messageSenderFields,
  senderAvatarFields,
} from './present.js';

const utf8Encoder = new TextEncoder();

/** JSON of an object's members, without the braces. */
const encodeJsonMembers = (of: object): string => JSON.stringify(of).slice(1, -1);

function encodeContentEndAndSenderFields(
  user: DirectoryUser | undefined,
  directory: DirectoryView,
  options: ClientMessageVariant,
): Uint8Array {
  const of = {
    ...messageSenderFields(user, directory),
    ...clientMessageVariantFields(options, senderAvatarFields(user)),
  };
  // The quote ends the content, which comes before this piece.
  return utf8Encoder.encode(`",${encodeJsonMembers(of)},"display_recipient":`);
}

interface CachedSenderPieces {
  readonly subdomain: string;
  /** Encoded JSON about one sender, by `indexOfClientMessageVariant`. */
  readonly pieces: (Uint8Array | undefined)[];
}

/** Encoded JSON by sender. An account is an immutable object, so a changed account has a new entry. */
const cachedPiecesBySender = new WeakMap<DirectoryUser, CachedSenderPieces>();

/** Maximum number of conversations in the cache; unlike streams, they are not limited in number. */
const MAX_CACHED_DIRECT_CONVERSATIONS = 10_000;
const encodedRecipientsOfDirectory = memoizeByObject(
  (_: DirectoryView) => ({
    streams: new Map<number, Uint8Array>(),
    conversations: new Map<string | number, Uint8Array>(),
  }),
  ({ version }) => version,
);

/**
 * JSON of the end of a message object, for a message without reactions or edits. Cached by array: equal lists of flags
 * are the same array.
 */
export const encodeFlagsAndMessageEnd = memoizeByObject((flags: readonly string[]) =>
  utf8Encoder.encode(`,"reactions":[],"flags":${JSON.stringify(flags)}}`),
);

const PAIR_KEY_ID_END = 2 ** 26;

/** Cache key of a conversation. The ids of two participants fit into one number, which is cheaper than a string. */
function directConversationCacheKey(participants: readonly number[]): string | number {
  const [a = 0, b = 0] = participants;
  return participants.length === 2 && a < PAIR_KEY_ID_END && b < PAIR_KEY_ID_END
    ? a * PAIR_KEY_ID_END + b
    : participants.join();
}

/** Encoded parts of message objects for one response. */
export class ResponseMessagePieceEncoder {
  readonly #senderPieceById = new Map<number, Uint8Array>();
  readonly #cachedRecipientPieces: ReturnType<typeof encodedRecipientsOfDirectory>;

  constructor(
    private readonly directory: DirectoryView,
    private readonly options: ClientMessageVariant,
  ) {
    this.#cachedRecipientPieces = encodedRecipientsOfDirectory(directory);
  }

  /** JSON of a message object from the end of the content to the start of `display_recipient`. */
  encodeContentEndAndSender(id: number): Uint8Array {
    let piece = this.#senderPieceById.get(id);
    if (piece === undefined) {
      piece = this.#getOrEncodeSenderPiece(id);
      this.#senderPieceById.set(id, piece);
    }
    return piece;
  }

  #getOrEncodeSenderPiece(id: number): Uint8Array {
    const { directory, options } = this;
    const user = directory.user(toUserId(id));
    if (!user) return encodeContentEndAndSenderFields(user, directory, options);
    let known = cachedPiecesBySender.get(user);
    if (!known || known.subdomain !== directory.subdomain) {
      known = { subdomain: directory.subdomain, pieces: [] };
      cachedPiecesBySender.set(user, known);
    }
    const which = indexOfClientMessageVariant(options);
    known.pieces[which] ??= encodeContentEndAndSenderFields(user, directory, options);
    return known.pieces[which];
  }

  /** JSON of a message object that describes the recipient. @param stream 0 = a direct message */
  encodeDisplayRecipient(stream: number, participants: readonly number[]): Uint8Array {
    const { streams, conversations } = this.#cachedRecipientPieces;
    const name = stream === 0 ? directConversationCacheKey(participants) : '';
    const made = stream === 0 ? conversations.get(name) : streams.get(stream);
    if (made) return made;
    const piece = utf8Encoder.encode(
      JSON.stringify(formatDisplayRecipientForApi(stream, participants, this.directory)),
    );
    if (stream !== 0) streams.set(stream, piece);
    else {
      if (conversations.size >= MAX_CACHED_DIRECT_CONVERSATIONS) conversations.clear();
      conversations.set(name, piece);
    }
    return piece;
  }
}
