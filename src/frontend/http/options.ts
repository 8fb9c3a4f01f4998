/** Settings of a frontend, with their defaults. */
import type { MetricsRegistry } from '#base/metrics';
import type { ClientApiLevels } from '#domain/levels';
import type { MessageRenderer } from '#domain/messages';
import type { BrowserPushSubscriptionRules } from '#frontend/api';
import type { ImageProxy } from '#frontend/image-proxy';
import type { ClientAddressResolver } from '#frontend/limits';
import type { IdentityProviders, JwtKeysBySubdomain } from '#frontend/single-sign-on';
import type { Thumbnails } from '#frontend/thumbnails';
import type { ApiCallRateLimiter } from './call-limiter.js';
import type { HttpExchange } from './server.js';

export interface FrontendOptions {
  /** Prefix of request ids; unique among all frontends that ever ran in the cluster. */
  readonly requestIdPrefix: string;
  /** Milliseconds after which a request that waits is answered 503; waiting polls have no deadline. Default 30 s. */
  readonly deadlineMs?: number;
  /** Scheme of the address that clients use; a proxy may terminate TLS. Default 'http'. */
  readonly scheme?: 'http' | 'https';
  /** Host (and port) in URLs for clients that sent no usable Host header. Default 'localhost'. */
  readonly externalHost?: string;
  /** True if browsers may sign in and have sessions. Default false. */
  readonly areSessionsAllowed?: boolean;
  /** Finds proxies whose X-Forwarded-Proto says whether a browser uses TLS. Default: no proxy is trusted. */
  readonly clientAddressResolver?: ClientAddressResolver;
  /** True if streams may be opened to the web and be read without credentials. Default false. */
  readonly webPublicStreams?: boolean;
  /** Renders short messages before they are sent to their actor. Default: none, and actors render all of them. */
  readonly messageRenderer?: MessageRenderer;
  /** Proxy for pictures of other hosts. Default: none, and such pictures are not served. */
  readonly imageProxy?: ImageProxy;
  /** Thumbnails of uploaded pictures. Default: none, and the pictures themselves are served. */
  readonly thumbnails?: Thumbnails;
  /** Browsers may subscribe to push notifications. Default: they may not. */
  readonly browserPush?: BrowserPushSubscriptionRules | undefined;
  /** Notifications are pushed to mobile devices. Default false. */
  readonly pushesToDevices?: boolean;
  /** Identity providers for single sign-on. Default: none. */
  readonly identityProviders?: IdentityProviders | undefined;
  /** Keys with which services of organizations sign tokens (JWT), by subdomain. Default: none. */
  readonly tokenKeys?: JwtKeysBySubdomain;
  /** E-mail address of the server's administrators. Default: admin@ the external host. */
  readonly administratorEmail?: string | undefined;
  /**
   * Maximum of bytes of a body without files, beside the smaller bounds of operations. Default: only the bounds of
   * operations.
   */
  readonly maxBodyBytes?: number;
  /** Maximum size of an uploaded file, MiB. Default 25. */
  readonly maxFileMib?: number;
  /** Maximum of memory for uploads in progress, MiB. Default 256. */
  readonly uploadMemoryMib?: number;
  /**
   * Maximum of requests that are processed at a time, not counting waiting polls; further requests are answered 503.
   * Default: unlimited.
   */
  readonly maxRequests?: number;
  /** Milliseconds after which a waiting poll without events gets a heartbeat; up to a fifth is added. Default 45 s. */
  readonly heartbeatMs?: number;
  /** Returns a random number from 0 to 1. Default Math.random. */
  readonly random?: () => number;
  /** Maximum of waiting polls; further polls are answered 503. Default: unlimited. */
  readonly maxWaitingPolls?: number;
  /** Returns `processedRequestCount` of the HTTP server, which includes waiting polls. */
  readonly countProcessedRequests?: () => number;
  /** Limiter that counts calls under the rate limits. Default: none. */
  readonly callRateLimiter?: ApiCallRateLimiter | undefined;
  /** Chooses the API level of each client. Default: all get the base level. */
  readonly apiLevels?: ClientApiLevels;
  /** True if large answers are compressed for clients that accept gzip. Default false. */
  readonly compressesAnswers?: boolean;
  readonly metrics?: MetricsRegistry;
  /** True if every request writes a log line at debug level. Default false. */
  readonly logRequests?: boolean;
  /**
   * Answers a request for a path outside the API, such as the web client's. Returns false if it knows no such path
   * either.
   */
  readonly handleOtherPath?: (exchange: HttpExchange) => boolean;
}
