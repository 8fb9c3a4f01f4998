import type { Metrics } from '#base/metrics';
import type { ImageProxy } from '#frontend/image-proxy';
import type { RateLimiting } from './rate-limiting.js';
import type { HttpExchange } from './server.js';

export interface FrontendOptions {
  /** Unique among all frontends that ever ran in the cluster: request ids begin with it. */
  readonly instance: string;
  /** Milliseconds from the request's arrival until 503; held polls have none. Default 30 s. */
  readonly deadlineMs?: number;
  /** Scheme of the address that clients use; a proxy may speak TLS for us. Default 'http'. */
  readonly scheme?: 'http' | 'https';
  /** Host (and port) in addresses given to clients that sent no usable Host header. Default 'localhost'. */
  readonly externalHost?: string;
  /** Streams may be opened to the web, and be read without credentials. Default false. */
  readonly webPublicStreams?: boolean;
  /** Default: no picture of other hosts is served. */
  readonly imageProxy?: ImageProxy;
  /** Of those who run the server. Default: admin@ the external host. */
  readonly administratorEmail?: string | undefined;
  /** Largest body without files; operations have bounds of their own below it. Default: only those. */
  readonly maxBodyBytes?: number;
  /** Largest uploaded file. Default 25. */
  readonly maxFileMib?: number;
  /** Memory for uploads under way. Default 256. */
  readonly uploadMemoryMib?: number;
  /** Requests under way that are answered as soon as can be; more are answered 503. Default: any number. */
  readonly maxRequests?: number;
  /** A held poll for which nothing comes is answered after so long, and up to a fifth more, where it may. Default 45 s. */
  readonly heartbeatMs?: number;
  /** 0 to 1. Default Math.random. */
  readonly random?: () => number;
  /** Held polls; more are answered 503. Default: any number. */
  readonly maxPolls?: number;
  /** Requests that the server has not got rid of, held polls among them. */
  readonly underWay?: () => number;
  /** Default: nothing is limited. */
  readonly rates?: RateLimiting | undefined;
  /** Large answers are compressed for clients that take them so. Default false. */
  readonly compression?: boolean;
  readonly metrics?: Metrics;
  /** A line at debug level for every request. Default false. */
  readonly logRequests?: boolean;
  /** Answers what is no operation; false: neither is this. */
  readonly elsewhere?: (exchange: HttpExchange) => boolean;
}
