/**
 * Start of a worker: a frontend of the embedded face, in a process of its own, linked to the process with the actors.
 */
import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Logger } from '#base';
import { REAL_CLOCK } from '#base/clock';
import { setPrivateUmask } from '#base/disk';
import { METRIC_DECLARATIONS, type MetricName } from '#base/metrics';
import { ServerCryptography } from '#domain/secrets';
import { FolderBlobStorage } from '#ports/blobs';
import { LinkBus } from '#ports/bus';
import { LinkEventLog } from '#ports/log';
import { ProcessLink } from '#ports/wire';
import { openFrontend, type RunningFrontend } from './frontend.js';
import { LogOutput } from './log-output.js';
import { ConclaveNode } from './node.js';
import { startServerMonitoring } from './observe.js';
import type { ProcessPorts } from './ports.js';
import {
  handleMessagesToWorker,
  sendFromWorker,
  WORKER_LINK_FD,
  type WorkerMetrics,
  type WorkerStart,
} from './worker-messages.js';

interface RunningWorker {
  readonly frontend: RunningFrontend;
  readonly node: ConclaveNode;
  stop(graceMs: number): Promise<void>;
}

async function openWorkerPorts(link: ProcessLink, { config, busId }: WorkerStart): Promise<ProcessPorts> {
  const clock = REAL_CLOCK;
  const bus = new LinkBus(link, clock, busId);
  const log = new LinkEventLog(link);
  const blobs = await FolderBlobStorage.openShared(join(config.dataDir, 'blobs'));
  return {
    clock,
    bus,
    log,
    blobs,
    actors: undefined,
    async close() {
      await log.close();
      await blobs.close();
    },
  };
}

async function startWorker(link: ProcessLink, start: WorkerStart): Promise<RunningWorker> {
  const { config, secret, port, number } = start;
  const base = { host: `${hostname()}/${process.pid}`, role: config.role, worker: number };
  const logger = pino({ level: config.logLevel, base }, new LogOutput()) as unknown as Logger;
  const ports = await openWorkerPorts(link, start);
  const node = new ConclaveNode(ports, config, new ServerCryptography(secret), logger);
  const { health, close } = startServerMonitoring(node, config);
  const frontend = await openFrontend({ config, node, health, logger, port, sharesPort: true });
  health.markStarted();
  return {
    frontend,
    node,
    async stop(graceMs) {
      health.markStopping();
      await frontend.stop(graceMs);
      await node.stop();
      close();
    },
  };
}

/** True if the metric of a worker adds to that of the server; the others describe one process alone. */
function isAddedToServerMetric(name: MetricName): boolean {
  const { type, at } = METRIC_DECLARATIONS[name];
  return type !== 'gauge' || at === 'frontend';
}

async function readWorkerMetrics({ metrics }: ConclaveNode): Promise<WorkerMetrics> {
  const { user, system } = process.cpuUsage();
  const samples = [...(await metrics.readAllSamples())].filter(
    ([name, values]) => values.length > 0 && isAddedToServerMetric(name),
  );
  return { samples, residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
}

function runWorker(): void {
  const link = ProcessLink.openWithReadBuffer((onread) => {
    // The constructor takes `onread`; its types don't say so.
    const options = { fd: WORKER_LINK_FD, readable: true, writable: true, onread };
    return new Socket(options);
  });
  let worker: RunningWorker | undefined;
  let isStopping = false;
  // A terminal sends its signals to all processes of the server; the process with the actors stops its workers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  link.onClose(() => process.exit(isStopping ? 0 : 1));
  handleMessagesToWorker(link, (message) => {
    switch (message[0]) {
      case 'start':
        startWorker(link, message[1]).then(
          (started) => {
            worker = started;
            sendFromWorker(link, ['listening', started.frontend.port, started.frontend.hasPage]);
          },
          (error: Error) => {
            sendFromWorker(link, ['failed', error.message]);
            setImmediate(() => link.close());
          },
        );
        return;
      case 'ping':
        sendFromWorker(link, ['pong', message[1]]);
        return;
      case 'readMetrics':
        if (worker) {
          const call = message[1];
          void readWorkerMetrics(worker.node).then((read) => sendFromWorker(link, ['metrics', call, read]));
        }
        return;
      case 'leave':
        worker?.frontend.leave();
        return;
      case 'stop':
        isStopping = true;
        void Promise.resolve(worker?.stop(message[1])).then(() => {
          sendFromWorker(link, ['stopped']);
          setImmediate(() => link.close());
        });
    }
  });
}

setPrivateUmask();
runWorker();
