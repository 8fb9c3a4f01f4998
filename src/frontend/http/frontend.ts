/** Builds the pipeline of one frontend from its operations, services and options, and shuts it down. */
import type { ApiOperation } from '#frontend/api';
import { ActorCommandForwarder } from './actor-forwarder.js';
import { Authenticator } from './authenticate.js';
import { ResponseCompressor } from './compression.js';
import { maxBodyBytesWithFile, UploadMemoryBudget } from './form.js';
import { DEFAULT_MAX_UPLOADED_FILE_MIB } from './operation-call.js';
import type { FrontendOptions } from './options.js';
import { RequestParameterReader } from './parameters.js';
import { ParkedPolls } from './parked-polls.js';
import { RequestPipeline } from './pipeline.js';
import { RequestMetrics } from './request-metrics.js';
import { ResponseSender } from './response-sender.js';
import { HttpRouter, pathSegmentsOfOperation, type RoutedOperation } from './route.js';
import type { HttpExchange } from './server.js';
import type { FrontendServices } from './services.js';

const API_PREFIX = '/api/v1';

const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_HEARTBEAT_MS = 45_000;
const DEFAULT_UPLOAD_MIB = 256;

export class HttpFrontend {
  /** Handles one request of the HTTP server. Never throws, no matter what a client sends. */
  readonly handle: (exchange: HttpExchange) => void;
  readonly #forwarder: ActorCommandForwarder;

  /**
   * Builds the pipeline.
   * @throws Error for operations with the same method and path, or whose parameters cannot be checked
   */
  constructor(operations: readonly ApiOperation[], services: FrontendServices, options: FrontendOptions) {
    const { deadlineMs = DEFAULT_DEADLINE_MS, heartbeatMs = DEFAULT_HEARTBEAT_MS, random = Math.random } = options;
    const { maxPolls = Number.POSITIVE_INFINITY, uploadMemoryMib = DEFAULT_UPLOAD_MIB, rates, proxies } = options;
    const isProxy = proxies && !proxies.trustsNone ? (peer: string) => proxies.trusts(peer) : undefined;
    const metrics = new RequestMetrics(services.clock, services.log, options);
    const compressor = options.compression ? new ResponseCompressor(metrics.metrics, services.log) : undefined;
    const sender = new ResponseSender(services, metrics, deadlineMs, compressor);
    const parked = new ParkedPolls(services.clock, sender, { everyMs: heartbeatMs, random });
    const forwarder = new ActorCommandForwarder(services, sender, parked, metrics, maxPolls);
    this.#forwarder = forwarder;
    services.onCredentialEnded((hash, kind) => forwarder.refuseCredential(hash, kind));
    metrics.metrics.addReader('conclave_http_held_polls', () => forwarder.pollCount);
    this.handle = new RequestPipeline({
      router: routerOf(operations),
      services,
      options,
      metrics,
      authenticator: new Authenticator(services, options.webPublicStreams ?? false),
      uploads: new UploadMemoryBudget(uploadMemoryMib * 1_048_576),
      maxUpload: maxBodyBytesWithFile(options.maxFileMib ?? DEFAULT_MAX_UPLOADED_FILE_MIB),
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

  /** Answers all waiting polls before shutdown, so that clients poll another frontend. From now on no poll waits. */
  releaseHeld(): void {
    this.#forwarder.leave();
  }
}

function routerOf(operations: readonly ApiOperation[]): HttpRouter<RoutedOperation> {
  const router = new HttpRouter<RoutedOperation>();
  for (const operation of operations) {
    const metrics = { answers: new Map(), seconds: undefined };
    const target = { operation, parameters: new RequestParameterReader(operation), metrics };
    router.add(operation.method, pathSegmentsOfOperation(operation.root ? '' : API_PREFIX, operation), target);
  }
  return router;
}
