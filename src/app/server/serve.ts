/** `conclave serve`: what starts, in which order, and what stops, in the reverse one. */
import { AdminChannel, BusCaller } from '#app/admin';
import type { Config } from '#app/config';
import { answerPage, healthPages } from '#app/ops';
import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import { Secrets } from '#domain/secrets';
import { OPERATIONS } from '#frontend/api';
import type { HttpServer } from '#frontend/http';
import { Frontend, openServer, SLOW_LIMITS, SlowClientGuard } from '#frontend/http';
import type { FirstStart } from './first-start.js';
import { firstStart } from './first-start.js';
import { ConclaveNode } from './node.js';
import { observe, observeServer } from './observe.js';
import { addressOf, openOps } from './open-ops.js';
import { isCluster, openPorts } from './open-ports.js';
import type { Ports } from './ports.js';
import type { Rates } from './rates.js';
import { ratesOf } from './rates.js';
import { serverSecret } from './secret.js';

/** It may be reached from elsewhere, under a name that nobody told it. */
const needsExternalHost = ({ host, externalHost }: Config): boolean =>
  externalHost === 'localhost' && ['0.0.0.0', '::'].includes(host);

/** Requests under way have this long when the server stops; the rest are cut off. */
const CLOSE_MS = 5_000;
/** Where clients are to notice nothing: for a request on its way on a connection that was just made. */
const GRACE_MS = 1_000;

export interface Running {
  readonly node: ConclaveNode;
  /** Address of health and metrics. */
  readonly ops: string;
  /** Address for clients; undefined for a process without frontend. */
  readonly site: string | undefined;
  readonly port: number | undefined;
  readonly first: FirstStart | undefined;
  /** Finish what was begun, hand over, close. Resolves when nothing is left. */
  stop(): Promise<void>;
}

/** @param adjust what the ports are before anything uses them; for tests that make a port slow or let it fail */
export async function serve(
  config: Config,
  clock: Clock,
  logger: Logger,
  adjust: (ports: Ports) => Ports = (ports) => ports,
): Promise<Running> {
  const secrets = new Secrets(await serverSecret(config));
  const ports = adjust(await openPorts(config, secrets, clock, logger));
  const node = new ConclaveNode(ports, config, secrets, logger);
  let frontend: Frontend | undefined;
  let server: HttpServer | undefined;
  let channel: AdminChannel | undefined;
  let rates: Rates | undefined;
  let ops: HttpServer | undefined;
  const { health, close: endObservation } = observe(node, config);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, ms));
  const leave = async (): Promise<void> => {
    health.leave();
    server?.leave();
    // Whatever balances over frontends must have seen that this one is not ready before it refuses anybody.
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
    rates?.stop();
    await channel?.close();
    await node.stop();
    ops?.terminate();
    endObservation();
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
    rates = ratesOf(config, node);
    const pages = healthPages(health);
    const transfers = (mib: number): SlowClientGuard =>
      new SlowClientGuard(clock, { ...SLOW_LIMITS, maxBytes: mib * 1_048_576 });
    const answers = transfers(config.sendMemoryMib);
    const bodies = transfers(config.receiveMemoryMib);
    frontend = new Frontend(OPERATIONS, node.gateway, {
      instance: ports.bus.id,
      deadlineMs: config.deadlineSeconds * 1000,
      scheme: config.externalScheme,
      externalHost: config.externalHost,
      maxBodyBytes: config.maxBodyMib * 1_048_576,
      maxFileMib: config.maxFileMib,
      uploadMemoryMib: config.uploadMemoryMib,
      webPublicStreams: config.webPublicStreams === 'yes',
      imageProxy: node.imageProxy,
      administratorEmail: config.administratorEmail,
      rates: rates.limiting,
      maxRequests: config.maxRequests,
      heartbeatMs: config.heartbeatSeconds * 1000,
      maxPolls: config.maxPolls,
      underWay: () => server?.running ?? 0,
      compression: config.compression === 'on',
      metrics: node.metrics,
      logRequests: config.logLevel === 'debug',
      elsewhere: (exchange) => answerPage(pages, exchange),
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
    const first = isCluster(config) ? undefined : await firstStart(config, system, node.secrets, site);
    started();
    return { node, ops: address, site, port: server.port, first, stop: leave };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}
