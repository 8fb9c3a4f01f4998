/**
 * `conclave serve`: starts and stops one process.
 *
 * Start: secret, ports, node, listener for operators, actor host, admin channel (embedded face), frontend, listener for
 * clients, first organization, ready. Stop is the reverse: not ready, a pause for load balancers, no new connections,
 * parked polls are answered, running requests finish, admin channel, actors hand over, ports, listener for operators.
 */
import { AdminChannelServer, BusSystemActorCaller } from '#app/admin';
import { isClusterConfig, type ServerConfig } from '#app/config';
import { createHealthPages, serveOpsPage } from '#app/ops';
import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import { ServerCryptography } from '#domain/secrets';
import { siteUrlOfRealm } from '#frontend/gateway';
import {
  DEFAULT_SLOW_CLIENT_LIMITS,
  HttpFrontend,
  type HttpServer,
  openHttpServer,
  SlowClientGuard,
} from '#frontend/http';
import { ClientAddressResolver } from '#frontend/limits';
import { IdentityProviders } from '#frontend/single-sign-on';
import { createFirstOrganizationIfNone, type FirstStartResult } from './first-start.js';
import { ConclaveNode, openProcessPorts } from './node.js';
import { formatHttpUrl, openOpsListener, registerHttpServerMetrics, startServerMonitoring } from './observe.js';
import type { ProcessPorts } from './ports.js';
import { type FrontendRateLimiting, startRateLimiting } from './rates.js';
import { loadOrCreateServerSecret } from './secret.js';
import { openWebClientServer } from './web-client.js';

/** True if other machines can reach the server although no name for it is configured. */
const needsExternalHost = ({ host, externalHost }: ServerConfig): boolean =>
  externalHost === 'localhost' && ['0.0.0.0', '::'].includes(host);

/** Time that running requests may take when the server stops, ms. Then they are cut off. */
const RUNNING_REQUESTS_TIMEOUT_ON_STOP_MS = 5_000;
/** Time for a request on a connection that was opened just before the stop, ms, so that its client notices nothing. */
const NEW_CONNECTION_GRACE_MS = 1_000;

export interface RunningServer {
  readonly node: ConclaveNode;
  /** Address of the operators' listener, with health and metrics. */
  readonly ops: string;
  /** Address of the listener for clients; undefined in a process without frontend. */
  readonly site: string | undefined;
  readonly port: number | undefined;
  readonly first: FirstStartResult | undefined;
  /** Finishes running requests, hands over actors and closes everything. */
  stop(): Promise<void>;
}

/**
 * Resolves when the process is ready.
 *
 * @param adjust replaces interfaces to services before their first use, for tests that make one slow or let it fail
 * @throws ServerConfigError; any other Error when a service or an address can't be opened
 */
