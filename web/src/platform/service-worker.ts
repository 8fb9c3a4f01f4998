/** Trusted Types require a policy for the address of a worker; the page's Content-Security-Policy allows this one. */
interface TrustedTypesFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string & URL;
  };
}

const WORKER_ADDRESS = '/service-worker.js';

/** Only Chromium reports whether the reader wants to save data. */
interface NetworkNavigator {
  readonly connection?: { readonly saveData?: boolean };
}

/** Message to the service worker, which has the same text (web/worker/worker.ts). */
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
    // The page works without it, but only with a network.
  }
}

/**
 * Asks the service worker to cache the scripts of menus, dialogs and other views, so that they open without a network.
 * Does nothing if the reader wants to save data. A worker that takes over later, such as one of a newer version, is
 * asked at that time.
 */
export function keepScriptsForOffline(): void {
  if (!('serviceWorker' in navigator) || (navigator as NetworkNavigator).connection?.saveData) return;
  const { serviceWorker } = navigator;
  const ask = () => serviceWorker.controller?.postMessage(KEEP_SCRIPTS_MESSAGE);
  serviceWorker.addEventListener('controllerchange', ask);
  ask();
}
