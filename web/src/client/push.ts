/**
 * Push notifications of this browser. The subscription belongs to the session: the server ends it with the session, and
 * `renewPush` begins it again when the same account signs in here once more.
 */
import { type Core, ServerUnreachable } from '../core/index.js';

/**
 * unsupported: the browser has no push, or the address is not secure. off-here: the server doesn't push. failed: the
 * browser's push service gave no subscription.
 */
export type PushState = 'unsupported' | 'off-here' | 'denied' | 'off' | 'failed' | 'on';

/** Key of the account for which this browser was subscribed. */
const PUSH_ACCOUNT_STORE_KEY = 'push-account';

interface ServerPushState {
  /** Public key of the server, base64url; null: push notifications are off. */
  readonly key: string | null;
  readonly subscribed: boolean;
}

const fetchServerPushState = (core: Core): Promise<ServerPushState> => core.api.callOutsideApi('GET', '/web/push');

const isPushSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

const findWorkerRegistration = async (): Promise<ServiceWorkerRegistration | undefined> =>
  isPushSupported() ? navigator.serviceWorker.getRegistration('/') : undefined;

const decodeBase64Url = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

const usesServerKey = ({ options }: PushSubscription, key: string): boolean => {
  const own = options.applicationServerKey;
  return own !== null && new Uint8Array(own).join() === decodeBase64Url(key).join();
};

export async function readPushState(core: Core): Promise<PushState> {
  const registration = await findWorkerRegistration();
  if (!registration) return 'unsupported';
  const { key, subscribed } = await fetchServerPushState(core);
  if (key === null) return 'off-here';
  if (Notification.permission === 'denied') return 'denied';
  const subscription = await registration.pushManager.getSubscription();
  return subscription && subscribed && usesServerKey(subscription, key) ? 'on' : 'off';
}

async function subscribeBrowserAndServer(
  core: Core,
  registration: ServiceWorkerRegistration,
  key: string,
): Promise<void> {
  const before = await registration.pushManager.getSubscription();
  // A worker can't have subscriptions with two keys.
  if (before && !usesServerKey(before, key)) await before.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: decodeBase64Url(key) };
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await core.api.callOutsideApi('POST', '/web/push', { endpoint: endpoint ?? '', p256dh, auth });
  localStorage.setItem(PUSH_ACCOUNT_STORE_KEY, String(core.state.me.id));
}

/** Asks for the permission, which browsers allow only after a press, and subscribes. */
export async function turnPushOn(core: Core): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return readPushState(core);
  const registration = await findWorkerRegistration();
  const { key } = await fetchServerPushState(core);
  try {
    if (registration && key !== null) await subscribeBrowserAndServer(core, registration, key);
  } catch (error) {
    if (error instanceof DOMException) return 'failed';
    throw error;
  }
  return readPushState(core);
}

export async function turnPushOff(core: Core): Promise<PushState> {
  localStorage.removeItem(PUSH_ACCOUNT_STORE_KEY);
  await core.api.callOutsideApi('DELETE', '/web/push');
  await (await (await findWorkerRegistration())?.pushManager.getSubscription())?.unsubscribe();
  return readPushState(core);
}

/**
 * Subscribes again after a new sign-in or with a new key of the server, if the user had turned push on. A subscription
 * of another account ends: its session may still be alive, and its messages would be shown to this one's user.
 */
export async function renewPush(core: Core): Promise<void> {
  try {
    if (!isPushSupported() || Notification.permission !== 'granted') return;
    const registration = await navigator.serviceWorker.ready;
    const subscription = await registration.pushManager.getSubscription();
    if (localStorage.getItem(PUSH_ACCOUNT_STORE_KEY) !== String(core.state.me.id)) {
      await subscription?.unsubscribe();
      return;
    }
    const { key, subscribed } = await fetchServerPushState(core);
    if (key === null || (subscribed && subscription && usesServerKey(subscription, key))) return;
    await subscribeBrowserAndServer(core, registration, key);
  } catch (error) {
    // The next start of the page tries again.
    if (!(error instanceof ServerUnreachable || error instanceof DOMException)) throw error;
  }
}

/** The worker through which notifications are shown, where this browser is subscribed to pushes. */
export async function findSubscribedWorkerRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await findWorkerRegistration();
  return (await registration?.pushManager.getSubscription()) ? registration : undefined;
}
