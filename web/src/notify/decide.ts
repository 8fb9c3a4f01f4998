/** Whether a message deserves attention, by the settings of the user and of the stream. Without the DOM. */
import type { Events } from '../contract/index.js';
import { conversationOf, type State } from '../core/index.js';

export interface Notice {
  readonly desktop: boolean;
  readonly sound: boolean;
}

const SILENT: Notice = { desktop: false, sound: false };

export function noticeOf({ message, flags }: Events['message'], state: State): Notice {
  const { me, muting, streams } = state;
  const settings = me.settings.value;
  if (flags.includes('read') || message.sender_id === me.id || muting.users.value.has(message.sender_id)) return SILENT;
  const personal: Notice = { desktop: settings.enable_desktop_notifications, sound: settings.enable_sounds };
  const of = conversationOf(message, me.id);
  if ('users' in of || flags.includes('mentioned')) return personal;
  if (muting.isMuted(of.stream, of.topic)) return SILENT;
  const stream = streams.byId.value.get(of.stream);
  const wildcards = stream?.wildcard_mentions_notify ?? settings.wildcard_mentions_notify;
  if ((flags.includes('wildcard_mentioned') && wildcards) || flags.includes('has_alert_word')) return personal;
  return {
    desktop: stream?.desktop_notifications ?? settings.enable_stream_desktop_notifications,
    sound: stream?.audible_notifications ?? settings.enable_stream_audible_notifications,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };
const MAX_TEXT = 240;

/** The text of a rendered message on one line. A spoiler ends it: its content is not for passers-by. */
export function plainText(html: string): string {
  const open = html.split('<div class="spoiler-content', 1)[0] ?? '';
  const text = open
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(\w+|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}
