/**
 * Workers: the frontends of the embedded face in processes of their own, which share the port. The process that starts
 * them has the actors, the Store and the log.
 *
 * Workers are processes, not threads: a thread that ends while the native HTTP engine has connections aborts the whole
 * process (docs/decisions/026-workers.md).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from '#app/config';
import type { Json, Logger } from '#base';
import { type Clock, runPeriodically, type TimerHandle } from '#base/clock';
import type { MetricCounterSeries } from '#base/metrics';
import { parseActorKey } from '#model';
import { type LocalBusHub, serveBusOverLink } from '#ports/bus';
import { serveEventLogOverLink } from '#ports/log';
import { ProcessLink } from '#ports/wire';
import type { CommandEnvelope } from '#runtime';
import type { RunningFrontend } from './frontend.js';
import type { ConclaveNode } from './node.js';
import {
  handleMessagesFromWorker,
  type MessageFromWorker,
  sendToWorker,
  WORKER_LINK_FD,
  type WorkerMetrics,
} from './worker-messages.js';

/** Script of a worker: beside the bundled program, or beside this file after compilation. */
const WORKER_SCRIPT = fileURLToPath(new URL('./worker-process.js', import.meta.url));

const PING_INTERVAL_MS = 5_000;
/** Number of pings without answer after which a worker counts as hanging. */
const MAX_UNANSWERED_PINGS = 6;
/** Bytes that a worker has not taken, above which it counts as hanging. */
const MAX_UNSENT_BYTES = 256 * 1_048_576;
/** Longest time for which a worker that doesn't respond holds up replies to clients of other workers, ms. */
const MAX_HOLD_MS = 1_000;
/** Time for a worker to end by itself after its frontend has stopped, ms. */
const EXIT_TIMEOUT_MS = 2_000;
/** Longest time that a worker may take to stop its frontend, ms; its own limit for running requests is below that. */
const STOP_TIMEOUT_MS = 10_000;
/** Pauses before a worker is replaced, ms: longer ones while its replacements keep ending early. */
const REPLACEMENT_PAUSES_MS = [0, 1_000, 5_000, 15_000] as const;
/** Time after which a worker counts as running well, ms. */
const STABLE_AFTER_MS = 60_000;

/** A worker's process from its spawn on. It loads its code, and waits for `start`. */
export class WorkerChild {
  readonly process: ChildProcess;
  /** Resolves at the end of the process, with the reason in words. */
  readonly ended: Promise<string>;

