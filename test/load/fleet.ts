/** Fleet of worker processes; sums their reports per second, per measured time and in total. */
import { type ChildProcess, fork } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuMs, rssBytes } from '../bench/cpu.js';
import { now } from './clock.js';
import { Ledger } from './ledger.js';
import { membersOf, type Shape } from './population.js';
import type { Account, Interval, Report, Setup, StreamInfo, WorkerCommand } from './protocol.js';
import { type Point, pointOf, Totals } from './totals.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const SECOND_MS = 1_000;
/** Delay after which the reports of all workers about a second have arrived, ms. */
const REPORT_DELAY_MS = 3_000;
const STOP_TIMEOUT_MS = 20_000;
/** Shortest time of a point: rates over less say nothing. */
const MIN_POINT_MS = 50;
/** Events of a worker that has ended and whose messages have all been read. */
const ENDS = ['exit', 'disconnect'] as const;

interface WorkerProcess {
  readonly child: ChildProcess;
  lastInterval: Interval | undefined;
  readonly ended: Promise<unknown>;
}

export class Fleet {
  readonly points: Point[] = [];
  /** Totals since the start. */
  readonly totals = new Totals();
  /** Totals since the last `measure`. */
  measuredTotals = new Totals();
  phase = 'ramp';
  onPoint: (point: Point) => void = () => {};
  onFailed: (error: Error) => void = () => {};
  readonly #workers: WorkerProcess[];
  readonly #ledger: Ledger;
  #shape: Shape | undefined;
  #audiences = new Map<number, readonly number[]>();
  #second = new Totals();
  #secondCpuMs: number[] = [];
  #secondStallMs = 0;
  #lastPointAt = 0;
  #seriesStart = 0;
  /** CPU time of each server process at the last point, ms. */
  #serverCpuMs: readonly number[] = [];
  #machine = machineTimes();
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;

  /** @param pids processes of the server, to measure their CPU and memory */
  constructor(
    setup: Omit<Setup, 'worker'>,
    private readonly pids: readonly number[],
  ) {
    this.#ledger = new Ledger((stream) => this.#membersOf(stream), setup.devices);
    this.#workers = Array.from({ length: setup.workers }, (_, worker) => this.#startWorker({ ...setup, worker }));
  }

  setPopulation(from: number, accounts: readonly Account[], streams: readonly StreamInfo[], shape: Shape): void {
    this.#shape = shape;
    this.#audiences = new Map();
    this.#sendCommand({ kind: 'population', from, accounts: accounts.slice(from), streams, shape });
  }

  setClientCount(count: number, from: number, ms: number): void {
    this.#startSeries();
    this.#sendCommand({ kind: 'clients', count, from, at: now(), ms });
  }

  stopActions(): void {
    this.#sendCommand({ kind: 'stop actions' });
  }

  /** Starts a new measured time: clears `window`. */
  startMeasuredTime(): void {
    this.measuredTotals = new Totals();
  }

  get balance(): ReturnType<Ledger['balance']> {
    return this.#ledger.balance();
  }

  /** @returns the missing deliveries of messages acknowledged up to `until` */
  missing(until: number): number {
    return this.#ledger.missing(until);
  }

  get currentCounts(): { readonly clients: number; readonly held: number; readonly inFlight: number } {
    const of = (read: (interval: Interval) => number): number =>
      this.#workers.reduce((sum, { lastInterval }) => sum + (lastInterval ? read(lastInterval) : 0), 0);
    return {
      clients: of(({ clients }) => clients),
      held: of(({ held }) => held),
      inFlight: of(({ inFlight }) => inFlight),
    };
  }

