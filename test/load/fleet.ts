/** The worker processes, and what they saw, second by second. */
import { type ChildProcess, fork } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { cpuMs, rssBytes } from '../bench/cpu.js';
import { now } from './clock.js';
import { Ledger } from './ledger.js';
import { membersOf, type Shape } from './population.js';
import type { Account, Interval, Order, Report, Setup, StreamFacts } from './protocol.js';
import { type Point, pointOf, Totals } from './totals.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const SECOND_MS = 1_000;
/** Reports of a second are all there this much later. */
const REPORTED_MS = 3_000;
const STOP_LIMIT_MS = 20_000;

interface Member {
  readonly child: ChildProcess;
  last: Interval | undefined;
  readonly ended: Promise<void>;
}

export class Fleet {
  readonly points: Point[] = [];
  /** Everything since the start. */
  readonly totals = new Totals();
  /** Since `measure`. */
  window = new Totals();
  phase = 'ramp';
  onPoint: (point: Point) => void = () => {};
  onFailed: (error: Error) => void = () => {};
  readonly #members: Member[];
  readonly #ledger: Ledger;
  #shape: Shape | undefined;
  #audiences = new Map<number, readonly number[]>();
  #second = new Totals();
  #secondCpuMs: number[] = [];
  #secondStallMs = 0;
  #told = 0;
  #begun = 0;
  /** CPU time of each process of the server, ms. */
  #serverCpuMs: readonly number[] = [];
  #machine = machineTimes();
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;

  /** @param pids of the server */
  constructor(
    setup: Omit<Setup, 'worker'>,
    private readonly pids: readonly number[],
  ) {
    this.#ledger = new Ledger((stream) => this.#audience(stream), setup.devices);
    this.#members = Array.from({ length: setup.workers }, (_, worker) => this.#start({ ...setup, worker }));
  }

  world(from: number, accounts: readonly Account[], streams: readonly StreamFacts[], shape: Shape): void {
    this.#shape = shape;
    this.#audiences = new Map();
    this.#order({ kind: 'world', from, accounts: accounts.slice(from), streams, shape });
  }

  clients(count: number, from: number, ms: number): void {
    this.#watch();
    this.#order({ kind: 'clients', count, from, at: now(), ms });
  }

  quiet(): void {
    this.#order({ kind: 'quiet' });
  }

  /** Figures of the time from here on. */
  measure(): void {
    this.window = new Totals();
  }

  get balance(): ReturnType<Ledger['balance']> {
    return this.#ledger.balance();
  }

  /** Deliveries of messages acknowledged until then that haven't happened. */
  missing(until: number): number {
    return this.#ledger.missing(until);
  }

  get present(): { readonly clients: number; readonly held: number; readonly inFlight: number } {
    const of = (read: (interval: Interval) => number): number =>
      this.#members.reduce((sum, { last }) => sum + (last ? read(last) : 0), 0);
    return {
      clients: of(({ clients }) => clients),
      held: of(({ held }) => held),
      inFlight: of(({ inFlight }) => inFlight),
    };
  }

  /** Clients drop their queues, workers end. */
  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#order({ kind: 'stop' });
    const late = setTimeout(() => {
      for (const { child } of this.#members) child.kill('SIGKILL');
    }, STOP_LIMIT_MS);
    await Promise.all(this.#members.map(({ ended }) => ended));
    clearTimeout(late);
    clearInterval(this.#timer);
    if (this.#timer) this.#tick();
  }

  /** The series begin with the first client. */
  #watch(): void {
    if (this.#timer) return;
    this.#begun = now();
    this.#told = this.#begun;
    this.#serverCpuMs = this.#serverTimes();
    this.#machine = machineTimes();
    this.#timer = setInterval(() => this.#tick(), SECOND_MS);
  }

  #start(setup: Setup): Member {
    const child = fork(WORKER, { execArgv: [], serialization: 'advanced' });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const member: Member = { child, last: undefined, ended };
    child.on('message', (report: Report) => {
      if (report.kind === 'interval') this.#take(member, report);
      else if (report.kind === 'failed') this.onFailed(new Error(report.error));
    });
    child.once('exit', (code) => {
      if (!this.#stopping) this.onFailed(new Error(`a harness process ended with ${code}`));
    });
    child.send({ kind: 'setup', setup } satisfies Order);
    return member;
  }

  #order(order: Order): void {
    for (const { child } of this.#members) if (child.connected) child.send(order);
  }

  #take(member: Member, interval: Interval): void {
    member.last = interval;
    for (const totals of [this.totals, this.window, this.#second]) totals.add(interval);
    this.#secondCpuMs.push(interval.cpuMs / interval.ms);
    this.#secondStallMs = Math.max(this.#secondStallMs, interval.stallMs);
    for (const move of interval.moves) {
      if ('since' in move) this.#ledger.live(move);
      else this.#ledger.gone(move);
    }
    for (const sent of interval.sent) this.#ledger.sent(sent);
    for (const [token, times] of interval.delivered) this.#ledger.delivered(token, times);
  }

  #tick(): void {
    const at = now();
    const seconds = (at - this.#told) / SECOND_MS;
    if (seconds <= 0.05) return;
    const serverCpuMs = this.#serverTimes();
    const machine = machineTimes();
    const cores = serverCpuMs.map((ms, i) => (ms - this.#serverCpuMs[i]!) / (at - this.#told));
    const used = cores.reduce((sum, one) => sum + one, 0);
    const known = cores.length > 0 && !Number.isNaN(used);
    const point = pointOf(this.#second, {
      at: (at - this.#begun) / SECOND_MS,
      seconds,
      phase: this.phase,
      ...this.present,
      serverCpu: known ? used : null,
      serverBusiest: known ? Math.max(...cores) : null,
      serverMib: known ? rssBytes(this.pids) / 2 ** 20 : null,
      harnessCpu: Math.max(0, ...this.#secondCpuMs),
      harnessCores: this.#secondCpuMs.reduce((sum, one) => sum + one, 0),
      harnessMib: this.#members.reduce((sum, { last }) => sum + (last?.rssBytes ?? 0), 0) / 2 ** 20,
      machineCpu: (machine.busy - this.#machine.busy) / Math.max(1, machine.all - this.#machine.all),
      stallMs: this.#secondStallMs,
    });
    this.#second = new Totals();
    this.#secondCpuMs = [];
    this.#secondStallMs = 0;
    this.#told = at;
    this.#serverCpuMs = serverCpuMs;
    this.#machine = machine;
    this.#ledger.settle(at - REPORTED_MS);
    this.points.push(point);
    this.onPoint(point);
  }

  #serverTimes(): number[] {
    return this.pids.map((pid) => cpuMs([pid]));
  }

  #audience(stream: number): readonly number[] {
    let members = this.#audiences.get(stream);
    if (!members) {
      members = this.#shape ? membersOf(this.#shape, stream) : [];
      this.#audiences.set(stream, members);
    }
    return members;
  }
}

/** Milliseconds of all cores together. */
function machineTimes(): { readonly busy: number; readonly all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq;
    busy += used;
    all += used + times.idle;
  }
  return { busy, all };
}
