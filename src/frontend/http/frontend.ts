/** Builds the pipeline of one frontend from its operations, services and options, and ends it. */
import type { Operation } from '#frontend/api';
import { ActorForwarder } from './actor-forwarder.js';
import { Authenticator } from './authenticate.js';
import { ResponseCompressor } from './compression.js';
import { bodyWithFile, UploadBudget } from './form.js';
import { DEFAULT_FILE_MIB } from './operation-call.js';
import type { FrontendOptions } from './options.js';
import { ParameterReader } from './parameters.js';
import { ParkedPolls } from './parked-polls.js';
import { Pipeline } from './pipeline.js';
import { RequestMetrics } from './request-metrics.js';
import { ResponseSender } from './response-sender.js';
import { type RoutedOperation, Router, segmentsOf } from './route.js';
import type { HttpExchange } from './server.js';
import type { FrontendServices } from './services.js';

export const API_PREFIX = '/api/v1';

const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_HEARTBEAT_MS = 45_000;
const DEFAULT_UPLOAD_MIB = 256;

export class Frontend {
  /** For HttpServer's `handler`. Never throws for what a client sends. */
  readonly handle: (exchange: HttpExchange) => void;
  readonly #forwarder: ActorForwarder;

  /** @throws Error for operations that clash, or whose parameters cannot be checked */
  constructor(operations: readonly Operation[], services: FrontendServices, options: FrontendOptions) {
    const { deadlineMs = DEFAULT_DEADLINE_MS, heartbeatMs = DEFAULT_HEARTBEAT_MS, random = Math.random } = options;
    const { maxPolls = Number.POSITIVE_INFINITY, uploadMemoryMib = DEFAULT_UPLOAD_MIB, rates, proxies } = options;
    const isProxy = proxies && !proxies.trustsNone ? (peer: string) => proxies.trusts(peer) : undefined;
    const metrics = new RequestMetrics(services.clock, services.log, options);
    const compressor = options.compression ? new ResponseCompressor(metrics.metrics, services.log) : undefined;
    const sender = new ResponseSender(services, metrics, deadlineMs, compressor);
    const parked = new ParkedPolls(services.clock, sender, { everyMs: heartbeatMs, random });
    const forwarder = new ActorForwarder(services, sender, parked, metrics, maxPolls);
    this.#forwarder = forwarder;
    services.onCredentialEnded((hash, kind) => forwarder.refuseCredential(hash, kind));
    metrics.metrics.read('conclave_http_held_polls', () => forwarder.pollCount);
    this.handle = new Pipeline({
      router: routerOf(operations),
      services,
      options,
      metrics,
      authenticator: new Authenticator(services, options.webPublicStreams ?? false),
      uploads: new UploadBudget(uploadMemoryMib * 1_048_576),
      maxUpload: bodyWithFile(options.maxFileMib ?? DEFAULT_FILE_MIB),
      headerPolicy: {
        readsForwarded: rates?.readsForwarded ?? false,
        compresses: compressor !== undefined,
        browsers: {
          sessions: options.sessions ?? false,
          https: options.scheme === 'https',
          port: /:\d+$/.exec(options.externalHost ?? '')?.[0] ?? '',
          isProxy,
        },
      },
      callServices: { options, services, send: (forward, call) => forwarder.send(forward, call) },
      forwarder,
      sender,
    }).handle;
  }

  /** Before shutdown: answers all waiting polls, so that clients poll another frontend. From now on no poll waits. */
  releaseHeld(): void {
    this.#forwarder.leave();
  }
}

function routerOf(operations: readonly Operation[]): Router<RoutedOperation> {
  const router = new Router<RoutedOperation>();
  for (const operation of operations) {
    const metrics = { answers: new Map(), seconds: undefined };
    const target = { operation, parameters: new ParameterReader(operation), metrics };
    router.add(operation.method, segmentsOf(operation.root ? '' : API_PREFIX, operation), target);
  }
  return router;
}
