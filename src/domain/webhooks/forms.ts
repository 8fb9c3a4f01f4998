/** What outgoing webhooks are told, in the two forms that there are, and what their answers say (users.md § Bots). Pure. */

import { cleaned, parseJsonText } from '#base';
import { presentNeutral, presentVariant, type StoredMessage } from '#domain/messages';
import type { BotService, DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import type { Post } from './caller.js';

export interface Called {
  readonly bot: DirectoryUser;
  readonly service: BotService;
  /** In clear. */
  readonly token: string;
  readonly message: StoredMessage;
  readonly trigger: string;
  /** Base URL of the organization. */
  readonly origin: string;
}

const SLACK = 2;

/** A string: why it cannot be told, as part of a sentence. */
export function postOf(called: Called, directory: DirectoryView, stream: DirectoryStream | undefined): Post | string {
  const { service } = called;
  if (service.interface !== SLACK) {
    return { url: service.baseUrl, type: 'application/json', body: JSON.stringify(generic(called, directory)) };
  }
  if (!stream) return 'its form of calls knows no direct messages';
  const body = new URLSearchParams(slack(called, directory, stream)).toString();
  return { url: service.baseUrl, type: 'application/x-www-form-urlencoded', body };
}

function generic({ bot, token, message, trigger }: Called, directory: DirectoryView) {
  const shown = presentNeutral(message, directory);
  return {
    bot_email: bot.email,
    bot_full_name: bot.fullName,
    data: message.body.content,
    trigger,
    token,
    message: {
      ...presentVariant(shown, { applyMarkdown: false, clientGravatar: false }),
      rendered_content: message.body.html,
    },
  };
}

/** Field names are those of the service that made them up. */
function slack(
  { bot, token, message, trigger, origin }: Called,
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

export type Reply =
  | { readonly say: string; readonly widget: string | null }
  | 'nothing'
  /** Why it is no reply, as part of a sentence. */
  | { readonly wrong: string };

export function replyOf(body: string, form: number): Reply {
  const json = parseJsonText(body);
  if (!json) return { wrong: 'its answer is not JSON' };
  const value = cleaned(json.value);
  if (value === '') return 'nothing';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { wrong: 'its answer is no JSON object' };
  }
  const { response_not_required, response_string, content, text, widget_content } = value as Record<string, unknown>;
  if (response_not_required === true) return 'nothing';
  const said = form === SLACK ? text : (content ?? response_string);
  if (said === undefined || said === null || said === '') return 'nothing';
  if (typeof said !== 'string') return { wrong: 'what its answer says is not text' };
  if (widget_content === undefined || widget_content === null) return { say: said, widget: null };
  return { say: said, widget: typeof widget_content === 'string' ? widget_content : JSON.stringify(widget_content) };
}
