/**
 * Folder web serves the web client: the page, its files, and the cookie of a session.
 *
 * - `manifest.ts` reads the files that `tools/build-web.mjs` made, compressed forms included, into memory once.
 * - `own-files.ts` makes the files at fixed addresses: favicon, icons, robots.txt, the description for installing.
 * - `serving.ts` chooses the answer to a request: the coding that the browser accepts, or 304.
 * - `headers.ts`: caching, and the policy by which the page loads and runs nothing but files of this server.
 * - `session-cookie.ts` writes and reads the cookie; `client-name.ts` names the browser in the list of sessions.
 *
 * The operations of sessions are in `frontend/api` (operations/web), the check of a cookie is in `frontend/http`
 * (authenticate.ts, browser.ts), and sessions live in the directory (actors/realm, commands/accounts/sessions.ts).
 *
 * Invariants: a file is found by its exact path in the manifest, never by a path that a client composes. Only the hash
 * of a session's secret leaves this process. No API key is sent to the page unasked: queues that a session registers
 * carry no keys of bots (`withoutBotSecrets`, model/commands/event-queue.ts), and the page asks for one to show it.
 * Importers: `frontend/api`, `frontend/http` and `app/server`.
 */
export { browserAndSystemNameOfUserAgent } from './client-name.js';
export type { WebFileHeaders } from './headers.js';
export { readWebClientFiles, type WebClientFiles } from './manifest.js';
export { findWebFileAnswer, type WebFileAnswer } from './serving.js';
export {
  hasSessionCookie,
  isWellFormedSignInToken,
  makeExpiredSessionCookie,
  makeSessionCookie,
  type SessionCookieScope,
  sessionTokenOfCookieHeader,
} from './session-cookie.js';
