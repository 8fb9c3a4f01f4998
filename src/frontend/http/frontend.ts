/** Builds the pipeline of one frontend from its operations, services and options, and shuts it down. */
import { API_LEVELS, BASE_API_LEVEL, BASE_LEVEL_ONLY } from '#domain/levels';
import type { ApiOperation } from '#frontend/api';
import { ActorCommandForwarder } from './actor-forwarder.js';
import { Authenticator } from './authenticate.js';
import { ResponseCompressor } from './compression.js';
import { maxBodyBytesWithFile, UploadMemoryBudget } from './form.js';
import { DEFAULT_MAX_UPLOADED_FILE_MIB } from './operation-call.js';
import { OperationLevels } from './operation-levels.js';
import type { FrontendOptions } from './options.js';
import { RequestParameterReader } from './parameters.js';
import { ParkedPolls } from './parked-polls.js';
import { RequestPipeline } from './pipeline.js';
import { RequestMetrics } from './request-metrics.js';
import { ResponseSender } from './response-sender.js';
import { HttpRouter, NewerRoutes, pathSegmentsOfOperation, type RoutedOperation } from './route.js';
import type { HttpExchange } from './server.js';
import type { FrontendServices } from './services.js';

const API_PREFIX = '/api/v1';

const DEFAULT_REQUEST_DEADLINE_MS = 30_000;
const DEFAULT_POLL_HEARTBEAT_MS = 45_000;
const DEFAULT_UPLOAD_MEMORY_MIB = 256;

export class HttpFrontend {
  /** Handles one request of the HTTP server. Never throws, no matter what a client sends. */
  readonly handleRequest: (exchange: HttpExchange) => void;
  readonly #forwarder: ActorCommandForwarder;

  /**
   * Builds the pipeline.
   * @throws Error for operations with the same method and path, or whose parameters cannot be checked
   */
  constructor(operations: readonly ApiOperation[], services: FrontendServices, options: FrontendOptions) {
    const {
      deadlineMs = DEFAULT_REQUEST_DEADLINE_MS,
      heartbeatMs = DEFAULT_POLL_HEARTBEAT_MS,
      random = Math.random,
    } = options;
    const {
      maxWaitingPolls = Number.POSITIVE_INFINITY,
      uploadMemoryMib = DEFAULT_UPLOAD_MEMORY_MIB,
      callRateLimiter,
      clientAddressResolver,
    } = options;
    const isProxy =
      clientAddressResolver && !clientAddressResolver.trustsNoProxy
        ? (peer: string) => clientAddressResolver.isTrustedProxy(peer)
        : undefined;
    const maxUploadBodyBytes = maxBodyBytesWithFile(options.maxFileMib ?? DEFAULT_MAX_UPLOADED_FILE_MIB);
    const metrics = new RequestMetrics(services.clock, services.log, options);
    const compressor = options.compressesAnswers
      ? new ResponseCompressor(metrics.metricsRegistry, services.log)
      : undefined;
    const sender = new ResponseSender(services, metrics, deadlineMs, compressor);
    const parked = new ParkedPolls(services.clock, sender, { heartbeatMs: heartbeatMs, random });
    const forwarder = new ActorCommandForwarder(services, sender, parked, metrics, maxWaitingPolls);
    this.#forwarder = forwarder;
    services.setCredentialEndedListener((hash, kind) => forwarder.refusePollsOfEndedCredential(hash, kind));
    metrics.metricsRegistry.addReader('conclave_http_held_polls', () => forwarder.waitingPollCount);
    this.handleRequest = new RequestPipeline({
      ...makeOperationRouters(operations),
      services,
      options,
      metrics,
      authenticator: new Authenticator(services, options.webPublicStreams ?? false),
      uploadMemoryBudget: new UploadMemoryBudget(uploadMemoryMib * 1_048_576, maxUploadBodyBytes),
      maxUploadBodyBytes,
      headerPolicy: {
        readsForwardedFor: callRateLimiter?.readsForwardedFor ?? false,
        compressesAnswers: compressor !== undefined,
        apiLevels: options.apiLevels ?? BASE_LEVEL_ONLY,
        browserPolicy: {
          areSessionsAllowed: options.areSessionsAllowed ?? false,
          https: options.scheme === 'https',
          externalPortSuffix: /:\d+$/.exec(options.externalHost ?? '')?.[0] ?? '',
          isTrustedProxy: isProxy,
        },
      },
      callServices: {
        options,
        services,
        sendAndAwaitFields: (forward, call) => forwarder.sendAndAwaitReplyFields(forward, call),
      },
      forwarder,
      sender,
    }).handleRequest;
  }

  /** Answers all waiting polls before shutdown, so that clients poll another frontend. From now on no poll waits. */
  answerWaitingPollsForShutdown(): void {
    this.#forwarder.releasePollsForShutdown();
  }
}

function makeOperationRouters(operations: readonly ApiOperation[]): {
  router: HttpRouter<RoutedOperation>;
  newerRoutes: NewerRoutes<RoutedOperation>;
} {
  const targets = operations.map((operation): RoutedOperation => {
    const metrics = { answers: new Map(), seconds: undefined };
    const parameters = new RequestParameterReader(operation);
    return { operation, parameters, levels: OperationLevels.ofOperation(operation), metrics };
  });
  const routerOf = (chosen: readonly RoutedOperation[]): HttpRouter<RoutedOperation> => {
    const router = new HttpRouter<RoutedOperation>();
    for (const target of chosen) {
      const { operation } = target;
      router.addTarget(operation.method, pathSegmentsOfOperation(operation.root ? '' : API_PREFIX, operation), target);
    }
    return router;
  };
  const isNewer = ({ operation }: RoutedOperation): boolean => operation.since !== undefined;
  const newer = targets.filter(isNewer);
  const newerLevels = API_LEVELS.map(({ level }) => level).filter((level) => level !== BASE_API_LEVEL);
  return {
    router: routerOf(targets.filter((target) => !isNewer(target))),
    newerRoutes: new NewerRoutes(
      newerLevels.map((level) => [level, routerOf(newer.filter(({ operation }) => operation.since! <= level))]),
    ),
  };
}
