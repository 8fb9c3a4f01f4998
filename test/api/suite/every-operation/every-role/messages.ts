/** Messages, drafts, scheduled messages. */
import { type Person, say } from '../../../support/organization.js';
import { adminsOnly, fresh, type Row } from './row.js';

const MAY_NOT_DELETE = "You don't have permission to delete this message";
const LATE = 4_000_000_000;

const draft = async ({ api }: Person): Promise<number> => {
  const drafts = [{ type: '', to: [], topic: '', content: 'a draft' }];
  return (await api.ok<{ ids: number[] }>('POST /drafts', { drafts })).ids[0]!;
};

const scheduled = async ({ api, id }: Person): Promise<number> => {
  const params = { type: 'direct', to: [id], content: 'later', scheduled_delivery_timestamp: LATE };
  return (await api.ok<{ scheduled_message_id: number }>('POST /scheduled_messages', params)).scheduled_message_id;
};

export const MESSAGES: readonly Row[] = [
  {
    operation: 'PATCH /drafts/{draft_id}',
    params: async (by) => ({ draft_id: await draft(by), draft: { type: '', to: [], topic: '', content: 'edited' } }),
  },
  { operation: 'DELETE /drafts/{draft_id}', params: async (by) => ({ draft_id: await draft(by) }) },
  {
    operation: 'PATCH /scheduled_messages/{scheduled_message_id}',
    params: async (by) => ({ scheduled_message_id: await scheduled(by), content: 'edited' }),
  },
  {
    operation: 'DELETE /scheduled_messages/{scheduled_message_id}',
    params: async (by) => ({ scheduled_message_id: await scheduled(by) }),
  },
  { operation: 'POST /mark_all_as_read', params: () => ({}) },
  { operation: 'POST /mark_stream_as_read', params: (_, { stream }) => ({ stream_id: stream }) },
  {
    operation: 'POST /mark_topic_as_read',
    params: async (by, { stream }) => {
      await say(by, 'everybody', 'to be read');
      return { stream_id: stream, topic_name: 'to be read' };
    },
  },
  {
    operation: 'POST /messages/flags/narrow',
    params: () => ({ anchor: 'newest', num_before: 1, num_after: 0, narrow: [], op: 'add', flag: 'starred' }),
  },
  {
    operation: 'PATCH /messages/{message_id}',
    params: async (by) => ({ message_id: await say(by, 'everybody', 'edited'), content: 'edited' }),
  },
  {
    operation: 'DELETE /messages/{message_id}',
    params: async (by) => ({ message_id: await say(by, 'everybody', 'deleted') }),
    refused: { moderator: MAY_NOT_DELETE, member: MAY_NOT_DELETE, other: MAY_NOT_DELETE, guest: MAY_NOT_DELETE },
  },
  {
    operation: 'POST /streams/{stream_id}/delete_topic',
    params: async (by, { stream }) => {
      const topic_name = fresh();
      await say(by, 'everybody', topic_name);
      return { stream_id: stream, topic_name };
    },
    refused: adminsOnly,
  },
];
