/**
 * The digest of a message, stored beside it so that GET /messages need not decode the message. It holds the part of the
 * message's JSON that is equal for all readers and follows from the message alone, and the facts that decide access and
 * flags. packed-view.ts reads it.
 */

import type { MessageRecord } from '#model/records';
import type { MessageDigest } from '#ports/store';
import { readerIndependentMessageFields } from '../presenting/present.js';
import { type MessageBody, toStoredMessage } from './message.js';

/**
 * Version of the layout below and of the fields of `readerIndependentMessageFields`: raise it with any change of
 * either. Messages with digests of another version are decoded.
 */
export const MESSAGE_DIGEST_VERSION = 1;

/**
 * Positions of the facts in a digest. The participants' ids follow them, then pairs of a user id and a sum of
 * `MESSAGE_CREATION_FLAG_BITS` flags.
 */
export const MESSAGE_DIGEST_FACT_POSITIONS = {
  stream: 0,
  originStream: 1,
  sender: 2,
  marks: 3,
  participants: 4,
  others: 5,
} as const;

/**
 * Bits of facts about a message. `more` says that the message has reactions or edits, whose JSON depends on the
 * directory and so isn't in the digest.
 */
export const MESSAGE_DIGEST_FACT_BITS = { more: 1, wildcard: 2, moved: 4 } as const;

/** Bits of the flags that single users got when the message was sent. */
export const MESSAGE_CREATION_FLAG_BITS = { read: 1, mentioned: 2, has_alert_word: 4, wildcard_mentioned: 8 } as const;

/** Positions of the texts in a digest. */
export const MESSAGE_DIGEST_TEXT_POSITIONS = { html: 0, content: 1, topicKey: 2 } as const;

const MAX_DIGEST_FACT_VALUE = 2 ** 32 - 1;

/** True if the message has reactions or edits, whose JSON depends on the directory. */
export const hasReactionsOrEdits = ({ reactions, edits }: MessageBody): boolean =>
  (reactions !== undefined && reactions.length > 0) || (edits !== undefined && edits.length > 0);

/**
 * Makes the digest of a message. Undefined if a digest can't hold it: an unknown flag, or a fact that isn't an unsigned
 * 32-bit integer.
 */
export function makeMessageDigestIfPossible(record: MessageRecord): MessageDigest | undefined {
  const message = toStoredMessage(record);
  const { body, originStream, sender, participants } = message;
  const marks =
    (hasReactionsOrEdits(body) ? MESSAGE_DIGEST_FACT_BITS.more : 0) |
    (body.wildcard ? MESSAGE_DIGEST_FACT_BITS.wildcard : 0) |
    ((body.moves?.length ?? 0) > 0 ? MESSAGE_DIGEST_FACT_BITS.moved : 0);
  const facts = [body.stream, originStream, sender, marks, participants.length, ...participants];
  for (const user in body.flags) facts.push(Number(user), creationFlagBitsOrNaN(body.flags[user]!));
  for (const fact of facts)
    if (!(Number.isInteger(fact) && fact >= 0 && fact <= MAX_DIGEST_FACT_VALUE)) return undefined;
  const head = `${JSON.stringify(readerIndependentMessageFields(message)).slice(0, -1)},"content":"`;
  return { version: MESSAGE_DIGEST_VERSION, facts, head, texts: [body.html, body.content, record.topicKey] };
}

/** Sum of the bits of these flags; NaN if one of them has no bit (`MESSAGE_CREATION_FLAG_BITS`). */
function creationFlagBitsOrNaN(flags: readonly string[]): number {
  let bits = 0;
  for (const flag of flags) {
    const bit = (MESSAGE_CREATION_FLAG_BITS as Readonly<Record<string, number>>)[flag];
    if (bit === undefined) return Number.NaN;
    bits |= bit;
  }
  return bits;
}
