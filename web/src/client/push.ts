/**
 * Push notifications of this browser. The subscription belongs to the session: the server ends it with the session, and
 * `keepPush` begins it again when the same account signs in here once more.
 */
import { type Core, Unreachable } from '../core/index.js';

/**
 * unsupported: the browser has no push, or the address is not secure. off-here: the server doesn't push. failed: the
 * browser's push service gave no subscription.
 */
export type PushState = 'unsupported' | 'off-here' | 'denied' | 'off' | 'failed' | 'on';

/** The account for which this browser was subscribed. */
const ACCOUNT = 'push-account';

interface ServerPush {
  /** Public key of the server, base64url; null: push notifications are off. */
  readonly key: string | null;
  readonly subscribed: boolean;
}

const askServer = (core: Core): Promise<ServerPush> => core.api.web('GET', '/web/push');

const isSupported = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

const ready = async (): Promise<ServiceWorkerRegistration | undefined> =>
  isSupported() ? navigator.serviceWorker.getRegistration('/') : undefined;

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

const hasKey = ({ options }: PushSubscription, key: string): boolean => {
  const own = options.applicationServerKey;
  return own !== null && new Uint8Array(own).join() === bytesOf(key).join();
};

export async function readPushState(core: Core): Promise<PushState> {
  const registration = await ready();
  if (!registration) return 'unsupported';
  const { key, subscribed } = await askServer(core);
  if (key === null) return 'off-here';
  if (Notification.permission === 'denied') return 'denied';
  const subscription = await registration.pushManager.getSubscription();
  return subscription && subscribed && hasKey(subscription, key) ? 'on' : 'off';
}

async function handOver(core: Core, registration: ServiceWorkerRegistration, key: string): Promise<void> {
  const before = await registration.pushManager.getSubscription();
  // A browser refuses a second key for the same worker.
  if (before && !hasKey(before, key)) await before.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: bytesOf(key) };
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await core.api.web('POST', '/web/push', { endpoint: endpoint ?? '', p256dh, auth });
  localStorage.setItem(ACCOUNT, String(core.state.me.id));
}

/** Asks for the permission, which browsers allow in answer to a press only, and subscribes. */
export async function turnPushOn(core: Core): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return readPushState(core);
  const registration = await ready();
  const { key } = await askServer(core);
  try {
    if (registration && key !== null) await handOver(core, registration, key);
  } catch (error) {
    if (error instanceof DOMException) return 'failed';
    throw error;
  }
  return readPushState(core);
}

export async function turnPushOff(core: Core): Promise<PushState> {
  localStorage.removeItem(ACCOUNT);
  await core.api.web('DELETE', '/web/push');
  await (await (await ready())?.pushManager.getSubscription())?.unsubscribe();
  return readPushState(core);
}

/** Subscribes again where the user had turned push on: after a new sign-in, or with a new key of the server. */
export async function keepPush(core: Core): Promise<void> {
  try {
    if (!isSupported() || Notification.permission !== 'granted') return;
    if (localStorage.getItem(ACCOUNT) !== String(core.state.me.id)) return;
    const registration = await navigator.serviceWorker.ready;
    const { key, subscribed } = await askServer(core);
    const subscription = await registration.pushManager.getSubscription();
    if (key === null || (subscribed && subscription && hasKey(subscription, key))) return;
    await handOver(core, registration, key);
  } catch (error) {
    // The next start of the page tries again.
    if (!(error instanceof Unreachable || error instanceof DOMException)) throw error;
  }
}

/** The worker through which notifications are shown, where this browser is subscribed to pushes. */
export async function pushRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await ready();
  return (await registration?.pushManager.getSubscription()) ? registration : undefined;
}
