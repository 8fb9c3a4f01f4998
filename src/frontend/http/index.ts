export { CallLimiter } from './call-limiter.js';
export { API_PREFIX, Frontend } from './frontend.js';
export { chooseFactory, openServer, type ServerChoice } from './open-server.js';
export type { FrontendOptions } from './options.js';
export {
  type Handler,
  Headers,
  type HttpExchange,
  type HttpServer,
  type HttpServerFactory,
  type ListenOptions,
} from './server.js';
export type { AnonymousCaller, Caller, ForwardContext, ForwardHandle, FrontendServices, Log } from './services.js';
export { SLOW_LIMITS, SlowClientGuard } from './slow-client-guard.js';
