/** Operations of the API that send and read messages (messages.md, narrow.md). */
import { Type } from 'typebox';
import { isHumanClientName, NEWEST_ANCHOR_MESSAGE_ID, toCheckedMessageContent } from '#domain/messages';
import { findDefaultStreamOfBot } from '#domain/people';
import { toCheckedStreamName, toCheckedTruncatedTopic } from '#domain/streams';
import { directMessageActorKey, streamActorKey, userActorKey } from '#model';
import {
  directMessageActorCommands,
  type SendMessageArgs,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream } from '#model/records';
import {
  getActiveStreamOrThrow,
  getUsersByIdOrEmailOrThrow,
  parseDirectRecipients,
  parseStreamRecipient,
} from '../../look-up.js';
import { checkNarrowAndMakeArguments } from '../../narrow-arguments.js';
import { newerMentionsArgument } from '../../newer-mentions.js';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import {
  allowEmptyTopicNameParameter,
  declareBooleanParameterWithDefault,
  declareOptionalBooleanParameter,
  declareOptionalTextParameter,
  declarePathIdParameter,
  declareRequiredLongTextParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

const MAX_MESSAGES_PER_FETCH = 5_000;

export const sendMessageOperation = defineOperation({
  id: 'send-message',
  method: 'POST',
  path: '/messages',
  guard: 'user',
  webhookBots: true,
  summary: 'Send a message to a stream or to users.',
  parameters: {
    type: {
      in: 'form',
      encoding: 'string',
      schema: Type.Enum(['direct', 'private', 'stream']),
      required: true,
      description: "'stream' or 'direct' ('private' is its older name).",
    },
    to: declareOptionalTextParameter('form', 'Stream name or id; or users: JSON list of ids or of API e-mails.'),
    content: declareRequiredLongTextParameter('form', 'Markdown; longer than 10,000 characters it is cut.'),
    topic: {
      ...declareRequiredLongTextParameter('form', 'Topic of a stream message; it is cut.'),
      required: false,
      aliases: ['subject'],
    },
    queue_id: declareOptionalTextParameter('form', 'Queue of the sender, for local_id.'),
    local_id: declareOptionalTextParameter('form', "Given back on the queue's event as local_message_id."),
    sender: declareOptionalTextParameter('form', 'Mirroring, which no client may do here.'),
    forged: declareOptionalTextParameter('form', 'Mirroring, which no client may do here.'),
    widget_content: declareOptionalTextParameter('form', 'JSON of a widget.'),
    time: declareOptionalTextParameter('form', 'Accepted and unused.'),
    read_by_sender: {
      ...declareOptionalBooleanParameter('form', 'The sender has read the message; absent: by the client name.'),
      since: 236,
    },
  },
  async run(call) {
    const { params } = call;
    const toStream = params.type === 'stream';
    const target = toStream ? (parseStreamRecipient(params.to) ?? defaultSendingStreamIdOfBot(call)) : undefined;
    const named = toStream ? [] : parseDirectRecipients(params.to);
    if (params.forged !== undefined || params.sender !== undefined) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    /** Arguments of the command that sends this text. Spreading objects for them took three microseconds. */
    const argumentsOf = (topic: string, content: string): SendMessageArgs => {
      const message: { -readonly [K in keyof SendMessageArgs]: SendMessageArgs[K] } = {
        human: params.read_by_sender ?? isHumanClientName(call.clientName),
        queue_id: params.queue_id ?? null,
        local_id: params.local_id ?? null,
        widget: params.widget_content ?? null,
        origin: call.site,
        topic,
        content,
      };
      const { newer_mentions } = newerMentionsArgument(call);
      if (newer_mentions) message.newer_mentions = newer_mentions;
      const rendered = call.renderMessageText(content, newer_mentions ?? false);
      if (rendered) message.rendered = rendered;
      return message;
    };
    if (toStream) {
      if (target === undefined) throw apiError('MISSING_STREAM');
      if (params.topic === undefined) throw apiError('MISSING_TOPIC');
      const topic = toCheckedTruncatedTopic(params.topic);
      const content = toCheckedMessageContent(params.content);
      const stream = await getSendTargetOrNotifyBotOwner(
        call,
        typeof target === 'string' ? toCheckedStreamName(target) : target,
      );
      return forwardCommand({
        to: streamActorKey(call.realm, stream.id),
        command: streamActorCommands.send,
        args: argumentsOf(topic, content),
      });
    }
    if (named.length === 0) throw apiError('NO_RECIPIENTS');
    const users = await getUsersByIdOrEmailOrThrow(call, named);
    const content = toCheckedMessageContent(params.content);
    const participants = [...new Set([...users.map((user) => user.id), call.caller])].sort((a, b) => a - b);
    return forwardCommand({
      to: directMessageActorKey(call.realm, participants),
      command: directMessageActorCommands.sendDirect,
      args: { ...argumentsOf('', content), participants },
    });
  },
});

/** Returns the default stream of the calling bot, to which messages go that name no stream. */
const defaultSendingStreamIdOfBot = ({ directory, caller }: ApiCall<unknown>): number | undefined =>
  findDefaultStreamOfBot(directory.bot(caller)?.sendingStream, (id) => directory.stream(id))?.id;

/**
 * Finds the stream to send to as getActiveStreamOrThrow does; the owner of a calling bot is notified of an unknown
 * stream.
 * @throws ApiError
 */
export async function getSendTargetOrNotifyBotOwner(
  call: ApiCall<unknown>,
  named: string | number,
): Promise<DirectoryStream> {
  try {
    return await getActiveStreamOrThrow(call, named);
  } catch (error) {
    if (!call.directory.bot(call.caller)) throw error;
    const args = { stream: String(named), exists: false, origin: call.site };
    await call.send(
      forwardCommand({ to: userActorKey(call.realm, call.caller), command: userActorCommands.lostMessage, args }),
    );
    throw error;
  }
}

const declareMessageCountParameter = (description: string) =>
  ({ in: 'query', encoding: 'uint', schema: Type.Integer({ minimum: 0 }), required: true, description }) as const;

export const getMessagesOperation = defineOperation({
  id: 'get-messages',
  method: 'GET',
  path: '/messages',
  guard: 'user',
  anonymous: true,
  summary: 'Fetch messages around an anchor.',
  parameters: {
    anchor: declareOptionalTextParameter('query', "Message id, 'newest', 'oldest' or 'first_unread'."),
    include_anchor: declareBooleanParameterWithDefault('query', true, 'The anchor message itself counts.'),
    num_before: declareMessageCountParameter('How many messages before the anchor.'),
    num_after: declareMessageCountParameter('How many messages after the anchor.'),
    narrow: {
      ...declareOptionalTextParameter('query', 'JSON list of terms: {operator, operand, negated}.'),
      default: '[]',
    },
    client_gravatar: declareBooleanParameterWithDefault('query', true, 'The client computes gravatar URLs itself.'),
    apply_markdown: declareBooleanParameterWithDefault('query', true, 'Rendered HTML instead of raw text.'),
    allow_empty_topic_name: allowEmptyTopicNameParameter,
    use_first_unread_anchor: declareBooleanParameterWithDefault('query', false, "Older form of anchor 'first_unread'."),
  },
  run(call) {
    const { params } = call;
    const narrow = checkNarrowAndMakeArguments(call, params.narrow);
    const anchor = params.use_first_unread_anchor ? 'first_unread' : parseMessageAnchor(params.anchor);
    if (params.num_before + params.num_after > MAX_MESSAGES_PER_FETCH)
      throw apiError('TOO_MANY_MESSAGES', { maximum: MAX_MESSAGES_PER_FETCH });
    if (!params.include_anchor && params.num_before > 0 && params.num_after > 0) throw apiError('ANCHOR_EXCLUDED');
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: call.caller === 0 ? userActorCommands.publicMessages : userActorCommands.fetchMessages,
      args: {
        anchor,
        ...narrow,
        include_anchor: params.include_anchor,
        num_before: params.num_before,
        num_after: params.num_after,
        client_gravatar: params.client_gravatar,
        apply_markdown: params.apply_markdown,
      },
    });
  },
});

