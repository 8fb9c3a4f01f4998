/** The frontend of a process: the listener for clients with everything that answers on it. */
import { isClusterConfig, type ServerConfig } from '#app/config';
import { createHealthPages, type HealthMonitor, serveOpsPage } from '#app/ops';
import type { Logger } from '#base';
import { ClientApiLevels } from '#domain/levels';
import {
  closeWithinTimeLimit,
  DEFAULT_SLOW_CLIENT_LIMITS,
  HttpFrontend,
  type HttpServer,
  openHttpServer,
  SlowClientGuard,
} from '#frontend/http';
import { ClientAddressResolver } from '#frontend/limits';
import { IdentityProviders } from '#frontend/single-sign-on';
import { Thumbnails } from '#frontend/thumbnails';
import type { ConclaveNode } from './node.js';
import { registerHttpServerMetrics } from './observe.js';
import { startRateLimiting } from './rates.js';
import { openWebClientServer } from './web-client.js';

/** Time limit for running requests of the embedded face when the server stops, ms; after that they are aborted. */
const RUNNING_REQUESTS_TIMEOUT_ON_STOP_MS = 5_000;

/**
 * Returns the time limit for running requests when the server stops, ms. In a cluster it is at least the deadline of a
 * request, because a request may wait for a take-over on other hosts.
 */
export const computeRunningRequestsTimeoutMs = (config: ServerConfig): number =>
  isClusterConfig(config)
    ? Math.max(RUNNING_REQUESTS_TIMEOUT_ON_STOP_MS, config.deadlineSeconds * 1000)
    : RUNNING_REQUESTS_TIMEOUT_ON_STOP_MS;

/** The frontend of a server: in this process (`openFrontend`) or in workers (`FrontendWorkers`). */
export interface RunningFrontend {
  readonly port: number;
  /** True if the server has a web page for browsers. */
  readonly hasPage: boolean;
  /** Process ids of the workers; none if the frontend runs in this process. */
  readonly workerPids: readonly number[];
  /** Reports the frontend as not ready, and makes every response close its connection: clients go to another server. */
  leave(): void;
  /**
   * Refuses new connections, answers the waiting polls and lets running requests end, for a limited time.
   *
   * @param graceMs time for which connections without a request are kept: a request may be on its way
   */
  stop(graceMs: number): Promise<void>;
}

interface FrontendOptions {
  readonly config: ServerConfig;
  readonly node: ConclaveNode;
  readonly health: HealthMonitor;
  readonly logger: Logger;
  /** Port to listen on; 0: any free port. */
  readonly port: number;
  /** True if other processes of this server listen on the port, too. */
  readonly sharesPort: boolean;
}

/** Opens the listener for clients. @throws Error when the address can't be opened */
export async function openFrontend({
  config,
  node,
  health,
  logger,
  port,
  sharesPort,
}: FrontendOptions): Promise<RunningFrontend> {
  const { clock } = node.ports;
  let server: HttpServer | undefined;
  const rateLimiting = startRateLimiting(config, node, sharesPort || isClusterConfig(config));
  const pages = createHealthPages(health);
  const makeTransferGuard = (mib: number): SlowClientGuard =>
    new SlowClientGuard(clock, { ...DEFAULT_SLOW_CLIENT_LIMITS, maxHeldBytes: mib * 1_048_576 });
  const answers = makeTransferGuard(config.sendMemoryMib);
  const bodies = makeTransferGuard(config.receiveMemoryMib);
  const web = await openWebClientServer(config);
  const frontend = new HttpFrontend(web.operations, node.frontendGateway, {
    requestIdPrefix: node.ports.bus.id,
    deadlineMs: config.deadlineSeconds * 1000,
    scheme: config.externalScheme,
    externalHost: config.externalHost,
    maxBodyBytes: config.maxBodyMib * 1_048_576,
    maxFileMib: config.maxFileMib,
    uploadMemoryMib: config.uploadMemoryMib,
    areSessionsAllowed: config.web === 'on',
    clientAddressResolver: new ClientAddressResolver(config.trustedProxies),
    webPublicStreams: config.webPublicStreams === 'yes',
    messageRenderer: node.messageRenderer,
    imageProxy: node.imageProxy,
    thumbnails: new Thumbnails(),
    browserPush: node.browserPush,
    pushesToDevices: config.pushGateway !== undefined,
    identityProviders: config.oidc && new IdentityProviders(config.oidc, clock, logger),
    ...(config.jwtKeys && { tokenKeys: config.jwtKeys }),
    administratorEmail: config.administratorEmail,
    callRateLimiter: rateLimiting.limiter,
    maxRequests: config.maxRequests,
    heartbeatMs: config.heartbeatSeconds * 1000,
    maxWaitingPolls: config.maxPolls,
    countProcessedRequests: () => server?.processedRequestCount ?? 0,
    apiLevels: ClientApiLevels.fromSetting(config.apiLevels),
    compressesAnswers: config.compression === 'on',
    metrics: node.metrics,
    logRequests: config.logLevel === 'debug',
    handleOtherPath: (exchange) => serveOpsPage(pages, exchange) || web.serve(exchange),
  });
  let listening: HttpServer;
  try {
    listening = await openHttpServer(
      config.httpAdapter,
      {
        host: config.host,
        port,
        sharesPort,
        maxBodyBytes: config.maxBodyMib * 1_048_576,
        handler: frontend.handleRequest,
        onError: (error) => logger.error({ err: error }, 'HTTP handler failed'),
        slowAnswerGuard: answers,
        slowBodyGuard: bodies,
        maxConnections: config.maxConnections,
      },
      logger,
    );
  } catch (error) {
    rateLimiting.stop();
    throw error;
  }
  server = listening;
  registerHttpServerMetrics(node.metrics, listening, answers, bodies);
  return {
    port: listening.port,
    hasPage: web.hasPage,
    workerPids: [],
    leave() {
      health.markStopping();
      listening.closeConnectionAfterEachResponse();
    },
    async stop(graceMs) {
      await listening.refuseNewConnections();
      frontend.answerWaitingPollsForShutdown();
      await closeWithinTimeLimit(listening, clock, graceMs, computeRunningRequestsTimeoutMs(config));
      rateLimiting.stop();
    },
  };
}
