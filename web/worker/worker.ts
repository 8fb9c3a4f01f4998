/**
 * Service worker: the page and its files come up without a network. Messages are the core's concern, which keeps what
 * was read in IndexedDB (web/src/core/offline.ts); no answer of the API and no file of a user is kept here.
 *
 *     page    network first, then the copy of the last time
 *     assets  the copy first: their names change with their content; lazy chunks are kept when they first come, and
 *             all of them when a page that shows its view says so (web/src/platform/service-worker.ts)
 *     others  left to the browser; requests of the API don't even reach this worker where the browser has routes
 *     pushes  shown as notifications (push.ts)
 *
 * tools/build-web.mjs bundles it to /service-worker.js and fills in the files of the first view. A new version takes
 * over at once and drops what no page of its version asked for.
 */
import { listenToPushes } from './push.js';

/** The library types it as the scope of any worker. */
declare const self: ServiceWorkerGlobalScope;
declare const SHELL_FILES: readonly string[];
declare const LATER_SCRIPTS: readonly string[];
declare const SHELL_VERSION: string;

const PAGE = '/';
const ASSETS = '/web/assets/';
const FIXED: readonly string[] = ['/favicon.ico', '/site.webmanifest', '/web/icon-192.png', '/web/icon-512.png'];
/** Statuses of a server that is away, as core/api.ts has them. */
const UNREACHABLE: readonly number[] = [502, 503, 504];
const KEEP_SCRIPTS_MESSAGE = 'keep-scripts';
const PREFIX = 'shell-';
const NAME = `${PREFIX}${SHELL_VERSION}`;

/** Installation with static routes, which Chromium has since version 123. The library does not know them. */
interface RoutedInstallEvent extends ExtendableEvent {
  addRoutes?(rule: { readonly condition: { readonly urlPattern: string }; readonly source: 'network' }): Promise<void>;
}

/**
 * Sends requests of the API straight to the network. Otherwise each message sent and each poll would first wait for
 * this worker, which the browser stops after 30 s without work and would have to start again.
 */
async function routeApiPastWorker(event: RoutedInstallEvent): Promise<void> {
  await event.addRoutes?.({ condition: { urlPattern: '/api/*' }, source: 'network' });
}

async function install(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll([PAGE, ...SHELL_FILES]);
  await self.skipWaiting();
}

async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)),
  );
  await self.clients.claim();
}

async function keep(key: string, answer: Response): Promise<Response> {
  if (answer.ok && answer.type === 'basic') await (await caches.open(NAME)).put(key, answer.clone());
  return answer;
}

/** The copy also stands in for a proxy that can't reach the server. */
async function networkFirst(request: Request, key: string): Promise<Response> {
  let answer = Response.error();
  try {
    answer = await fetch(request);
    if (!UNREACHABLE.includes(answer.status)) return await keep(key, answer);
  } catch {
    // A network error, which the page gets unless there is a copy.
  }
  return (await caches.match(key)) ?? answer;
}

async function copyFirst(request: Request, key: string): Promise<Response> {
  return (await caches.match(key)) ?? keep(key, await fetch(request));
}

/** One after the other, so that the page's own requests don't wait. One that is missing comes when it is used. */
async function keepScripts(): Promise<void> {
  const cache = await caches.open(NAME);
  for (const address of LATER_SCRIPTS) if (!(await cache.match(address))) await cache.add(address).catch(() => {});
}

self.addEventListener('install', (event) => {
  event.waitUntil(install());
  // Without routes the worker leaves these requests to the browser.
  void routeApiPastWorker(event).catch(() => {});
});
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (pathname === PAGE && request.mode === 'navigate') event.respondWith(networkFirst(request, PAGE));
  else if (pathname.startsWith(ASSETS)) event.respondWith(copyFirst(request, pathname));
  else if (FIXED.includes(pathname)) event.respondWith(networkFirst(request, pathname));
});
self.addEventListener('message', (event) => {
  if (event.data === KEEP_SCRIPTS_MESSAGE) event.waitUntil(keepScripts());
});
listenToPushes();
