/** The event that tells that somebody types, or does no longer. */
import type { JsonObject } from '../../src/core/index.js';
import type { DirectoryUser } from '../../src/directory/index.js';
import type { TypingOp } from '../../src/model/commands/index.js';
import type { Audience, PlainItem } from '../../src/runtime/index.js';

export const typist = ({ id, email }: DirectoryUser): JsonObject => ({ user_id: id, email });

/** @param place message_type and what goes with it */
export const typingEvent = (op: TypingOp, sender: DirectoryUser, place: JsonObject, to: Audience): PlainItem => ({
  t: 'event',
  to,
  event: { type: 'typing', op, sender: typist(sender), ...place },
});
