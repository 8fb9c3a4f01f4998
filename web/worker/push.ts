/**
 * Pushes: a push shows a notification, a press on it brings up the conversation, and a later push takes away what was
 * read elsewhere. src/domain/push/payload.ts writes what arrives here.
 *
 * A page with the focus notifies by itself, so a push then shows nothing. The tag is the one of the page's own
 * notifications (web/src/notify/desktop.ts): a browser shows one notification per conversation, by the
 * page or by a push.
 */
import { notifyTexts as german } from '../src/text/de/notify.js';
import { notifyTexts as english } from '../src/text/en/notify.js';

declare const self: ServiceWorkerGlobalScope;

interface MessagePush {
  readonly event: 'message';
  readonly message: number;
  readonly tag: string;
  /** Address of the message within the client. */
  readonly hash: string;
  readonly sender: string;
  /** Direct messages: number of participants besides the sender and the reader. */
  readonly others?: number;
  readonly stream?: string;
  readonly topic?: string;
  /** null: the text is not for notifications. */
  readonly text: string | null;
  /** Language of the reader. */
  readonly language: string;
}

interface RemovePush {
  readonly event: 'remove';
  readonly messages: readonly number[];
}

/** Data of a notification of this client; the page's own ones have the same. */
interface Shown {
  readonly message: number;
  readonly hash: string;
}

const ICON = '/web/icon-192.png';

const textsIn = (language: string) => (language.startsWith('de') ? german : english);

function titleOf({ sender, others = 0, stream, topic, language }: MessagePush): string {
  if (stream !== undefined) return `${sender} · #${stream} › ${topic}`;
  if (others === 0) return sender;
  const forms = textsIn(language)['notify.group'];
  const form = new Intl.PluralRules(language).select(others) === 'one' ? forms.one : forms.other;
  return (form ?? forms.other).replace('{name}', sender).replace('{n}', String(others));
}

const pages = (): Promise<readonly WindowClient[]> =>
  self.clients.matchAll({ type: 'window', includeUncontrolled: true });

async function show(push: MessagePush): Promise<void> {
  if ((await pages()).some(({ focused }) => focused)) return;
  const { tag, text, stream, language, message, hash } = push;
  const texts = textsIn(language);
  const hidden = texts[stream === undefined ? 'notify.hidden' : 'notify.hidden-stream'];
  const data: Shown = { message, hash };
  await self.registration.showNotification(titleOf(push), { body: text ?? hidden, tag, icon: ICON, data });
}

async function takeAway({ messages }: RemovePush): Promise<void> {
  for (const notification of await self.registration.getNotifications()) {
    const { message } = (notification.data ?? {}) as Partial<Shown>;
    if (message !== undefined && messages.includes(message)) notification.close();
  }
}

/** Goes to the conversation in a page that is open, else in a new one. */
async function open({ hash }: Shown): Promise<void> {
  const [page] = await pages();
  if (!page) {
    await self.clients.openWindow(`/${hash}`);
    return;
  }
  page.postMessage({ open: hash });
  await page.focus();
}

/** The push service has replaced the subscription: the server gets the new one. */
async function subscribeAgain(before: PushSubscription | null): Promise<void> {
  if (!before) return;
  const { applicationServerKey } = before.options;
  const subscription = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = subscription.toJSON();
  await fetch('/web/push', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'X-Conclave-Web': '1' },
    body: new URLSearchParams({ endpoint: endpoint ?? '', p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' }),
  });
}

/** Properties of the event that the library of types doesn't know. */
interface SubscriptionChange extends ExtendableEvent {
  readonly oldSubscription?: PushSubscription | null;
}

export function listenToPushes(): void {
  self.addEventListener('push', (event) => {
    const push = event.data?.json() as MessagePush | RemovePush | undefined;
    if (push) event.waitUntil(push.event === 'remove' ? takeAway(push) : show(push));
  });
  self.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(open(event.notification.data as Shown));
  });
  self.addEventListener('pushsubscriptionchange', (event) => {
    const change = event as SubscriptionChange;
    change.waitUntil(subscribeAgain(change.oldSubscription ?? null));
  });
}
