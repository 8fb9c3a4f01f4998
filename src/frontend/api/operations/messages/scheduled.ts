/** Operations of the API for messages that the server sends later (messages.md § Scheduled messages). */
import { Type } from 'typebox';
import { parseScheduledMessageRecipients } from '#domain/messages';
import { toStreamId, toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { refreshDirectoryUnlessKnown } from '../../look-up.js';
import { newerMentionsArgument } from '../../newer-mentions.js';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalJsonParameter,
  declareOptionalTextParameter,
  declarePathIdParameter,
  declareRequiredLongTextParameter,
} from '../../parameters.js';

/** Schema of a time: seconds since 1970, up to the end of the year 9999. */
const timestampSecondsSchema = Type.Integer({ maximum: 253_402_300_799 });

const optionalMessageTypeParameter = {
  in: 'form',
  encoding: 'string',
  schema: Type.Enum(['direct', 'private', 'stream']),
  required: false,
  description: "'stream' or 'direct' ('private' is its older name).",
} as const;
const optionalTopicParameter = {
  ...declareRequiredLongTextParameter('form', 'Topic of a stream message; it is cut.'),
  required: false,
  aliases: ['subject'],
} as const;
const optionalRecipientParameter = declareOptionalTextParameter('form', 'Id of the stream; or JSON list of user ids.');
const optionalContentParameter = {
  ...declareRequiredLongTextParameter('form', 'Markdown; longer than 10,000 characters it is cut.'),
  required: false,
} as const;
const optionalSendTimeParameter = declareOptionalJsonParameter(
  'form',
  timestampSecondsSchema,
  'When to send it: seconds since 1970, in the future.',
);

const normalizeMessageType = (name: 'direct' | 'private' | 'stream'): 'private' | 'stream' =>
  name === 'stream' ? name : 'private';

/** Refreshes the replica if a recipient is unknown: the client may have the id from another frontend. */
const refreshUnlessRecipientsKnown = (
  call: ApiCall<unknown>,
  kind: 'private' | 'stream',
  ids: readonly number[],
): Promise<void> =>
  refreshDirectoryUnlessKnown(call, (directory) =>
    ids.every((id) => (kind === 'stream' ? directory.stream(toStreamId(id)) : directory.user(toUserId(id)))),
  );

function checkSendTimeIsInFuture(call: ApiCall<unknown>, seconds: number): void {
  if (seconds * 1000 <= call.now) throw apiError('SCHEDULED_IN_PAST');
}

export const getOwnScheduledMessagesOperation = defineOperation({
  id: 'get-scheduled-messages',
  method: 'GET',
  path: '/scheduled_messages',
  guard: 'user',
  summary: 'Own messages that were not sent yet, by time.',
  parameters: {},
  run: ({ realm, caller }) =>
    forwardCommand({ to: userActorKey(realm, caller), command: userActorCommands.scheduledMessages, args: {} }),
});

export const createScheduledMessageOperation = defineOperation({
  id: 'create-scheduled-message',
  method: 'POST',
  path: '/scheduled_messages',
  guard: 'user',
  summary: 'Have a message sent later.',
  parameters: {
    type: { ...optionalMessageTypeParameter, required: true },
    to: { ...optionalRecipientParameter, required: true },
    content: declareRequiredLongTextParameter('form', optionalContentParameter.description),
    topic: optionalTopicParameter,
    scheduled_delivery_timestamp: { ...optionalSendTimeParameter, required: true },
  },
  async run(call) {
    const { params } = call;
    checkSendTimeIsInFuture(call, params.scheduled_delivery_timestamp);
    const kind = normalizeMessageType(params.type);
    const ids = parseScheduledMessageRecipients(kind, params.to);
    await refreshUnlessRecipientsKnown(call, kind, ids);
    const args = {
      type: kind,
      to: ids,
      topic: params.topic ?? null,
      content: params.content,
      at: params.scheduled_delivery_timestamp,
      origin: call.site,
      ...newerMentionsArgument(call),
    };
    return forwardCommand({ to: userActorKey(call.realm, call.caller), command: userActorCommands.schedule, args });
  },
});

export const updateScheduledMessageOperation = defineOperation({
  id: 'update-scheduled-message',
  method: 'PATCH',
  path: '/scheduled_messages/{scheduled_message_id}',
  guard: 'user',
  summary: 'Change a message that was not sent yet.',
  parameters: {
    scheduled_message_id: declarePathIdParameter('Id of the scheduled message.'),
    type: optionalMessageTypeParameter,
    to: optionalRecipientParameter,
    content: optionalContentParameter,
    topic: optionalTopicParameter,
    scheduled_delivery_timestamp: optionalSendTimeParameter,
  },
  async run(call) {
    const { params } = call;
    const { scheduled_message_id: id, scheduled_delivery_timestamp: seconds = null } = params;
    const given = [params.type, params.to, params.content, params.topic, params.scheduled_delivery_timestamp];
    if (given.every((one) => one === undefined)) throw apiError('NOTHING_TO_CHANGE');
    if (params.type !== undefined && params.to === undefined) throw apiError('SCHEDULED_NEEDS_RECIPIENT');
    if (params.type === 'stream' && params.topic === undefined) throw apiError('SCHEDULED_NEEDS_TOPIC');
    if (seconds !== null) checkSendTimeIsInFuture(call, seconds);
    // A request without `type` keeps the stored type, so the frontend can't tell whether `to` is a stream or users, and
    // looks up both.
    if (params.to !== undefined) await refreshForRecipientsOfUnknownType(call, params.to);
    const args = {
      id,
      type: params.type === undefined ? null : normalizeMessageType(params.type),
      to: params.to ?? null,
      topic: params.topic ?? null,
      content: params.content ?? null,
      at: seconds,
      origin: call.site,
      ...newerMentionsArgument(call),
    };
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.editScheduled,
      args,
    });
  },
});

async function refreshForRecipientsOfUnknownType(call: ApiCall<unknown>, given: string): Promise<void> {
  for (const kind of ['stream', 'private'] as const) {
    let ids: readonly number[];
    try {
      ids = parseScheduledMessageRecipients(kind, given);
    } catch {
      continue;
    }
    await refreshUnlessRecipientsKnown(call, kind, ids);
  }
}

export const deleteScheduledMessageOperation = defineOperation({
  id: 'delete-scheduled-message',
  method: 'DELETE',
  path: '/scheduled_messages/{scheduled_message_id}',
  guard: 'user',
  summary: 'Delete a scheduled message.',
  parameters: { scheduled_message_id: declarePathIdParameter('Id of the scheduled message.') },
  run: ({ realm, caller, params }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.deleteScheduled,
      args: { id: params.scheduled_message_id },
    }),
});