export async function startServer(
  config: ServerConfig,
  clock: Clock,
  logger: Logger,
  adjust: (ports: ProcessPorts) => ProcessPorts = (ports) => ports,
): Promise<RunningServer> {
  const secrets = new ServerCryptography(await loadOrCreateServerSecret(config));
  const ports = adjust(await openProcessPorts(config, secrets, clock, logger));
  const node = new ConclaveNode(ports, config, secrets, logger);
  let frontend: HttpFrontend | undefined;
  let server: HttpServer | undefined;
  let channel: AdminChannelServer | undefined;
  let rateLimiting: FrontendRateLimiting | undefined;
  let ops: HttpServer | undefined;
  const { health, close: stopObserving } = startServerMonitoring(node, config);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, ms));
  const leave = async (): Promise<void> => {
    health.markStopping();
    server?.closeConnectionAfterEachResponse();
    // Load balancers must see that this frontend is not ready before it refuses connections.
    if (server && config.leaveSeconds > 0) await wait(config.leaveSeconds * 1000);
    await stop();
  };
  const stop = async (): Promise<void> => {
    health.markStopping();
    await server?.refuseNewConnections();
    frontend?.answerWaitingPollsForShutdown();
    const closing = server?.closeGracefully(config.leaveSeconds > 0 ? NEW_CONNECTION_GRACE_MS : 0);
    const late = clock.setTimeout(() => server?.closeImmediately(), RUNNING_REQUESTS_TIMEOUT_ON_STOP_MS);
    await closing;
    clock.clearTimeout(late);
    rateLimiting?.stop();
    await channel?.close();
    await node.stop();
    ops?.closeImmediately();
    stopObserving();
  };
  const onError = (error: unknown): void => logger.error({ err: error }, 'HTTP handler failed');
  try {
    ops = await openOpsListener(config, health, node.metrics, onError);
    const address = formatHttpUrl(config.opsHost, ops.port);
    const started = (): void => {
      health.markStarted();
      logger.info({ address }, 'ready; health and metrics');
    };
    await node.start();
    const system = new BusSystemActorCaller(node.actorClient, async () => {});
    if (!isClusterConfig(config))
      channel = await AdminChannelServer.open(config.dataDir, system, secrets.secretFingerprint, ports.backUp);
    if (config.role === 'actors') {
      started();
      return { node, ops: address, site: undefined, port: undefined, first: undefined, stop: leave };
    }
    rateLimiting = startRateLimiting(config, node);
    const pages = createHealthPages(health);
    const transfers = (mib: number): SlowClientGuard =>
      new SlowClientGuard(clock, { ...DEFAULT_SLOW_CLIENT_LIMITS, maxHeldBytes: mib * 1_048_576 });
    const answers = transfers(config.sendMemoryMib);
    const bodies = transfers(config.receiveMemoryMib);
    const web = await openWebClientServer(config);
    frontend = new HttpFrontend(web.operations, node.frontendGateway, {
      requestIdPrefix: ports.bus.id,
      deadlineMs: config.deadlineSeconds * 1000,
      scheme: config.externalScheme,
      externalHost: config.externalHost,
      maxBodyBytes: config.maxBodyMib * 1_048_576,
      maxFileMib: config.maxFileMib,
      uploadMemoryMib: config.uploadMemoryMib,
      areSessionsAllowed: config.web === 'on',
      clientAddressResolver: new ClientAddressResolver(config.trustedProxies),
      webPublicStreams: config.webPublicStreams === 'yes',
      imageProxy: node.imageProxy,
      browserPush: node.browserPush,
      pushesToDevices: config.pushGateway !== undefined,
      identityProviders: config.oidc && new IdentityProviders(config.oidc, clock, logger),
      ...(config.jwtKeys && { tokenKeys: config.jwtKeys }),
      administratorEmail: config.administratorEmail,
      callRateLimiter: rateLimiting.limiter,
      maxRequests: config.maxRequests,
      heartbeatMs: config.heartbeatSeconds * 1000,
      maxWaitingPolls: config.maxPolls,
      countUnansweredRequests: () => server?.unansweredRequestCount ?? 0,
      apiLevels: config.apiLevels,
      compressesAnswers: config.compression === 'on',
      metrics: node.metrics,
      logRequests: config.logLevel === 'debug',
      handleOtherPath: (exchange) => serveOpsPage(pages, exchange) || web.serve(exchange),
    });
    server = await openHttpServer(
      config.httpAdapter,
      {
        host: config.host,
        port: config.port,
        maxBodyBytes: config.maxBodyMib * 1_048_576,
        handler: frontend.handleRequest,
        onError,
        slowAnswerGuard: answers,
        slowBodyGuard: bodies,
        maxConnections: config.maxConnections,
      },
      logger,
    );
    registerHttpServerMetrics(node.metrics, server, answers, bodies);
    if (needsExternalHost(config)) {
      logger.warn({ address: config.host }, 'no --external-host: links in mails lead to localhost');
    }
    const site = formatHttpUrl(config.host, server.port);
    // People open the address that is configured; without one, the address that the server listens on.
    const { externalScheme: scheme, externalHost, host } = config;
    const page = web.hasPage
      ? siteUrlOfRealm({ scheme, externalHost, listenAddress: host, listenPort: server.port }, '', '')
      : undefined;
    const first = isClusterConfig(config)
      ? undefined
      : await createFirstOrganizationIfNone(config, system, node.secrets, { site, page });
    started();
    return { node, ops: address, site, port: server.port, first, stop: leave };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}