  constructor() {
    const stdio = ['ignore', 'inherit', 'inherit'] as ('ignore' | 'inherit' | 'pipe')[];
    stdio[WORKER_LINK_FD] = 'pipe';
    this.process = spawn(process.execPath, [...process.execArgv, WORKER_SCRIPT], { stdio });
    this.ended = new Promise((resolve) => {
      this.process.once('error', (error) => resolve(error.message));
      this.process.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
  }

  kill(): void {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGKILL');
  }
}

export interface FrontendWorkersOptions {
  readonly config: ServerConfig;
  readonly node: ConclaveNode;
  readonly hub: LocalBusHub;
  readonly secret: string;
  readonly logger: Logger;
  /** Number of workers, at least 1. */
  readonly count: number;
}

interface WorkerListening {
  readonly port: number;
  readonly hasPage: boolean;
}

/** One worker process, from its start to its end. */
class WorkerProcess {
  readonly listening: Promise<WorkerListening>;
  readonly exited: Promise<void>;
  readonly startedAt: number;
  readonly #link: ProcessLink;
  readonly #child: WorkerChild;
  /** Functions that resolve the questions to the worker, by number; undefined: the worker has ended. */
  readonly #resolversByQuestion = new Map<number, (metrics: WorkerMetrics | undefined) => void>();
  #lastQuestion = 0;
  #hasExited = false;
  #unansweredPings = 0;
  #isListening = false;
  #resolveListening!: (listening: WorkerListening) => void;
  #rejectListening!: (error: Error) => void;
  #resolveStopped!: () => void;
  readonly #stopped: Promise<void>;

  constructor(
    { config, node, hub, secret }: FrontendWorkersOptions,
    child: WorkerChild,
    readonly number: number,
    port: number,
    holdReply: (request: Json, reply: Json) => Promise<void> | undefined,
  ) {
    const { clock } = node.ports;
    this.startedAt = clock.monotonic();
    this.listening = new Promise((resolve, reject) => {
      this.#resolveListening = resolve;
      this.#rejectListening = reject;
    });
    this.#stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve;
    });
    this.#child = child;
    this.exited = child.ended.then((reason) => {
      this.#hasExited = true;
      this.#rejectListening(new Error(`worker ${number} ended at its start: ${reason}`));
      for (const question of [...this.#resolversByQuestion.keys()]) this.#resolveQuestion(question);
    });
    this.#link = new ProcessLink(child.process.stdio[WORKER_LINK_FD] as Socket);
    const busId = randomBytes(12).toString('hex');
    serveBusOverLink(this.#link, hub, clock, busId, holdReply);
    serveEventLogOverLink(this.#link, node.ports.log);
    handleMessagesFromWorker(this.#link, (message) => this.#handleMessage(message));
    sendToWorker(this.#link, ['start', { config, secret, busId, number, port }]);
    // The rejection is the end of a replacement, too, which nothing waits for.
    this.listening.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#child.process.pid;
  }

  leave(): void {
    sendToWorker(this.#link, ['leave']);
  }

  /** Stops the frontend, then the process. */
  async stop(graceMs: number, clock: Clock): Promise<void> {
    sendToWorker(this.#link, ['stop', graceMs]);
    await waitAtMost(clock, Promise.race([this.#stopped, this.exited]), graceMs + STOP_TIMEOUT_MS);
    await waitAtMost(clock, this.exited, EXIT_TIMEOUT_MS);
    this.kill();
    await this.exited;
  }

  kill(): void {
    this.#child.kill();
    this.#link.close();
  }

  /** Asks the worker for a sign of life, once it has started. @returns false if it hangs */
  ping(): boolean {
    if (!this.#isListening) return true;
    if (++this.#unansweredPings > MAX_UNANSWERED_PINGS || this.#link.unsentBytes > MAX_UNSENT_BYTES) return false;
    sendToWorker(this.#link, ['ping', ++this.#lastQuestion]);
    return true;
  }

  /** Resolves when the worker has handled every log entry that was sent to it so far, or has ended. */
  async waitUntilEntriesHandled(): Promise<void> {
    await this.#ask('ping');
  }

  /** Reads the metrics of the worker; undefined: it has ended, or it is starting. */
  async readMetrics(): Promise<WorkerMetrics | undefined> {
    return this.#isListening ? this.#ask('readMetrics') : undefined;
  }

  #ask(what: 'ping' | 'readMetrics'): Promise<WorkerMetrics | undefined> {
    if (this.#hasExited) return Promise.resolve(undefined);
    const question = ++this.#lastQuestion;
    return new Promise((resolve) => {
      this.#resolversByQuestion.set(question, resolve);
      sendToWorker(this.#link, [what, question]);
    });
  }

  #resolveQuestion(question: number, metrics?: WorkerMetrics): void {
    this.#resolversByQuestion.get(question)?.(metrics);
    this.#resolversByQuestion.delete(question);
  }

  #handleMessage(message: MessageFromWorker): void {
    this.#unansweredPings = 0;
    switch (message[0]) {
      case 'listening':
        this.#isListening = true;
        this.#resolveListening({ port: message[1], hasPage: message[2] });
        return;
      case 'failed':
        this.#rejectListening(new Error(message[1]));
        return;
      case 'metrics':
        this.#resolveQuestion(message[1], message[2]);
        return;
      case 'pong':
        this.#resolveQuestion(message[1]);
        return;
      case 'stopped':
        this.#resolveStopped();
    }
  }
}

/** The workers of a server. A worker that ends or hangs is replaced; its clients go on with their queues. */
export class FrontendWorkers implements RunningFrontend {
  readonly #workersByNumber = new Map<number, WorkerProcess>();
  readonly #replacementTimers = new Set<TimerHandle>();
  readonly #replacementCounter: MetricCounterSeries;
  /** Number of replacements of a worker that ended before they were stable. */
  readonly #earlyEndCountByNumber = new Map<number, number>();
  #stopPings: () => void = () => undefined;
  #isStopping = false;
  port = 0;
  hasPage = false;

  private constructor(private readonly options: FrontendWorkersOptions) {
    this.#replacementCounter = options.node.metrics.findOrCreateCounter('conclave_worker_replacements_total');
  }

  /**
   * Starts the workers. Resolves when all of them listen.
   *
   * @param firstChild process of the first worker, which has loaded its code while the services were opened
   * @throws Error when the address can't be opened
   */
  static async start(options: FrontendWorkersOptions, firstChild: WorkerChild): Promise<FrontendWorkers> {
    const { config, count } = options;
    const workers = new FrontendWorkers(options);
    if (config.port !== 0) await requireFreePort(config.host, config.port);
    try {
      const first = workers.#startWorker(1, config.port, firstChild);
      ({ port: workers.port, hasPage: workers.hasPage } = await first.listening);
      const others = Array.from({ length: count - 1 }, (_, i) => workers.#startWorker(i + 2, workers.port));
      await Promise.all(others.map(({ listening }) => listening));
    } catch (error) {
      await workers.stop(0);
      throw error;
    }
    workers.#watchWorkers();
    return workers;
  }

  get workerPids(): readonly number[] {
    return [...this.#workersByNumber.values()].flatMap(({ pid }) => pid ?? []);
  }

  leave(): void {
    for (const worker of this.#workersByNumber.values()) worker.leave();
  }

  async stop(graceMs: number): Promise<void> {
    const { clock } = this.options.node.ports;
    this.#isStopping = true;
    this.#stopPings();
    for (const timer of this.#replacementTimers) clock.clearTimeout(timer);
    this.#replacementTimers.clear();
    await Promise.all([...this.#workersByNumber.values()].map((worker) => worker.stop(graceMs, clock)));
  }

  #startWorker(number: number, port: number, child = new WorkerChild()): WorkerProcess {
    const worker = new WorkerProcess(this.options, child, number, port, (request, reply) =>
      this.#holdUntilOthersKnowChange(worker, request, reply),
    );
    this.#workersByNumber.set(number, worker);
    void worker.exited.then(() => this.#replaceWorker(worker));
    return worker;
  }

  /**
   * Holds the reply to a change of the directory until all workers know the change: the client's next request may reach
   * another worker.
   */
  #holdUntilOthersKnowChange(asking: WorkerProcess, request: Json, reply: Json): Promise<void> | undefined {
    const others = [...this.#workersByNumber.values()].filter((worker) => worker !== asking);
    const { after } = reply as { readonly after?: number };
    if (others.length === 0 || after === undefined) return undefined;
    const { realm } = parseActorKey((request as unknown as CommandEnvelope).to);
    // Once this process has the log entry, it has sent it to the workers.
    const { directoryReplicas, ports } = this.options.node;
    const known = Promise.resolve(directoryReplicas.waitUntilReady(realm, after))
      .then(() => Promise.all(others.map((worker) => worker.waitUntilEntriesHandled())))
      .then(() => undefined);
    // If the wait fails, the asking worker finds the same and answers accordingly.
    return waitAtMost(ports.clock, known, MAX_HOLD_MS).catch(() => undefined);
  }

  #replaceWorker(ended: WorkerProcess): void {
    const { number } = ended;
    ended.kill();
    if (this.#workersByNumber.get(number) === ended) this.#workersByNumber.delete(number);
    // Before the first worker listens, its end is the failure of the start.
    if (this.#isStopping || this.port === 0) return;
    const { node, logger } = this.options;
    const { clock } = node.ports;
    const isEarly = clock.monotonic() - ended.startedAt < STABLE_AFTER_MS;
    const earlyEnds = isEarly ? (this.#earlyEndCountByNumber.get(number) ?? 0) : 0;
    this.#earlyEndCountByNumber.set(number, earlyEnds + 1);
    const pause = REPLACEMENT_PAUSES_MS[Math.min(earlyEnds, REPLACEMENT_PAUSES_MS.length - 1)]!;
    logger.error({ worker: number, pid: ended.pid, pause }, 'a worker ended and is replaced');
    this.#replacementCounter.n++;
    const timer = clock.setTimeout(() => {
      this.#replacementTimers.delete(timer);
      this.#startWorker(number, this.port);
    }, pause);
    this.#replacementTimers.add(timer);
  }

  #watchWorkers(): void {
    const { node, logger } = this.options;
    this.#stopPings = runPeriodically(node.ports.clock, PING_INTERVAL_MS, () => {
      for (const worker of this.#workersByNumber.values()) {
        if (worker.ping()) continue;
        logger.error({ worker: worker.number, pid: worker.pid }, 'a worker hangs and is killed');
        worker.kill();
      }
    });
    this.#registerMetrics();
  }

  #registerMetrics(): void {
    const { metrics } = this.options.node;
    let read: readonly (readonly [number: number, metrics: WorkerMetrics])[] = [];
    metrics.addRemoteSamples(async () => {
      const asked = [...this.#workersByNumber].map(async ([number, worker]) => {
        const of = await worker.readMetrics();
        return of ? ([[number, of]] as const) : [];
      });
      read = (await Promise.all(asked)).flat();
      return read.flatMap(([, { samples }]) => samples);
    });
    metrics.addReader('conclave_worker_memory_bytes', () =>
      read.map(([number, { residentBytes }]) => [[String(number)], residentBytes] as const),
    );
    metrics.addReader('conclave_worker_cpu_seconds_total', () =>
      read.map(([number, { cpuSeconds }]) => [[String(number)], cpuSeconds] as const),
    );
  }
}

/** Waits for a promise, but not longer than this. */
async function waitAtMost(clock: Clock, promise: Promise<void>, ms: number): Promise<void> {
  let timer: TimerHandle | undefined;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clock.clearTimeout(timer!);
}

/**
 * Checks that no other program listens on the port: the workers could share it with another server of the same user.
 *
 * @throws Error when the port is taken
 */
function requireFreePort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', () => reject(new Error(`cannot listen on ${host}:${port}`)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}
