/** Incoming webhooks: another program posts a payload, and a message is made of it (users.md § Incoming webhooks). */
import { Type } from 'typebox';
import { cleanParsedJson, type Json, type ParsedJsonText, parseJsonText, TooManyJsonValuesError } from '#base';
import {
  findIncomingIntegration,
  INCOMING_INTEGRATIONS,
  type IncomingIntegration,
  type IntegrationMessage,
} from '#domain/integrations';
import { toCheckedMessageContent } from '#domain/messages';
import { toCheckedStreamName, toCheckedTruncatedTopic } from '#domain/streams';
import { directMessageActorKey, streamActorKey } from '#model';
import { directMessageActorCommands, type SendMessageArgs, streamActorCommands } from '#model/commands';
import { apiError, tooManyItemsError } from '#model/errors';
import {
  type ApiCall,
  DEFAULT_MAX_JSON_PARAMETER_VALUES,
  defineOperation,
  type ForwardedCommand,
  forwardCommand,
} from '../../operation.js';
import { declareOptionalJsonParameter, declareOptionalTextParameter } from '../../parameters.js';
import { getSendTargetOrNotifyBotOwner } from '../messages/messages.js';

const eventTypesSchema = Type.Array(Type.String());

export const postIncomingWebhookOperation = defineOperation({
  id: 'post-incoming-webhook',
  method: 'POST',
  path: '/external/{integration}',
  guard: 'webhook_bot',
  webhookBots: true,
  keyInQuery: true,
  takesBody: true,
  headers: ['content-type'],
  summary: 'Send a message about an event of another program, as an incoming webhook bot. The body is the payload.',
  parameters: {
    integration: {
      in: 'path',
      encoding: 'string',
      schema: Type.Enum(INCOMING_INTEGRATIONS.map(({ name }) => name)),
      required: true,
      description: 'Form of the payload.',
    },
    api_key: declareOptionalTextParameter('query', 'API key of the bot.'),
    stream: declareOptionalTextParameter('query', "Stream name or id; absent: a direct message to the bot's owner."),
    topic: declareOptionalTextParameter('query', 'Topic; absent: the one that the payload gives.'),
    only_events: declareOptionalJsonParameter('query', eventTypesSchema, 'Accepted and unused.'),
    exclude_events: declareOptionalJsonParameter('query', eventTypesSchema, 'Accepted and unused.'),
  },
  run(call) {
    const { params } = call;
    const message = makeMessageOfPayload(findIncomingIntegration(params.integration)!, parsePayload(call));
    const content = toCheckedMessageContent(message.content);
    if (params.stream === undefined) return sendToBotOwner(call, content);
    return sendToStream(call, params.stream, toCheckedTruncatedTopic(params.topic ?? message.topic), content);
  },
});

/** @throws ApiError ANOMALOUS_PAYLOAD if the payload is not one of the integration */
function makeMessageOfPayload({ displayName, makeMessage }: IncomingIntegration, payload: Json): IntegrationMessage {
  const message = makeMessage(payload);
  if (!message) throw apiError('ANOMALOUS_PAYLOAD', { webhook_name: displayName });
  return message;
}

/** Returns the payload: the body, or the field `payload` of a form. @throws ApiError */
function parsePayload(call: ApiCall<unknown>): Json {
  const text = decodeUtf8OrThrow(call.body);
  const type = call.header('content-type').split(';', 1)[0]!.trim().toLowerCase();
  // Many programs post JSON and leave the media type at that of a form. No form begins with a bracket.
  const isForm = type === 'application/x-www-form-urlencoded' && !/^\s*[{[]/.test(text);
  const json = parseJsonOfBoundedValueCount(isForm ? payloadFieldOfForm(text) : text);
  if (!json) throw apiError('PAYLOAD_NOT_JSON');
  return cleanParsedJson(json.value) as Json;
}

function decodeUtf8OrThrow(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw apiError('MALFORMED_PAYLOAD');
  }
}

function payloadFieldOfForm(form: string): string {
  const value = /(?:^|&)payload=([^&]*)/.exec(form)?.[1];
  if (value === undefined) throw apiError('REQUEST_VARIABLE_MISSING', { var_name: 'payload' });
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    throw apiError('MALFORMED_PAYLOAD');
  }
}

function parseJsonOfBoundedValueCount(text: string): ParsedJsonText | undefined {
  try {
    return parseJsonText(text, DEFAULT_MAX_JSON_PARAMETER_VALUES);
  } catch (error) {
    throw error instanceof TooManyJsonValuesError
      ? tooManyItemsError('payload', DEFAULT_MAX_JSON_PARAMETER_VALUES)
      : error;
  }
}

async function sendToStream(
  call: ApiCall<unknown>,
  named: string,
  topic: string,
  content: string,
): Promise<ForwardedCommand> {
  const target = /^\d+$/.test(named) ? Number(named) : toCheckedStreamName(named);
  const stream = await getSendTargetOrNotifyBotOwner(call, target);
  return forwardCommand({
    to: streamActorKey(call.realm, stream.id),
    command: streamActorCommands.send,
    args: makeSendMessageArguments(call, topic, content),
  });
}

function sendToBotOwner(call: ApiCall<unknown>, content: string): ForwardedCommand {
  const owner = call.directory.user(call.caller)?.botOwner ?? call.caller;
  const participants = [...new Set([owner, call.caller])].sort((a, b) => a - b);
  return forwardCommand({
    to: directMessageActorKey(call.realm, participants),
    command: directMessageActorCommands.sendDirect,
    args: { ...makeSendMessageArguments(call, '', content), participants },
  });
}

function makeSendMessageArguments(call: ApiCall<unknown>, topic: string, content: string): SendMessageArgs {
  const rendered = call.renderMessageText(content, false);
  const message = { human: false, queue_id: null, local_id: null, widget: null, origin: call.site, topic, content };
  return rendered ? { ...message, rendered } : message;
}
