export { clientName, isHumanClient } from './client-name.js';
export { API_PREFIX, Frontend, type FrontendOptions } from './frontend.js';
export { chooseFactory, openServer, type ServerChoice } from './open-server.js';
export type { Handler, HttpExchange, HttpServer, HttpServerFactory, ListenOptions } from './server.js';
export { Headers } from './server.js';
export type { AnonymousCaller, Caller, ForwardContext, Forwarding, FrontendServices, Log } from './services.js';
