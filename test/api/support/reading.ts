/** Flags and unread counts, as tests look at them. */
import type { Params } from './client.js';
import type { Person } from './organization.js';
import { Queue, settled } from './queue.js';
import type { ApiEvent, ApiMessage, Fields } from './types.js';

export interface UnreadSection {
  readonly pms: readonly { other_user_id: number; unread_message_ids: number[] }[];
  readonly streams: readonly { stream_id: number; topic: string; unread_message_ids: number[] }[];
  readonly huddles: readonly { user_ids_string: string; unread_message_ids: number[] }[];
  readonly mentions: readonly number[];
  readonly count: number;
}

export const flagsOf = async (by: Person, id: number): Promise<readonly string[]> => {
  const { message } = await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id });
  return message.flags;
};
export const setFlag = (by: Person, op: string, flag: string, messages: readonly number[]): Promise<Fields> =>
  by.api.ok('POST /messages/flags', { op, flag, messages });
export const unreadOf = async (by: Person): Promise<UnreadSection> => {
  const { unread_msgs, queue_id } = await by.api.ok('POST /register', {
    fetch_event_types: ['message', 'update_message_flags'],
    event_types: ['heartbeat'],
  });
  await by.api.ok('DELETE /events', { queue_id });
  return unread_msgs as UnreadSection;
};
export const flagQueue = (by: Person, params: Params = {}): Promise<Queue> =>
  Queue.register(by, { event_types: ['update_message_flags', 'message'], fetch_event_types: [], ...params });
export const flagEvents = async (queue: Queue): Promise<ApiEvent[]> =>
  (await settled(queue)).filter((event) => event.type === 'update_message_flags');
