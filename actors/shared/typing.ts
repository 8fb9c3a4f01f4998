/** The event that tells that somebody types, or does no longer. */
import type { JsonObject } from '#base';
import type { Audience, PlainItem } from '#model';
import type { TypingOp } from '#model/commands';
import type { DirectoryUser } from '#model/records';

export const typist = ({ id, email }: DirectoryUser): JsonObject => ({ user_id: id, email });

/** @param place message_type and what goes with it */
export const typingEvent = (op: TypingOp, sender: DirectoryUser, place: JsonObject, to: Audience): PlainItem => ({
  t: 'event',
  to,
  event: { type: 'typing', op, sender: typist(sender), ...place },
});
