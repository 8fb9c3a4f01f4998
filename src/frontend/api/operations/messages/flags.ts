/**
 * Operations of the API for flags on messages, and for marking many messages as read (messages.md § Flags, narrow.md).
 */
import { Type } from 'typebox';
import { API_MESSAGE_FLAGS_IN_ORDER, EDITABLE_MESSAGE_FLAGS, type EditableMessageFlag } from '#domain/messages';
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { checkNarrowAndMakeArguments } from '../../narrow-arguments.js';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  declareBooleanParameterWithDefault,
  declareRequiredFormIdParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';
import { parseMessageAnchor } from './messages.js';

/** Returns the flag and the operation of a call if they may be set. @throws ApiError */
function checkFlagAndFlagOperation(named: string, op: string): { flag: EditableMessageFlag; op: 'add' | 'remove' } {
  if (!API_MESSAGE_FLAGS_IN_ORDER.includes(named)) throw apiError('INVALID_FLAG', { flag: named });
  if (!EDITABLE_MESSAGE_FLAGS.includes(named as EditableMessageFlag))
    throw apiError('FLAG_NOT_EDITABLE', { flag: named });
  if (op !== 'add' && op !== 'remove') throw apiError('INVALID_FLAG_OPERATION', { op });
  return { flag: named as EditableMessageFlag, op };
}

export const setMessageFlagsOperation = defineOperation({
  id: 'update-message-flags',
  method: 'POST',
  path: '/messages/flags',
  guard: 'user',
  compressed: true,
  summary: 'Add a personal flag to messages, or remove it.',
  parameters: {
    messages: {
      in: 'form',
      encoding: 'json',
      schema: Type.Array(Type.Integer()),
      required: true,
      description: 'Ids.',
    },
    op: declareRequiredTextParameter('form', "'add' or 'remove'."),
    flag: declareRequiredTextParameter('form', "'read', 'starred' or 'collapsed'."),
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.setFlags,
      args: { messages: params.messages, ...checkFlagAndFlagOperation(params.flag, params.op) },
    }),
});

const MAX_MESSAGES_PER_FLAG_CALL = 5_000;

const declareMessageCountParameter = (description: string) =>
  ({ in: 'form', encoding: 'uint', schema: Type.Integer({ minimum: 0 }), required: true, description }) as const;

export const setMessageFlagsInNarrowOperation = defineOperation({
  id: 'update-message-flags-for-narrow',
  method: 'POST',
  path: '/messages/flags/narrow',
  guard: 'user',
  summary: 'Add a personal flag to the messages around an anchor of a narrow, or remove it.',
  parameters: {
    anchor: declareRequiredTextParameter('form', "Message id, 'newest', 'oldest' or 'first_unread'."),
    include_anchor: declareBooleanParameterWithDefault('form', true, 'The anchor message itself counts.'),
    num_before: declareMessageCountParameter('How many messages before the anchor; at most 5,000 in all.'),
    num_after: declareMessageCountParameter('How many messages after the anchor.'),
    narrow: declareRequiredTextParameter('form', 'JSON list of terms: {operator, operand, negated}.'),
    op: declareRequiredTextParameter('form', "'add' or 'remove'."),
    flag: declareRequiredTextParameter('form', "'read', 'starred' or 'collapsed'."),
  },
  run(call) {
    const { params, realm, caller } = call;
    const narrow = checkNarrowAndMakeArguments(call, params.narrow);
    const anchor = parseMessageAnchor(params.anchor);
    if (!params.include_anchor && params.num_before > 0 && params.num_after > 0) throw apiError('ANCHOR_EXCLUDED');
    const before = Math.min(
      params.num_before,
      Math.max(MAX_MESSAGES_PER_FLAG_CALL - params.num_after, MAX_MESSAGES_PER_FLAG_CALL / 2),
    );
    const after = Math.min(params.num_after, MAX_MESSAGES_PER_FLAG_CALL - before);
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.setFlagsInNarrow,
      args: {
        ...checkFlagAndFlagOperation(params.flag, params.op),
        anchor,
        ...narrow,
        include_anchor: params.include_anchor,
        num_before: before,
        num_after: after,
      },
    });
  },
});

/**
 * Deadline of marking as read: longer than the 50 seconds after which an actor stops and answers with a partial result
 * (messages.md).
 */
const MARK_AS_READ_DEADLINE_MS = 60_000;

export const markAllAsReadOperation = defineOperation({
  id: 'mark-all-as-read',
  method: 'POST',
  path: '/mark_all_as_read',
  guard: 'user',
  summary: 'Mark everything as read.',
  parameters: {},
  run: ({ realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.markAllRead,
      args: {},
      deadlineMs: MARK_AS_READ_DEADLINE_MS,
    }),
});

export const markStreamAsReadOperation = defineOperation({
  id: 'mark-stream-as-read',
  method: 'POST',
  path: '/mark_stream_as_read',
  guard: 'user',
  summary: 'Mark everything in a stream as read.',
  parameters: { stream_id: declareRequiredFormIdParameter('The stream.') },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.markStreamRead,
      args: { stream: params.stream_id },
      deadlineMs: MARK_AS_READ_DEADLINE_MS,
    }),
});

export const markTopicAsReadOperation = defineOperation({
  id: 'mark-topic-as-read',
  method: 'POST',
  path: '/mark_topic_as_read',
  guard: 'user',
  summary: 'Mark everything in a topic as read.',
  parameters: {
    stream_id: declareRequiredFormIdParameter('The stream.'),
    topic_name: declareRequiredTextParameter('form', 'Topic, ignoring case; empty: the whole stream.'),
  },
  run({ params, realm, caller }) {
    const to = userActorKey(realm, caller);
    const { stream_id: stream, topic_name: topic } = params;
    const deadlineMs = MARK_AS_READ_DEADLINE_MS;
    return topic === ''
      ? forwardCommand({ to, command: userActorCommands.markStreamRead, args: { stream }, deadlineMs })
      : forwardCommand({ to, command: userActorCommands.markTopicRead, args: { stream, topic }, deadlineMs });
  },
});
