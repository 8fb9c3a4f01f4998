/**
 * `conclave serve`: starts and stops one process.
 *
 * Start: secret, ports, node, listener for operators, actor host, admin channel (embedded face), frontend, listener for
 * clients, first organization, ready. Stop is the reverse: not ready, a pause for load balancers, no new connections,
 * parked polls are answered, running requests finish, admin channel, actors hand over, ports, listener for operators.
 */
import { AdminChannel, BusCaller } from '#app/admin';
import { type Config, isCluster } from '#app/config';
import { healthPages, servePage } from '#app/ops';
import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import { Secrets } from '#domain/secrets';
import { siteOf } from '#frontend/gateway';
import { Frontend, type HttpServer, openServer, SLOW_LIMITS, SlowClientGuard } from '#frontend/http';
import { ClientAddresses } from '#frontend/limits';
import { type FirstStart, firstStart } from './first-start.js';
import { ConclaveNode, openPorts } from './node.js';
import { addressOf, observe, observeServer, openOps } from './observe.js';
import type { Ports } from './ports.js';
import { openRateLimiting, type RateLimiting } from './rates.js';
import { serverSecret } from './secret.js';
import { openWebClient } from './web-client.js';

/** Whether other machines can reach the server although no name for it is configured. */
const needsExternalHost = ({ host, externalHost }: Config): boolean =>
  externalHost === 'localhost' && ['0.0.0.0', '::'].includes(host);

/** Running requests may take this long when the server stops; then they are cut off. */
const CLOSE_MS = 5_000;
/** Time for a request on a connection that was opened just before the stop, so that its client notices nothing. */
const GRACE_MS = 1_000;

export interface RunningServer {
  readonly node: ConclaveNode;
  /** Address of health and metrics. */
  readonly ops: string;
  /** Address for clients; undefined in a process without frontend. */
  readonly site: string | undefined;
  readonly port: number | undefined;
  readonly first: FirstStart | undefined;
  /** Finishes running requests, hands over actors and closes everything. */
  stop(): Promise<void>;
}

/**
 * Resolves when the process is ready.
 * @param adjust replaces ports before their first use; for tests that make a port slow or let it fail
 * @throws ConfigError; any other Error when a port or an address can't be opened
 */
export async function serve(
  config: Config,
  clock: Clock,
  logger: Logger,
  adjust: (ports: Ports) => Ports = (ports) => ports,
): Promise<RunningServer> {
  const secrets = new Secrets(await serverSecret(config));
  const ports = adjust(await openPorts(config, secrets, clock, logger));
  const node = new ConclaveNode(ports, config, secrets, logger);
  let frontend: Frontend | undefined;
  let server: HttpServer | undefined;
  let channel: AdminChannel | undefined;
  let rateLimiting: RateLimiting | undefined;
  let ops: HttpServer | undefined;
  const { health, close: stopObserving } = observe(node, config);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, ms));
  const leave = async (): Promise<void> => {
    health.leave();
    server?.leave();
    // Load balancers must see that this frontend is not ready before it refuses connections.
    if (server && config.leaveSeconds > 0) await wait(config.leaveSeconds * 1000);
    await stop();
  };
  const stop = async (): Promise<void> => {
    health.leave();
    await server?.refuse();
    frontend?.releaseHeld();
    const closing = server?.close(config.leaveSeconds > 0 ? GRACE_MS : 0);
    const late = clock.setTimeout(() => server?.terminate(), CLOSE_MS);
    await closing;
    clock.clearTimeout(late);
    rateLimiting?.stop();
    await channel?.close();
    await node.stop();
    ops?.terminate();
    stopObserving();
  };
  const onError = (error: unknown): void => logger.error({ err: error }, 'HTTP handler failed');
  try {
    ops = await openOps(config, health, node.metrics, onError);
    const address = addressOf(config.opsHost, ops.port);
    const started = (): void => {
      health.started();
      logger.info({ address }, 'ready; health and metrics');
    };
    await node.start();
    const system = new BusCaller(node.client, async () => {});
    if (!isCluster(config)) channel = await AdminChannel.open(config.dataDir, system, secrets.check, ports.backUp);
    if (config.role === 'actors') {
      started();
      return { node, ops: address, site: undefined, port: undefined, first: undefined, stop: leave };
    }
    rateLimiting = openRateLimiting(config, node);
    const pages = healthPages(health);
    const transfers = (mib: number): SlowClientGuard =>
      new SlowClientGuard(clock, { ...SLOW_LIMITS, maxBytes: mib * 1_048_576 });
    const answers = transfers(config.sendMemoryMib);
    const bodies = transfers(config.receiveMemoryMib);
    const web = await openWebClient(config);
    frontend = new Frontend(web.operations, node.gateway, {
      instance: ports.bus.id,
      deadlineMs: config.deadlineSeconds * 1000,
      scheme: config.externalScheme,
      externalHost: config.externalHost,
      maxBodyBytes: config.maxBodyMib * 1_048_576,
      maxFileMib: config.maxFileMib,
      uploadMemoryMib: config.uploadMemoryMib,
      sessions: config.web === 'on',
      proxies: new ClientAddresses(config.trustedProxies),
      webPublicStreams: config.webPublicStreams === 'yes',
      imageProxy: node.imageProxy,
      administratorEmail: config.administratorEmail,
      rates: rateLimiting.limiter,
      maxRequests: config.maxRequests,
      heartbeatMs: config.heartbeatSeconds * 1000,
      maxPolls: config.maxPolls,
      underWay: () => server?.running ?? 0,
      compression: config.compression === 'on',
      metrics: node.metrics,
      logRequests: config.logLevel === 'debug',
      elsewhere: (exchange) => servePage(pages, exchange) || web.serve(exchange),
    });
    server = await openServer(
      config.httpAdapter,
      {
        host: config.host,
        port: config.port,
        maxBodyBytes: config.maxBodyMib * 1_048_576,
        handler: frontend.handle,
        onError,
        slowAnswers: answers,
        slowBodies: bodies,
        maxConnections: config.maxConnections,
      },
      logger,
    );
    observeServer(node.metrics, server, answers, bodies);
    if (needsExternalHost(config)) {
      logger.warn({ address: config.host }, 'no --external-host: links in mails lead to localhost');
    }
    const site = addressOf(config.host, server.port);
    // People open the address that is configured; without one, the address that the server listens on.
    const { externalScheme: scheme, externalHost, host } = config;
    const page = web.hasPage ? siteOf({ scheme, externalHost, host, port: server.port }, '', '') : undefined;
    const first = isCluster(config) ? undefined : await firstStart(config, system, node.secrets, { site, page });
    started();
    return { node, ops: address, site, port: server.port, first, stop: leave };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}