export const checkMessagesMatchNarrowOperation = defineOperation({
  id: 'check-messages-match-narrow',
  method: 'GET',
  path: '/messages/matches_narrow',
  guard: 'user',
  summary: 'Which of some messages are in a narrow.',
  parameters: {
    msg_ids: { in: 'query', encoding: 'json', schema: Type.Array(Type.Integer()), required: true, description: 'Ids.' },
    narrow: declareRequiredTextParameter('query', 'JSON list of terms: {operator, operand, negated}.'),
  },
  run(call) {
    const { params, realm, caller } = call;
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.matchesNarrow,
      args: { msg_ids: params.msg_ids, ...checkNarrowAndMakeArguments(call, params.narrow) },
    });
  },
});

export const getMessageOperation = defineOperation({
  id: 'get-message',
  method: 'GET',
  path: '/messages/{message_id}',
  guard: 'user',
  anonymous: true,
  summary: 'One message.',
  parameters: {
    message_id: declarePathIdParameter('The message.'),
    apply_markdown: declareBooleanParameterWithDefault('query', true, 'Rendered HTML instead of raw text.'),
    allow_empty_topic_name: allowEmptyTopicNameParameter,
  },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: caller === 0 ? userActorCommands.publicMessage : userActorCommands.fetchMessage,
      args: { message_id: params.message_id, apply_markdown: params.apply_markdown },
    }),
});

export const getReadReceiptsOperation = defineOperation({
  id: 'get-read-receipts',
  method: 'GET',
  path: '/messages/{message_id}/read_receipts',
  guard: 'user',
  summary: 'Who has read a message.',
  parameters: { message_id: declarePathIdParameter('The message.') },
  run: ({ params, realm, caller }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.readReceipts,
      args: { message_id: params.message_id },
    }),
});

export const renderMessageOperation = defineOperation({
  id: 'render-message',
  method: 'POST',
  path: '/messages/render',
  guard: 'user',
  compressed: true,
  summary: 'HTML of a text, as a message would show it; nothing is stored.',
  parameters: { content: declareRequiredLongTextParameter('form', 'Markdown.') },
  run(call) {
    const { params, realm, caller, site } = call;
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.render,
      args: { content: params.content, origin: site, ...newerMentionsArgument(call) },
    });
  },
});

/**
 * Returns the anchor of a window of messages as a message id, or 'first_unread' (narrow.md § Anchors and windows).
 * @throws ApiError
 */
export function parseMessageAnchor(anchor: string | undefined): number | 'first_unread' {
  if (anchor === undefined) throw apiError('MISSING_ANCHOR');
  if (anchor === 'oldest') return 0;
  if (anchor === 'newest') return NEWEST_ANCHOR_MESSAGE_ID;
  if (anchor === 'first_unread') return anchor;
  if (!/^-?\d+$/.test(anchor.trim())) throw apiError('INVALID_ANCHOR');
  return Math.min(Math.max(0, Number(anchor)), NEWEST_ANCHOR_MESSAGE_ID);
}
