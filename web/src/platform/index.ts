/**
 * The browser as the core's `Platform`: fetch and uploads, IndexedDB, tabs (BroadcastChannel and Web Locks), address,
 * network and visibility. `makeBrowserPlatform()` makes it, once per page. `installServiceWorker()` installs the
 * service worker (web/worker) that brings the page up without a network. `keepSessionHint(state)` lets the next page
 * register without checking the session first.
 */
export { makeBrowserPlatform } from './browser.js';
export { installServiceWorker, keepScriptsForOffline } from './service-worker.js';
export { keepSessionHint } from './session-hint.js';
