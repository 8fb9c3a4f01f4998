/** Trusted Types ask for a policy before a worker is named by its address; the page's policy allows this one. */
interface TrustedTypesFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string & URL;
  };
}

const WORKER_ADDRESS = '/service-worker.js';

/** Chromium alone tells of the reader's wish. */
interface NetworkNavigator {
  readonly connection?: { readonly saveData?: boolean };
}

/** The service worker knows it by the same text (web/worker/worker.ts). */
const KEEP_SCRIPTS_MESSAGE = 'keep-scripts';

const getTrustedTypes = (): TrustedTypesFactory | undefined =>
  'trustedTypes' in window ? (window.trustedTypes as TrustedTypesFactory) : undefined;

/**
 * Installs the service worker that brings the page up without a network. Browsers refuse it on addresses that are not
 * secure; the client works without it.
 */
export async function installServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const policy = getTrustedTypes()?.createPolicy('conclave', { createScriptURL: () => WORKER_ADDRESS });
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL(WORKER_ADDRESS) ?? WORKER_ADDRESS, { scope: '/' });
  } catch {
    // The page works; it only needs the network to come up.
  }
}

/**
 * Lets the service worker keep the scripts of menus, dialogs and other views, so that they open without a network; not
 * where the reader saves data. A worker that takes over later, such as one of a newer version, is asked then.
 */
export function keepScriptsForOffline(): void {
  if (!('serviceWorker' in navigator) || (navigator as NetworkNavigator).connection?.saveData) return;
  const { serviceWorker } = navigator;
  const ask = () => serviceWorker.controller?.postMessage(KEEP_SCRIPTS_MESSAGE);
  serviceWorker.addEventListener('controllerchange', ask);
  ask();
}
