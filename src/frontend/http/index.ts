/**
 * Folder http turns HTTP requests into calls of operations, and their outcomes into HTTP responses.
 *
 * The way of a request, in the order of the steps in `pipeline.ts`:
 *
 *     server-uws | server-node -> exchange -> pipeline:
 *       route          route.ts              operations of the path; 404, OPTIONS
 *       limit          pipeline.ts           503 while too many requests are in progress
 *       body           form.ts               form-urlencoded.ts, form-multipart.ts
 *       operation      pipeline.ts           by the method; 405
 *       authenticate   authenticate.ts       account or organization; cached by header or session (browser.ts)
 *       rate           call-limiter.ts       counts in folder limits
 *       guard          guard.ts              roles
 *       resume         parked-polls.ts       the client's next poll continues the parked one
 *       parameters     parameters.ts         decoded and validated values
 *       run            operation-call.ts     the operation decides (folder api)
 *       forward        actor-forwarder.ts    a command to an actor; a poll is parked
 *       reply          response-sender.ts    reply.ts, compression.ts
 *
 * `inbound-request.ts` is the request on its way; a request that has to wait also has a RequestLifetime (deadline,
 * disconnect). A waiting poll is a ParkedPoll in `parked-polls.ts`.
 *
 * Invariants: no step waits while its values are at hand, and the synchronous path makes no promise or closure. A
 * request is answered once. The folder names no actor kind and never touches the Store; everything comes through
 * FrontendServices (`services.ts`), which folder gateway implements. Importers: `app` and `frontend/gateway`.
 */
export { ApiCallRateLimiter } from './call-limiter.js';
export { HttpFrontend } from './frontend.js';
export { chooseHttpServerFactory, closeWithinTimeLimit, openHttpServer } from './open-server.js';
export type { FrontendOptions } from './options.js';
export {
  type HttpExchange,
  type HttpListenOptions,
  type HttpRequestHandler,
  type HttpServer,
  ResponseHeaders,
} from './server.js';
export type {
  AnonymousCaller,
  AuthenticatedCaller,
  ForwardedCommandContext,
  ForwardedCommandHandle,
  FrontendServices,
} from './services.js';
export { DEFAULT_SLOW_CLIENT_LIMITS, SlowClientGuard } from './slow-client-guard.js';
