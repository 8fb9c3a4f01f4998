/**
 * The browser as the core's `Platform`: fetch and uploads, IndexedDB, tabs (BroadcastChannel and Web Locks), address,
 * network and visibility. `makeBrowserPlatform()` makes it, once per page. `installServiceWorker()` installs the
 * service worker (web/worker) that brings the page up without a network.
 */
export { makeBrowserPlatform } from './browser.js';
export { installServiceWorker } from './service-worker.js';
