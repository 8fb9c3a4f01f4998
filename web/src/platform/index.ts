/**
 * The browser as the core's `Platform`: fetch and uploads, IndexedDB, tabs (BroadcastChannel and Web Locks), address,
 * network and visibility. `browserPlatform()` makes it, once per page.
 */
export { browserPlatform } from './browser.js';
