import { effect } from '@preact/signals';
import { loadPush } from '../client/index.js';
import type { Events } from '../contract/index.js';
import { type Conversation, type Core, conversationKey, conversationNarrow, conversationOf } from '../core/index.js';
import { toast } from '../kit/index.js';
import { t } from '../text/index.js';
import { plainText } from './decide.js';

const ASKED = 'notifications-asked';

/** Notifications of this page by conversation, with their messages. */
const shown = new Map<string, { readonly message: number; readonly notification: Notification }>();
/** Notifications of the service worker may be on screen. */
let throughWorker = false;

const isSupported = (): boolean => 'Notification' in window;

/** Asks once, when there is something to notify of; browsers want a press before their own question. */
function offer(): void {
  try {
    if (localStorage.getItem(ASKED)) return;
    localStorage.setItem(ASKED, '1');
  } catch {
    return;
  }
  const ask = () => void Notification.requestPermission();
  toast({ text: t('notify.offer'), action: { label: t('notify.turn-on'), run: ask } });
}

function titleOf(core: Core, sender: string, of: Conversation): string {
  if ('stream' in of) return `${sender} · #${core.state.streams.nameOf(of.stream)} › ${of.topic}`;
  if (of.users.length === 1) return sender;
  return t('notify.group', { name: sender, n: of.users.length - 1 });
}

/** A picture of this server; others are not asked. */
function iconOf(core: Core, sender: number): { icon: string } | undefined {
  const src = core.state.people.byId.peek().get(sender)?.avatar_url;
  return src && new URL(src, location.href).origin === location.origin ? { icon: src } : undefined;
}

/**
 * Shows a message outside of the page. Where this browser is subscribed to pushes, the service worker shows it under
 * the tag of the push, so that a message is shown once.
 */
export async function showNotification(core: Core, { message }: Events['message']): Promise<void> {
  if (!isSupported()) return;
  if (Notification.permission === 'default') offer();
  if (Notification.permission !== 'granted') return;
  const { state } = core;
  const of = conversationOf(message, state.me.userId.peek());
  const hidden = 'users' in of && !state.me.settings.peek().pm_content_in_desktop_notifications;
  const key = conversationKey(of);
  const body = hidden ? t('notify.hidden') : plainText(message.content);
  const options = { body, tag: key, silent: true, ...iconOf(core, message.sender_id) };
  const worker = await (await loadPush()).pushRegistration();
  if (worker) {
    throughWorker = true;
    const hash = core.router.hash({ view: 'narrow', narrow: conversationNarrow(of), near: message.id });
    const data = { message: message.id, hash };
    await worker.showNotification(titleOf(core, message.sender_full_name, of), { ...options, data });
    return;
  }
  let notification: Notification;
  try {
    notification = new Notification(titleOf(core, message.sender_full_name, of), options);
  } catch {
    // Browsers of phones show notifications of service workers only.
    return;
  }
  notification.onclick = () => {
    window.focus();
    core.router.go({ view: 'narrow', narrow: conversationNarrow(of), near: message.id });
    notification.close();
  };
  notification.onclose = () => {
    if (shown.get(key)?.notification === notification) shown.delete(key);
  };
  shown.set(key, { message: message.id, notification });
}

async function closeOfWorker(core: Core): Promise<void> {
  const worker = await (await loadPush()).pushRegistration();
  for (const notification of (await worker?.getNotifications()) ?? []) {
    const { message } = (notification.data ?? {}) as { readonly message?: number };
    if (message !== undefined && !core.state.unread.has(message)) notification.close();
  }
}

/** Closes notifications whose messages were read. */
export function closeWhenRead(core: Core): void {
  effect(() => {
    core.state.unread.version.value;
    for (const { message, notification } of shown.values()) {
      if (!core.state.unread.has(message)) notification.close();
    }
    if (throughWorker) void closeOfWorker(core);
  });
}
