/** Messages between the process with the actors and its workers, besides those of the bus and the log. */
import type { ServerConfig } from '#app/config';
import type { Json } from '#base';
import type { MetricName, MetricSample } from '#base/metrics';
import type { ProcessLink } from '#ports/wire';

/** Channel of a link on which these messages travel. */
const WORKER_LINK_CHANNEL = 3;

/** File descriptor of a worker's end of the link. */
export const WORKER_LINK_FD = 3;

/** Everything that a worker needs to know; sent once, as the first message. */
export interface WorkerStart {
  readonly config: ServerConfig;
  readonly secret: string;
  /** Identity of the worker on the bus. */
  readonly busId: string;
  /** Number of the worker, from 1 on; a replacement has the number of the worker that it replaces. */
  readonly number: number;
  /** Port to listen on; 0: any free port. */
  readonly port: number;
}

/** Metrics of a worker at a scrape. */
export interface WorkerMetrics {
  readonly samples: readonly (readonly [name: MetricName, samples: readonly MetricSample[]])[];
  /** Resident memory of the process, bytes. */
  readonly residentBytes: number;
  /** CPU time of the process since its start, seconds. */
  readonly cpuSeconds: number;
}

/** Messages to a worker. `ping` and `readMetrics` are answered with their number. */
export type MessageToWorker =
  | readonly ['start', WorkerStart]
  | readonly ['ping', call: number]
  | readonly ['readMetrics', call: number]
  | readonly ['leave']
  | readonly ['stop', graceMs: number];

export type MessageFromWorker =
  | readonly ['listening', port: number, hasPage: boolean]
  | readonly ['failed', reason: string]
  | readonly ['pong', call: number]
  | readonly ['metrics', call: number, WorkerMetrics]
  | readonly ['stopped'];

export function sendToWorker(link: ProcessLink, message: MessageToWorker): void {
  link.send(WORKER_LINK_CHANNEL, message as unknown as readonly Json[]);
}

export function sendFromWorker(link: ProcessLink, message: MessageFromWorker): void {
  link.send(WORKER_LINK_CHANNEL, message as unknown as readonly Json[]);
}

export function handleMessagesFromWorker(link: ProcessLink, handler: (message: MessageFromWorker) => void): void {
  link.setHandler(WORKER_LINK_CHANNEL, (message) => handler(message as unknown as MessageFromWorker));
}

export function handleMessagesToWorker(link: ProcessLink, handler: (message: MessageToWorker) => void): void {
  link.setHandler(WORKER_LINK_CHANNEL, (message) => handler(message as unknown as MessageToWorker));
}
