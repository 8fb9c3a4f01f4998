/**
 * Health checks and metrics of a process, and the listener on which operators read them. Only readings that need the
 * whole process are here; the parts of the process count the rest themselves.
 */

import type { ServerConfig } from '#app/config';
import {
  createOpsPages,
  EventLoopDelayMeter,
  type HealthCheckName,
  HealthMonitor,
  respondNotFound,
  serveOpsPage,
} from '#app/ops';
import { SERVER_VERSION } from '#base';
import type { MetricsRegistry } from '#base/metrics';
import { DirectoryReplicaLagMeter, SERVER_REALM_ID } from '#directory';
import { chooseHttpServerFactory, type HttpServer, type SlowClientGuard } from '#frontend/http';
import type { Bus } from '#ports/bus';
import type { ReportingPartitionPlacement } from '#ports/placement';
import type { ConclaveNode } from './node.js';

/** Median delay of the timers above which the process is busy, ms. Requests then wait as long. */
const MAX_HEALTHY_LOOP_DELAY_MS = 500;
/** Maximum of bytes in the body of an operator's request; none needs a body. */
const MAX_OPS_REQUEST_BODY_BYTES = 1_024;

function registerBusMetrics(metrics: MetricsRegistry, bus: Bus): void {
  const reconnects = metrics.findOrCreateCounter('conclave_bus_reconnects_total');
  bus.onReconnect(() => {
    reconnects.n++;
  });
  metrics.addReader('conclave_bus_connected', () => Number(bus.connected));
  const { stats } = bus;
  if (!stats) return;
  metrics.addReader('conclave_bus_frames_total', () => [
    [['in'], stats.framesIn],
    [['out'], stats.framesOut],
  ]);
  metrics.addReader('conclave_bus_bytes_total', () => [
    [['in'], stats.bytesIn],
    [['out'], stats.bytesOut],
  ]);
  metrics.addReader('conclave_bus_requests_total', () => stats.requestsOut);
  metrics.addReader('conclave_bus_replies_total', () => stats.repliesOut);
  metrics.addReader('conclave_bus_replies_dropped_total', () => stats.repliesDropped);
  metrics.addReader('conclave_bus_transfers_total', () => stats.transfersOut);
  metrics.addReader('conclave_bus_gaps_total', () => stats.frameGaps);
  metrics.addReader('conclave_bus_malformed_total', () => stats.malformedFrames);
  metrics.addReader('conclave_bus_failures_total', () =>
    Object.entries(stats.failedRequestsByReason).map(([reason, n]) => [[reason], n] as const),
  );
}

/** Registers the metrics of the HTTP server that clients connect to. */
export function registerHttpServerMetrics(
  metrics: MetricsRegistry,
  server: HttpServer,
  answers: SlowClientGuard,
  bodies: SlowClientGuard,
): void {
  metrics.addReader('conclave_http_running_requests', () => server.unansweredRequestCount);
  metrics.addReader('conclave_http_turned_away_connections_total', () => server.refusedConnectionOrPauseCount);
  metrics.addReader('conclave_http_waiting_answers', () => answers.waitingTransferCount);
  metrics.addReader('conclave_http_waiting_answer_bytes', () => answers.totalHeldBytes);
  metrics.addReader('conclave_http_waiting_body_bytes', () => bodies.totalHeldBytes);
  metrics.addReader('conclave_http_cut_connections_total', () => [
    [['answer'], answers.cutOffCount],
    [['body'], bodies.cutOffCount],
  ]);
}

function registerEventLogMetrics({ eventLog, directoryReplicas }: ConclaveNode, metrics: MetricsRegistry): void {
  const watch = new DirectoryReplicaLagMeter(
    eventLog,
    () => directoryReplicas.tailsOfOpenReplicas(),
    () => performance.now(),
  );
  let lag = { positions: 0, ms: 0 };
  metrics.addStepBeforeReading(async () => {
    lag = await watch.measureLagOfNextRealms();
  });
  metrics.addReader('conclave_log_realms', () => directoryReplicas.tailsOfOpenReplicas().length);
  metrics.addReader('conclave_log_lag_positions', () => lag.positions);
  metrics.addReader('conclave_log_lag_seconds', () => lag.ms / 1000);
}

function registerPlacementMetrics(placement: ReportingPartitionPlacement, metrics: MetricsRegistry): void {
  let status = placement.status();
  metrics.addStepBeforeReading(() => {
    status = placement.status();
  });
  metrics.addReader('conclave_lease_valid_seconds', () => status.leaseMsLeft / 1000);
  metrics.addReader('conclave_cluster_hosts', () => status.hosts.filter(({ state }) => state !== 'dead').length);
  metrics.addReader('conclave_partitions_unowned', () => status.unowned);
  metrics.addReader('conclave_store_usable', () => Number(status.store !== 'fails' && status.store !== 'slow'));
}

/** Health of the process; `close` stops the measurement of the event loop. */
interface ServerMonitoring {
  readonly health: HealthMonitor;
  close(): void;
}

export function startServerMonitoring(node: ConclaveNode, config: ServerConfig): ServerMonitoring {
  const { metrics, ports, eventLog } = node;
  const { bus, hosts, actors } = ports;
  const health = new HealthMonitor();
  const delay = new EventLoopDelayMeter();
  health.addCheck('loop', () => delay.medianDelayMs <= MAX_HEALTHY_LOOP_DELAY_MS || 'busy');
  health.addCheck('bus', () => bus.connected || 'not connected');
  if (hosts) health.addCheck('hosts', () => !hosts.isNoHostAlive || 'no actor host is alive');
  health.addCheck('log', () => eventLog.readBounds(SERVER_REALM_ID).then(() => true as const));
  if (actors) {
    const { store, placement } = actors;
    health.addCheck('store', () => store.ping().then(() => true as const));
    health.addCheck('lease', () => placement.status().leaseMsLeft > 0 || 'lapsed');
    registerPlacementMetrics(placement, metrics);
  }
  metrics.addReader('conclave_build_info', () => [
    [[SERVER_VERSION, config.role, config.nats === undefined ? 'embedded' : 'cluster'], 1],
  ]);
  metrics.addReader('conclave_event_loop_delay_seconds', () => delay.medianDelayMs / 1000);
  metrics.addReader('conclave_ready', async () => Number((await health.readiness()).ready));
  metrics.addReader('conclave_health_check', async () => {
    const { checks } = await health.readiness();
    return (Object.keys(checks) as HealthCheckName[]).map((name) => [[name], Number(checks[name]!.ok)] as const);
  });
  registerBusMetrics(metrics, bus);
  registerEventLogMetrics(node, metrics);
  return { health, close: () => delay.close() };
}

export const formatHttpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Opens the listener for operators. It uses node:http: scrapes are rare and large, so the native server gains nothing.
 * @throws Error when the address is taken
 */
export async function openOpsListener(
  config: ServerConfig,
  health: HealthMonitor,
  metrics: MetricsRegistry,
  onError: (error: unknown) => void,
): Promise<HttpServer> {
  const pages = createOpsPages(health, metrics);
  const { factory } = await chooseHttpServerFactory('node');
  return factory.listen({
    host: config.opsHost,
    port: config.opsPort,
    maxBodyBytes: MAX_OPS_REQUEST_BODY_BYTES,
    handler: (exchange) => {
      if (!serveOpsPage(pages, exchange)) respondNotFound(exchange);
    },
    onError,
  });
}
