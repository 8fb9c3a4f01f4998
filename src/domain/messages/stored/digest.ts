/**
 * What of a message is stored so that it can be shown without decoding it: the part of its JSON that is the same for
 * everybody and follows from the message alone, and the facts that decide who may see it with which flags (seen.ts reads it).
 */

import type { MessageRecord } from '#model/records';
import type { Digest } from '#ports/store';
import { constantFields } from '../presenting/present.js';
import { asStored, type MessageBody } from './message.js';

/**
 * Of the meaning of what is below, and of what `shownAlways` gives. Whoever changes one of them raises it: messages with
 * digests of other versions are decoded.
 */
export const DIGEST_VERSION = 1;

/** Places of the facts; the ids of the participants follow, then pairs of a user and the sum of his flags. */
export const FACT = { stream: 0, originStream: 1, sender: 2, marks: 3, participants: 4, others: 5 } as const;

/** `more`: of the body, more is shown than what is here, as it changes with the organization. */
export const MARK = { more: 1, wildcard: 2, moved: 4 } as const;

/** Flags that single users got when it was sent. */
export const SENT = { read: 1, mentioned: 2, has_alert_word: 4 } as const;

/** Places of the texts. */
export const TEXT = { html: 0, content: 1, topicKey: 2 } as const;

const MAX_FACT = 2 ** 32 - 1;

/** Shows more of the directory than its sender and where it is: who reacted, who edited. */
export const hasChangingFields = ({ reactions, edits }: MessageBody): boolean =>
  (reactions !== undefined && reactions.length > 0) || (edits !== undefined && edits.length > 0);

/** Undefined: it has something that has no place here. */
export function digestOf(record: MessageRecord): Digest | undefined {
  const message = asStored(record);
  const { body, originStream, sender, participants } = message;
  const marks =
    (hasChangingFields(body) ? MARK.more : 0) |
    (body.wildcard ? MARK.wildcard : 0) |
    ((body.moves?.length ?? 0) > 0 ? MARK.moved : 0);
  const facts = [body.stream, originStream, sender, marks, participants.length, ...participants];
  for (const [user, flags] of Object.entries(body.flags)) facts.push(Number(user), flagSum(flags));
  if (!facts.every((fact) => Number.isInteger(fact) && fact >= 0 && fact <= MAX_FACT)) return undefined;
  const head = `${JSON.stringify(constantFields(message)).slice(0, -1)},"content":"`;
  return { version: DIGEST_VERSION, facts, head, texts: [body.html, body.content, record.topicKey] };
}

/** NaN where one is not among them. */
function flagSum(flags: readonly string[]): number {
  let sum = 0;
  for (const flag of new Set(flags)) sum += (SENT as Readonly<Record<string, number>>)[flag] ?? Number.NaN;
  return sum;
}