  /** Makes clients delete their queues and workers exit; kills workers after 20 s. */
  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#sendCommand({ kind: 'stop' });
    const killTimer = setTimeout(() => {
      for (const { child } of this.#workers) child.kill('SIGKILL');
    }, STOP_TIMEOUT_MS);
    await Promise.all(this.#workers.map(({ ended }) => ended));
    clearTimeout(killTimer);
    clearInterval(this.#timer);
    if (!this.#timer) return;
    // The timer may have added a point a moment before.
    await delay(2 * MIN_POINT_MS);
    this.#addPoint();
  }

  /** Starts the series of points, at the first client. */
  #startSeries(): void {
    if (this.#timer) return;
    this.#seriesStart = now();
    this.#lastPointAt = this.#seriesStart;
    this.#serverCpuMs = this.#serverTimes();
    this.#machine = machineTimes();
    this.#timer = setInterval(() => this.#addPoint(), SECOND_MS);
  }

  #startWorker(setup: Setup): WorkerProcess {
    const child = fork(WORKER, { execArgv: [], serialization: 'advanced' });
    // The exit of a process may be announced before its last messages are read.
    const ended = Promise.all(ENDS.map((event) => new Promise((resolve) => child.once(event, resolve))));
    const worker: WorkerProcess = { child, lastInterval: undefined, ended };
    child.on('message', (report: Report) => {
      if (report.kind === 'interval') this.#addInterval(worker, report);
      else if (report.kind === 'failed') this.onFailed(new Error(report.error));
    });
    child.once('exit', (code) => {
      if (!this.#stopping) this.onFailed(new Error(`a harness process ended with ${code}`));
    });
    child.send({ kind: 'setup', setup } satisfies WorkerCommand);
    return worker;
  }

  #sendCommand(command: WorkerCommand): void {
    for (const { child } of this.#workers) if (child.connected) child.send(command);
  }

  #addInterval(worker: WorkerProcess, interval: Interval): void {
    worker.lastInterval = interval;
    for (const totals of [this.totals, this.measuredTotals, this.#second]) totals.add(interval);
    this.#secondCpuMs.push(interval.cpuMs / interval.ms);
    this.#secondStallMs = Math.max(this.#secondStallMs, interval.stallMs);
    for (const change of interval.queueChanges) {
      if ('since' in change) this.#ledger.queueStarted(change);
      else this.#ledger.queueEnded(change);
    }
    for (const sent of interval.sent) this.#ledger.sent(sent);
    for (const [token, times] of interval.delivered) this.#ledger.delivered(token, times);
  }

  #addPoint(): void {
    const at = now();
    const seconds = (at - this.#lastPointAt) / SECOND_MS;
    if (seconds * SECOND_MS < MIN_POINT_MS) return;
    const serverCpuMs = this.#serverTimes();
    const machine = machineTimes();
    const cores = serverCpuMs.map((ms, i) => (ms - this.#serverCpuMs[i]!) / (at - this.#lastPointAt));
    const used = cores.reduce((sum, one) => sum + one, 0);
    const known = cores.length > 0 && !Number.isNaN(used);
    const point = pointOf(this.#second, {
      at: (at - this.#seriesStart) / SECOND_MS,
      seconds,
      phase: this.phase,
      ...this.currentCounts,
      serverCpu: known ? used : null,
      serverBusiest: known ? Math.max(...cores) : null,
      serverMib: known ? rssBytes(this.pids) / 2 ** 20 : null,
      harnessCpu: Math.max(0, ...this.#secondCpuMs),
      harnessCores: this.#secondCpuMs.reduce((sum, one) => sum + one, 0),
      harnessMib: this.#workers.reduce((sum, { lastInterval }) => sum + (lastInterval?.rssBytes ?? 0), 0) / 2 ** 20,
      machineCpu: (machine.busy - this.#machine.busy) / Math.max(1, machine.all - this.#machine.all),
      stallMs: this.#secondStallMs,
    });
    this.#second = new Totals();
    this.#secondCpuMs = [];
    this.#secondStallMs = 0;
    this.#lastPointAt = at;
    this.#serverCpuMs = serverCpuMs;
    this.#machine = machine;
    this.#ledger.closeCompleteMessages(at - REPORT_DELAY_MS);
    this.points.push(point);
    this.onPoint(point);
  }

  #serverTimes(): number[] {
    return this.pids.map((pid) => cpuMs([pid]));
  }

  #membersOf(stream: number): readonly number[] {
    let members = this.#audiences.get(stream);
    if (!members) {
      members = this.#shape ? membersOf(this.#shape, stream) : [];
      this.#audiences.set(stream, members);
    }
    return members;
  }
}

/** @returns CPU times of all cores together since boot, ms */
function machineTimes(): { readonly busy: number; readonly all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq;
    busy += used;
    all += used + times.idle;
  }
  return { busy, all };
}
