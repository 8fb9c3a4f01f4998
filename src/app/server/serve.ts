/**
 * `conclave serve`: starts and stops one process.
 *
 * Start: process of the first worker (embedded face), secret, ports, node, listener for operators, actor host, admin
 * channel (embedded face), frontend, listener for clients, first organization, ready. Stop is the reverse: not ready, a
 * pause for load balancers, no new connections, parked polls are answered, running requests finish, admin channel,
 * actors hand over, ports, listener for operators.
 */
import { availableParallelism, hostname } from 'node:os';
import { AdminChannelServer, BusSystemActorCaller } from '#app/admin';
import { isClusterConfig, type ServerConfig } from '#app/config';
import type { HealthMonitor } from '#app/ops';
import type { Logger } from '#base';
import { type Clock, waitOnClock } from '#base/clock';
import { ServerCryptography } from '#domain/secrets';
import { siteUrlOfRealm } from '#frontend/gateway';
import { chooseHttpServerFactory, type HttpServer } from '#frontend/http';
import { createFirstOrganizationIfNone, type FirstStartResult } from './first-start.js';
import { openFrontend, type RunningFrontend } from './frontend.js';
import { answerAsFrontend } from './frontend-presence.js';
import { ConclaveNode, openProcessPorts } from './node.js';
import { formatHttpUrl, openOpsListener, startServerMonitoring } from './observe.js';
import type { ProcessPorts } from './ports.js';
import { loadOrCreateServerSecret } from './secret.js';
import { FrontendWorkers, WorkerChild } from './workers.js';

/** True if other machines can reach the server although no name for it is configured. */
const needsExternalHost = ({ host, externalHost }: ServerConfig): boolean =>
  externalHost === 'localhost' && ['0.0.0.0', '::'].includes(host);

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
  /** Process ids of the workers that serve clients; none if this process does. */
  readonly workerPids: readonly number[];
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
  // The first worker loads its code while this process opens its services.
  const firstWorker = await spawnFirstWorkerIfUsed(config, logger);
  try {
    return await openServer(config, clock, logger, adjust, firstWorker);
  } catch (error) {
    firstWorker?.kill();
    throw error;
  }
}

async function openServer(
  config: ServerConfig,
  clock: Clock,
  logger: Logger,
  adjust: (ports: ProcessPorts) => ProcessPorts,
  firstWorker: WorkerChild | undefined,
): Promise<RunningServer> {
  const secret = await loadOrCreateServerSecret(config);
  const secrets = new ServerCryptography(secret);
  const ports = adjust(await openProcessPorts(config, secrets, clock, logger));
  const node = new ConclaveNode(ports, config, secrets, logger);
  let frontend: RunningFrontend | undefined;
  let channel: AdminChannelServer | undefined;
  let ops: HttpServer | undefined;
  const { health, close: stopObserving } = startServerMonitoring(node, config);
  const leave = async (): Promise<void> => {
    health.markStopping();
    frontend?.leave();
    // Load balancers must see that this frontend is not ready before it refuses connections.
    if (frontend && config.leaveSeconds > 0) await waitOnClock(clock, config.leaveSeconds * 1000);
    await stop();
  };
  const stop = async (): Promise<void> => {
    health.markStopping();
    await frontend?.stop(config.leaveSeconds > 0 ? NEW_CONNECTION_GRACE_MS : 0);
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
    if (config.outgoing === 'off' && node.actorHost)
      logger.warn({}, '--outgoing off: mails, push notifications, calls of webhooks and link previews wait');
    await node.start();
    const system = new BusSystemActorCaller(node.actorClient, async () => {});
    if (!isClusterConfig(config))
      channel = await AdminChannelServer.open(config.dataDir, system, secrets.secretFingerprint, ports.backUp);
    if (config.role === 'actors') {
      started();
      return { node, ops: address, site: undefined, port: undefined, first: undefined, workerPids: [], stop: leave };
    }
    frontend = await openFrontendOrWorkers(config, node, health, secret, logger, firstWorker);
    if (config.role === 'http') await answerAsFrontend(ports.bus, `${hostname()}/${process.pid}`);
    if (needsExternalHost(config)) {
      logger.warn({ address: config.host }, 'no --external-host: links in mails lead to localhost');
    }
    const site = formatHttpUrl(config.host, frontend.port);
    // People open the address that is configured; without one, the address that the server listens on.
    const { externalScheme: scheme, externalHost, host } = config;
    const page = frontend.hasPage
      ? siteUrlOfRealm({ scheme, externalHost, listenAddress: host, listenPort: frontend.port }, '', '')
      : undefined;
    const first = isClusterConfig(config)
      ? undefined
      : await createFirstOrganizationIfNone(config, system, node.secrets, { site, page });
    started();
    const serving = frontend;
    return {
      node,
      ops: address,
      site,
      port: serving.port,
      first,
      get workerPids() {
        return serving.workerPids;
      },
      stop: leave,
    };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Maximum of workers that `--workers auto` starts: beyond it the process with the actors is the limit. */
const MAX_AUTOMATIC_WORKERS = 8;

/** Number of workers to start; 0: the frontend runs in this process. */
function countWorkers({ workers }: ServerConfig): number {
  return workers === 'auto' ? Math.min(availableParallelism() - 1, MAX_AUTOMATIC_WORKERS) : workers;
}

/** Spawns the first worker; undefined: the frontend will run in this process. */
async function spawnFirstWorkerIfUsed(config: ServerConfig, logger: Logger): Promise<WorkerChild | undefined> {
  if (isClusterConfig(config) || countWorkers(config) === 0) return undefined;
  // The port can be shared by processes with the native HTTP server only.
  const { factory, reason } = await chooseHttpServerFactory(config.httpAdapter);
  if (factory.canSharePort) return new WorkerChild();
  logger.info({ reason }, 'no workers: the HTTP server cannot share its port');
  return undefined;
}

/** Opens the listener for clients: in workers if the server has some, else in this process. */
async function openFrontendOrWorkers(
  config: ServerConfig,
  node: ConclaveNode,
  health: HealthMonitor,
  secret: string,
  logger: Logger,
  firstWorker: WorkerChild | undefined,
): Promise<RunningFrontend> {
  const { localBusHub } = node.ports;
  if (localBusHub && firstWorker) {
    const count = countWorkers(config);
    return FrontendWorkers.start({ config, node, hub: localBusHub, secret, logger, count }, firstWorker);
  }
  return openFrontend({ config, node, health, logger, port: config.port, sharesPort: false });
}
