/** Trusted Types ask for a policy before a worker is named by its address; the page's policy allows this one. */
interface ScriptPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string & URL;
  };
}

const ADDRESS = '/service-worker.js';

const policies = (): ScriptPolicies | undefined =>
  'trustedTypes' in window ? (window.trustedTypes as ScriptPolicies) : undefined;

/**
 * Installs the service worker that brings the page up without a network. Browsers refuse it on addresses that are not
 * secure; the client works without it.
 */
export async function installWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const policy = policies()?.createPolicy('conclave', { createScriptURL: () => ADDRESS });
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL(ADDRESS) ?? ADDRESS, { scope: '/' });
  } catch {
    // The page works; it only needs the network to come up.
  }
}
