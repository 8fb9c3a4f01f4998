export { CallLimiter } from './call-limiter.js';
export { clientName, isHumanClient } from './client-name.js';
export { API_PREFIX, Frontend } from './frontend.js';
export { chooseFactory, openServer, type ServerChoice } from './open-server.js';
export type { FrontendOptions } from './options.js';
export type { Handler, HttpExchange, HttpServer, HttpServerFactory, ListenOptions } from './server.js';
export { Headers } from './server.js';
export type { AnonymousCaller, Caller, ForwardContext, ForwardHandle, FrontendServices, Log } from './services.js';
export { SLOW_LIMITS, SlowClientGuard } from './slow-client-guard.js';
