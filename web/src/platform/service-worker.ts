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
