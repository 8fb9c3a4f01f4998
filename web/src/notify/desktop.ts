import { effect } from '@preact/signals';
import { loadPushModule } from '../client/index.js';
import type { Events } from '../contract/index.js';
import {
  type Conversation,
  type Core,
  getMessageConversation,
  makeConversationKey,
  makeConversationNarrow,
} from '../core/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';
import { extractNotificationText, makeNotificationTag } from './decide.js';

const NOTIFICATIONS_OFFERED_STORE_KEY = 'notifications-asked';

/** Notifications of this page by conversation, with their messages. */
const pageNotificationByConversation = new Map<
  string,
  { readonly message: number; readonly notification: Notification }
>();
/** Whether the service worker may have shown notifications. */
let hasShownThroughWorker = false;

const isNotificationSupported = (): boolean => 'Notification' in window;

/**
 * Offers notifications once, when there is a message to notify of. Browsers show their own question only after a press.
 */
function offerNotificationsOnce(): void {
  try {
    if (localStorage.getItem(NOTIFICATIONS_OFFERED_STORE_KEY)) return;
    localStorage.setItem(NOTIFICATIONS_OFFERED_STORE_KEY, '1');
  } catch {
    return;
  }
  const ask = () => void Notification.requestPermission();
  showToast({ text: t('notify.offer'), action: { label: t('notify.turn-on'), run: ask } });
}

function formatNotificationTitle(core: Core, sender: string, of: Conversation): string {
  if ('stream' in of) return `${sender} · #${core.state.streams.getStreamName(of.stream)} › ${of.topic}`;
  if (of.users.length === 1) return sender;
  return t('notify.group', { name: sender, n: of.users.length - 1 });
}

/** A picture of this server only. */
function pickNotificationIcon(core: Core, sender: number): { icon: string } | undefined {
  const src = core.state.people.byId.peek().get(sender)?.avatar_url;
  return src && new URL(src, location.href).origin === location.origin ? { icon: src } : undefined;
}

/**
 * Shows a message outside of the page. Where this browser is subscribed to pushes, the service worker shows it under
 * the tag of the push, so that a message is shown once.
 */
export async function showMessageNotification(core: Core, { message }: Events['message']): Promise<void> {
  if (!isNotificationSupported()) return;
  if (Notification.permission === 'default') offerNotificationsOnce();
  if (Notification.permission !== 'granted') return;
  const { state } = core;
  const of = getMessageConversation(message, state.me.userIdSignal.peek());
  const hidden = 'users' in of && !state.me.settings.peek().pm_content_in_desktop_notifications;
  const key = makeConversationKey(of);
  const body = hidden ? t('notify.hidden') : extractNotificationText(message.content);
  const tag = makeNotificationTag(of, message.recipient_id);
  const options = { body, tag, silent: true, ...pickNotificationIcon(core, message.sender_id) };
  const worker = await (await loadPushModule()).findSubscribedWorkerRegistration();
  if (worker) {
    hasShownThroughWorker = true;
    const hash = core.router.formatHash({ view: 'narrow', narrow: makeConversationNarrow(of), near: message.id });
    const data = { message: message.id, hash };
    await worker.showNotification(formatNotificationTitle(core, message.sender_full_name, of), { ...options, data });
    return;
  }
  let notification: Notification;
  try {
    notification = new Notification(formatNotificationTitle(core, message.sender_full_name, of), options);
  } catch {
    // On phones, only service workers can show notifications.
    return;
  }
  notification.onclick = () => {
    window.focus();
    core.router.navigate({ view: 'narrow', narrow: makeConversationNarrow(of), near: message.id });
    notification.close();
  };
  notification.onclose = () => {
    if (pageNotificationByConversation.get(key)?.notification === notification)
      pageNotificationByConversation.delete(key);
  };
  pageNotificationByConversation.set(key, { message: message.id, notification });
}

/** Whether a notification may stay: its message is unread, and its reader is signed in. */
const mayStay = ({ session, state }: Core, message: number): boolean =>
  session.state.peek() === 'signed-in' && state.unread.isUnread(message);

async function closeOutdatedWorkerNotifications(core: Core): Promise<void> {
  const worker = await (await loadPushModule()).findSubscribedWorkerRegistration();
  for (const notification of (await worker?.getNotifications()) ?? []) {
    const { message } = (notification.data ?? {}) as { readonly message?: number };
    if (message !== undefined && !mayStay(core, message)) notification.close();
  }
}

/** Closes notifications whose messages were read, and all of them when the session ends. */
export function startClosingOutdatedNotifications(core: Core): void {
  effect(() => {
    core.state.unread.changeVersion.value;
    const isSignedIn = core.session.state.value === 'signed-in';
    for (const { message, notification } of pageNotificationByConversation.values()) {
      if (!mayStay(core, message)) notification.close();
    }
    // Pushes may have shown notifications while no page was open.
    if (hasShownThroughWorker || !isSignedIn) void closeOutdatedWorkerNotifications(core);
  });
}
