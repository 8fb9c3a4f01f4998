/** Parts of message objects that depend on the directory, as JSON bytes: encoded once per change of their source. */
import { memoizeByObject } from '#base';
import { toUserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { PackedMessageView } from '../stored/packed-view.js';
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

/** The JSON of a message object after its content, with the comma that follows the object, in pieces to concatenate. */
export interface EncodedMessageEnd {
  readonly byteLength: number;
  readonly pieces: readonly Uint8Array[];
}

/** Cached ends of messages of one sender to one recipient, by flags. Most of these messages have the same flags. */
interface CachedMessageEnds {
  readonly flags: readonly string[];
  readonly end: EncodedMessageEnd;
  /** Ends with other flags. */
  others: Map<readonly string[], EncodedMessageEnd> | undefined;
}

interface SenderPiece {
  /** JSON from the end of the content to the start of `display_recipient`. */
  readonly bytes: Uint8Array;
  /** Ends of messages by recipient and flags, for the version of the directory that `endsOf` belongs to. */
  endsOf: CachedRecipientPieces | undefined;
  readonly endsByRecipient: Map<Uint8Array, CachedMessageEnds>;
}

interface CachedSenderPieces {
  readonly subdomain: string;
  /** Encoded JSON about one sender, by `indexOfClientMessageVariant`. */
  readonly pieces: (SenderPiece | undefined)[];
}

/** Encoded JSON by sender. An account is an immutable object, so a changed account has a new entry. */
const cachedPiecesBySender = new WeakMap<DirectoryUser, CachedSenderPieces>();

/** Maximum number of conversations in the cache; unlike streams, they are not limited in number. */
const MAX_CACHED_DIRECT_CONVERSATIONS = 10_000;
/** Maximum number of ends of messages in the cache, some 500 bytes each, by version of the directory. */
const MAX_CACHED_MESSAGE_ENDS = 4_096;

class CachedRecipientPieces {
  readonly streams = new Map<number, Uint8Array>();
  readonly conversations = new Map<string | number, Uint8Array>();
  messageEndCount = 0;
}

const encodedRecipientsOfDirectory = memoizeByObject(
  (_: DirectoryView) => new CachedRecipientPieces(),
  ({ version }) => version,
);

/**
 * JSON of the end of a message object, for a message without reactions or edits. Cached by array: equal lists of flags
 * are the same array.
 */
const encodeFlagsAndMessageEnd = memoizeByObject((flags: readonly string[]) =>
  utf8Encoder.encode(`,"reactions":[],"flags":${JSON.stringify(flags)}},`),
);

const messageEndOf = (...pieces: readonly Uint8Array[]): EncodedMessageEnd => ({
  byteLength: pieces.reduce((sum, { length }) => sum + length, 0),
  pieces,
});

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
  readonly #senderPieceById = new Map<number, SenderPiece>();
  readonly #cachedRecipientPieces: CachedRecipientPieces;

  constructor(
    private readonly directory: DirectoryView,
    private readonly options: ClientMessageVariant,
  ) {
    this.#cachedRecipientPieces = encodedRecipientsOfDirectory(directory);
  }

  /** The end of a message without reactions or edits; cached as one piece by sender, recipient and flags. */
  encodeMessageEnd(
    { sender, currentStream, participants }: PackedMessageView,
    flags: readonly string[],
  ): EncodedMessageEnd {
    const ofSender = this.#senderPieceOf(sender);
    const recipient = this.#encodeDisplayRecipient(currentStream, participants);
    const known = ofSender.endsByRecipient.get(recipient);
    const end = known?.flags === flags ? known.end : known?.others?.get(flags);
    return end ?? this.#makeMessageEnd(ofSender, recipient, flags);
  }

  /** The end of a message with reactions or edits. @param rest JSON text after the recipient */
  encodeMessageEndWith({ sender, currentStream, participants }: PackedMessageView, rest: string): EncodedMessageEnd {
    return messageEndOf(
      this.#senderPieceOf(sender).bytes,
      this.#encodeDisplayRecipient(currentStream, participants),
      utf8Encoder.encode(rest),
    );
  }

  #makeMessageEnd(ofSender: SenderPiece, recipient: Uint8Array, flags: readonly string[]): EncodedMessageEnd {
    const cached = this.#cachedRecipientPieces;
    const pieces = [ofSender.bytes, recipient, encodeFlagsAndMessageEnd(flags)];
    if (cached.messageEndCount >= MAX_CACHED_MESSAGE_ENDS) return messageEndOf(...pieces);
    cached.messageEndCount++;
    const end = messageEndOf(Buffer.concat(pieces));
    const known = ofSender.endsByRecipient.get(recipient);
    if (!known) ofSender.endsByRecipient.set(recipient, { flags, end, others: undefined });
    else if (known.others) known.others.set(flags, end);
    else known.others = new Map([[flags, end]]);
    return end;
  }

  #senderPieceOf(id: number): SenderPiece {
    let piece = this.#senderPieceById.get(id);
    if (piece === undefined) {
      piece = this.#getOrEncodeSenderPiece(id);
      this.#senderPieceById.set(id, piece);
    }
    return piece;
  }

  #getOrEncodeSenderPiece(id: number): SenderPiece {
    const { directory, options } = this;
    const user = directory.user(toUserId(id));
    if (!user) return makeSenderPiece(user, directory, options);
    let known = cachedPiecesBySender.get(user);
    if (!known || known.subdomain !== directory.subdomain) {
      known = { subdomain: directory.subdomain, pieces: [] };
      cachedPiecesBySender.set(user, known);
    }
    const which = indexOfClientMessageVariant(options);
    known.pieces[which] ??= makeSenderPiece(user, directory, options);
    const piece = known.pieces[which];
    if (piece.endsOf !== this.#cachedRecipientPieces) {
      piece.endsOf = this.#cachedRecipientPieces;
      piece.endsByRecipient.clear();
    }
    return piece;
  }

  /** JSON of a message object that describes the recipient. @param stream 0 = a direct message */
  #encodeDisplayRecipient(stream: number, participants: readonly number[]): Uint8Array {
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

const makeSenderPiece = (
  user: DirectoryUser | undefined,
  directory: DirectoryView,
  options: ClientMessageVariant,
): SenderPiece => ({
  bytes: encodeContentEndAndSenderFields(user, directory, options),
  endsOf: undefined,
  endsByRecipient: new Map(),
});
