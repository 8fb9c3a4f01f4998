/** Settings of a frontend, with their defaults. */
import type { Metrics } from '#base/metrics';
import type { ImageProxy } from '#frontend/image-proxy';
import type { ClientAddressResolver } from '#frontend/limits';
import type { IdentityProviders, TokenKeys } from '#frontend/single-sign-on';
import type { CallLimiter } from './call-limiter.js';
import type { HttpExchange } from './server.js';

export interface FrontendOptions {
  /** Prefix of request ids; unique among all frontends that ever ran in the cluster. */
  readonly instance: string;
  /** Milliseconds that a request may wait until it is answered 503; waiting polls have no deadline. Default 30 s. */
  readonly deadlineMs?: number;
  /** Scheme of the address that clients use; a proxy may terminate TLS. Default 'http'. */
  readonly scheme?: 'http' | 'https';
  /** Host (and port) in addresses given to clients that sent no usable Host header. Default 'localhost'. */
  readonly externalHost?: string;
  /** Browsers may sign in and have sessions. Default false. */
  readonly sessions?: boolean;
  /** Proxies that tell by X-Forwarded-Proto whether a browser uses TLS. Default: none. */
  readonly proxies?: ClientAddressResolver;
  /** Streams may be opened to the web, and be read without credentials. Default false. */
  readonly webPublicStreams?: boolean;
  /** Proxy for pictures of other hosts. Default: such pictures are not served. */
  readonly imageProxy?: ImageProxy;
  /** Providers of identities. Default: none. */
  readonly identityProviders?: IdentityProviders | undefined;
  /** Keys of the services that sign tokens, by subdomain. Default: none. */
  readonly tokenKeys?: TokenKeys;
  /** Address of the server's administrators. Default: admin@ the external host. */
  readonly administratorEmail?: string | undefined;
  /** Maximum of bytes of a body without files; operations have smaller bounds of their own. Default: only those. */
  readonly maxBodyBytes?: number;
  /** Maximum size of an uploaded file, MiB. Default 25. */
  readonly maxFileMib?: number;
  /** Maximum of memory for uploads in progress, MiB. Default 256. */
  readonly uploadMemoryMib?: number;
  /** Maximum of requests in progress, waiting polls apart; further ones are answered 503. Default: any number. */
  readonly maxRequests?: number;
  /** A waiting poll without events gets a heartbeat after this time plus up to a fifth. Default 45 s. */
  readonly heartbeatMs?: number;
  /** Returns a random number from 0 to 1. Default Math.random. */
  readonly random?: () => number;
  /** Maximum of waiting polls; further ones are answered 503. Default: any number. */
  readonly maxPolls?: number;
  /** Number of requests that the HTTP server has not answered, waiting polls among them. */
  readonly underWay?: () => number;
  /** Rate limits of calls. Default: none. */
  readonly rates?: CallLimiter | undefined;
  /** Large answers are compressed for clients that accept gzip. Default false. */
  readonly compression?: boolean;
  readonly metrics?: Metrics;
  /** Writes a log line at debug level for every request. Default false. */
  readonly logRequests?: boolean;
  /** Answers requests for paths outside the API. False: the path is unknown here, too. */
  readonly elsewhere?: (exchange: HttpExchange) => boolean;
}
