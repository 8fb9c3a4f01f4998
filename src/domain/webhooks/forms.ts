/**
 * Requests of outgoing webhooks in their two formats, and the replies in the responses (users.md § Bots). The
 * functions have no side effects.
 */

import { cleanParsedJson, parseJsonText } from '#base';
import { formatMessageForClientVariant, makeClientNeutralMessage, type StoredMessage } from '#domain/messages';
import type { WebhookFault } from '#domain/texts';
import type { DirectoryStream, DirectoryUser, DirectoryView, OutgoingWebhookService } from '#model/records';
import type { WebhookRequest } from './caller.js';

/** The message that triggers a call, and the called bot. */
interface OutgoingWebhookCall {
  readonly bot: DirectoryUser;
  readonly service: OutgoingWebhookService;
  /** The token of the bot's service, not encrypted. */
  readonly token: string;
  readonly message: StoredMessage;
  /** The API's name of the reason for the call, such as `mention`. */
  readonly trigger: string;
  /** Base URL of the organization. */
  readonly origin: string;
}

/** Interface number of services that expect Slack's format. */
const SLACK_INTERFACE_NUMBER = 2;

/** Makes the request of a webhook call. @returns the request, or the reason why there is none */
export function makeWebhookRequestOrRefusal(
  call: OutgoingWebhookCall,
  directory: DirectoryView,
  stream: DirectoryStream | undefined,
): WebhookRequest | WebhookFault {
  const { service } = call;
  if (service.interface !== SLACK_INTERFACE_NUMBER) {
    return {
      url: service.baseUrl,
      type: 'application/json',
      body: JSON.stringify(makeGenericWebhookPayload(call, directory)),
    };
  }
  if (!stream) return { fault: 'noDirectMessages' };
  const body = new URLSearchParams(makeSlackWebhookPayload(call, directory, stream)).toString();
  return { url: service.baseUrl, type: 'application/x-www-form-urlencoded', body };
}

function makeGenericWebhookPayload({ bot, token, message, trigger }: OutgoingWebhookCall, directory: DirectoryView) {
  const shown = makeClientNeutralMessage(message, directory);
  return {
    bot_email: bot.email,
    bot_full_name: bot.fullName,
    data: message.body.content,
    trigger,
    token,
    message: {
      ...formatMessageForClientVariant(shown, { applyMarkdown: false, clientGravatar: false }),
      rendered_content: message.body.html,
    },
  };
}

/** Makes the request's fields in the format of Slack's outgoing webhooks. */
function makeSlackWebhookPayload(
  { bot, token, message, trigger, origin }: OutgoingWebhookCall,
  directory: DirectoryView,
  stream: DirectoryStream,
): Record<string, string> {
  const { host } = new URL(origin);
  const sender = directory.user(message.sender as DirectoryUser['id']);
  return {
    token,
    team_id: `T${directory.realm}`,
    team_domain: host,
    channel_id: `C${stream.id}`,
    channel_name: stream.name,
    thread_ts: String(message.body.sent),
    timestamp: String(message.body.sent),
    user_id: `U${message.sender}`,
    user_name: sender?.fullName ?? '',
    text: message.body.content,
    trigger_word: trigger,
    service_id: String(bot.id),
  };
}

type WebhookReplyParseResult =
  | { readonly say: string; readonly widget: string | null }
  | 'nothing'
  /** The response is no valid reply, for the reason `wrong`. */
  | { readonly wrong: WebhookFault };

/**
 * Reads the bot's reply from the body of a response. An empty body is no reply.
 * @param format interface number of the service
 */
export function parseWebhookReply(body: string, format: number): WebhookReplyParseResult {
  if (body.trim() === '') return 'nothing';
  const json = parseJsonText(body);
  if (!json) return { wrong: { fault: 'notJson' } };
  const value = cleanParsedJson(json.value);
  if (value === '') return 'nothing';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { wrong: { fault: 'notObject' } };
  }
  const { response_not_required, response_string, content, text, widget_content } = value as Record<string, unknown>;
  if (response_not_required === true) return 'nothing';
  const reply = format === SLACK_INTERFACE_NUMBER ? text : (content ?? response_string);
  if (reply === undefined || reply === null || reply === '') return 'nothing';
  if (typeof reply !== 'string') return { wrong: { fault: 'notText' } };
  if (widget_content === undefined || widget_content === null) return { say: reply, widget: null };
  return { say: reply, widget: typeof widget_content === 'string' ? widget_content : JSON.stringify(widget_content) };
}
