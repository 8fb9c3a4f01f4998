/** What changes of scheduled messages have in common. */
import type { Json, JsonObject } from '#base';
import { type DeliveryReceipt, type ScheduledMessage, scheduledPart } from '#domain/messages';
import type { LogItem } from '#model';

export const tellScheduled = (self: number, op: 'add' | 'update' | 'remove', of: JsonObject): LogItem => ({
  t: 'event',
  to: { users: [self] },
  event: { type: 'scheduled_messages', op, ...of },
});

/** The parts as they will be. */
export const withPart = (
  parts: ReadonlyMap<string, Json>,
  ...messages: readonly (ScheduledMessage | DeliveryReceipt)[]
): ReadonlyMap<string, Json> =>
  new Map([...parts, ...messages.map((message) => [scheduledPart(message.id), message] as const)]);
