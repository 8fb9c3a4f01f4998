/** One run of the harness against an open target, from accounts to goodbyes. */
import { randomBytes } from 'node:crypto';
import { broken, type Capacity, type End, findCapacity, type Measured } from './capacity.js';
import { now } from './clock.js';
import { Fleet } from './fleet.js';
import { summaryOf } from './histograms.js';
import type { Balance } from './ledger.js';
import type { Mix } from './mix.js';
import { harnessFiguresOf, isReadByRules, type Next, nextOf } from './next.js';
import type { LoadOptions, Thresholds } from './options.js';
import { type Shape, shapeOf } from './population.js';
import { Preparation } from './prepare.js';
import { Progress } from './progress.js';
import { rowsOf } from './report.js';
import type { Target } from './target.js';
import type { Point, Totals } from './totals.js';
import { doubtsOf, limitedBy, limitOf, warningsOf } from './trust.js';
import { MetricsWatch } from './watch.js';

export interface Outcome {
  readonly points: readonly Point[];
  /** Of the measured time; in a search for the capacity, of the last step that held, or of everything if none did. */
  readonly totals: Totals;
  readonly everything: Totals;
  /** Seconds in which calls were begun, of what `totals` has. */
  readonly seconds: number;
  /** Of the whole run. */
  readonly balance: Balance;
  readonly warnings: readonly string[];
  readonly capacity: Capacity | undefined;
  readonly interrupted: boolean;
  /** Of the measured time, or of the step at the limit; undefined: nothing was measured. */
  readonly next: (Next & { readonly of: string }) | undefined;
  readonly users: number;
}

/** Time for the last messages to arrive; a later one counts as missing. ms. */
const DRAIN_MS = 10_000;
/** Longest wait until all clients are there and the backlog of a broken step is gone, ms. */
const RECOVER_MS = 60_000;

type EarlyEnd = 'interrupted' | 'harness' | 'time';

/** Result of the measuring itself. */
interface Found extends Pick<Outcome, 'capacity' | 'seconds' | 'users' | 'next'> {}

interface Held {
  readonly totals: Totals;
  readonly seconds: number;
}

export class LoadRun {
  readonly #preparation: Preparation;
  readonly #fleet: Fleet;
  readonly #progress: Progress;
  readonly #watch: MetricsWatch;
  /** Ends all waiting. */
  #end: () => void = () => {};
  readonly #ended: Promise<void>;
  /** Reason for an early end. */
  #reason: EarlyEnd | undefined;
  #clients = 0;
  /** Of the last step that held. */
  #held: Held | undefined;

  constructor(
    private readonly target: Target,
    private readonly options: LoadOptions,
    mix: Mix,
    private readonly say: (text: string) => void,
  ) {
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#watch = new MetricsWatch(target.ops, isReadByRules);
    this.#preparation = new Preparation(target, options, say);
    const { peers, authority, path, pids } = target;
    const { workers, seed, devices, timeoutSeconds, connections } = options;
    const run = randomBytes(3).toString('hex');
    const facts = { run, workers, peers, authority, path, mix, seed, devices, connections };
    this.#fleet = new Fleet({ ...facts, timeoutMs: timeoutSeconds * 1_000 }, pids);
    this.#progress = new Progress(options.progressSeconds, say);
    this.#fleet.onPoint = (point) => this.#progress.point(point);
    this.#fleet.onFailed = (error) => {
      say(error.message);
      this.#endEarly('harness');
    };
  }

  /** Ends it soon, with what there is. */
  interrupt(): void {
    this.#endEarly('interrupted');
  }

  #endEarly(reason: EarlyEnd): void {
    this.#reason ??= reason;
    this.#preparation.stop();
    this.#end();
  }

  async run(): Promise<Outcome> {
    try {
      await this.#watch.check();
      const { capacity, seconds, users, next } = this.options.capacity ? await this.#search() : await this.#steady();
      this.#quiet();
      await this.#drain();
      const { balance, points, totals, window } = this.#fleet;
      const measuredTotals = capacity ? (this.#held?.totals ?? totals) : window;
      // The goodbyes of everybody at once are no part of it.
      this.#fleet.measure();
      const measured = points.filter(({ phase }) => phase === 'measured');
      return {
        points,
        totals: measuredTotals,
        everything: totals,
        seconds,
        balance,
        warnings: warningsOf(measured.length > 0 ? measured : points),
        capacity,
        interrupted: this.#reason === 'interrupted' || this.#reason === 'harness',
        next,
        users,
      };
    } finally {
      this.#watch.stop();
      await this.#fleet.stop();
      this.#preparation.close();
    }
  }

  /** From here on clients hold their polls and do nothing else. */
  #quiet(): void {
    this.#fleet.quiet();
    this.#fleet.phase = 'end';
  }

  async #steady(): Promise<Found> {
    const { users, rampSeconds, seconds } = this.options;
    await this.#grow(this.#shape(users, false));
    this.say(`ramp: ${users} users in ${rampSeconds} s`);
    const begun = performance.now();
    await this.#to(users, rampSeconds * 1_000);
    const fleet = this.#fleet;
    await this.#until(() => fleet.present.clients >= users * this.options.devices, RECOVER_MS);
    if (this.#reason)
      return { capacity: undefined, seconds: (performance.now() - begun) / 1_000, users, next: undefined };
    await this.#watch.begin();
    fleet.phase = 'measured';
    fleet.measure();
    const [measuredFrom, first] = [performance.now(), fleet.points.length];
    await this.#sleep(seconds * 1_000);
    const measuredSeconds = (performance.now() - measuredFrom) / 1_000;
    this.#quiet();
    const clients = users * this.options.devices;
    const [totals, points] = [fleet.window, fleet.points.slice(first)];
    const observed = { users, clients, arrived: clients, totals, points, seconds: measuredSeconds, missing: 0 };
    const { next } = await this.#measured(observed);
    return { capacity: undefined, seconds: measuredSeconds, users, next: { ...next, of: 'the measured time' } };
  }

  async #search(): Promise<Found> {
    const { users: start, mostUsers: most, growth, thresholds, mostMinutes, precision } = this.options;
    const begun = performance.now();
    const end = begun + mostMinutes * 60_000;
    const timer = setTimeout(() => this.#endEarly('time'), end - begun);
    const capacity = await findCapacity({ start, most, growth, thresholds, precision }, async (users) => {
      const measured = await this.#step(users, end);
      this.say(
        `step: ${users} users: ${typeof measured === 'string' ? 'not finished' : describe(measured, thresholds)}`,
      );
      return measured;
    });
    clearTimeout(timer);
    const seconds = this.#held?.seconds ?? (performance.now() - begun) / 1_000;
    const { steps, brokeAt, users } = capacity;
    const atLimit = steps.findLast((step) => step.users === (brokeAt ?? users));
    const next = atLimit && { ...atLimit.next, of: `${atLimit.users.toLocaleString('en-US')} users` };
    return { capacity, seconds, users, next };
  }

  /** @param end a step that takes longer is not begun */
  async #step(users: number, end: number): Promise<Measured | End> {
    const fleet = this.#fleet;
    const { devices, holdSeconds, settleSeconds, arrivals } = this.options;
    const clients = users * devices;
    const rampMs = (Math.max(0, clients - this.#clients) / arrivals) * 1_000;
    if (performance.now() + rampMs + (settleSeconds + holdSeconds) * 1_000 > end) return this.#timeIsOver();
    fleet.phase = 'ramp';
    const unprepared = await this.#prepare(users);
    if (unprepared) return unprepared;
    await this.#to(users, rampMs);
    let arrived = 0;
    await this.#until(() => {
      arrived = Math.max(arrived, fleet.present.clients);
      return arrived >= clients;
    }, RECOVER_MS);
    await this.#until(() => fleet.present.inFlight < users, RECOVER_MS);
    await this.#sleep(settleSeconds * 1_000);
    await this.#watch.begin();
    fleet.measure();
    const first = fleet.points.length;
    const before = fleet.missing(now());
    fleet.phase = 'measured';
    const begun = now();
    await this.#sleep(holdSeconds * 1_000);
    if (this.#reason) return this.#reason;
    const until = now();
    const seconds = (until - begun) / 1_000;
    const { window: totals } = fleet;
    const points = fleet.points.slice(first);
    fleet.phase = 'ramp';
    fleet.measure();
    // Messages sent at the very end are still on their way.
    await this.#until(() => fleet.missing(until) <= before, DRAIN_MS);
    if (this.#reason) return this.#reason;
    const missing = Math.max(0, fleet.missing(until) - before);
    const observed = { users, clients, arrived: Math.min(arrived, clients), totals, points, seconds, missing };
    const measured = await this.#measured(observed);
    if (broken(measured, this.options.thresholds).length === 0) this.#held = { totals, seconds };
    return measured;
  }

  async #measured(observed: Observed): Promise<Measured> {
    const measured = measuredOf(observed);
    const harness = harnessFiguresOf(observed.points, observed.totals.limited, this.target.isLocal);
    const processes = await this.#watch.end();
    return { ...measured, next: nextOf({ processes, harness }, broken(measured, this.options.thresholds)) };
  }

  /** Accounts and streams of a step. @returns the reason for which they could not be made */
  async #prepare(users: number): Promise<End | undefined> {
    try {
      await this.#grow(this.#shape(users, true));
      return undefined;
    } catch (error) {
      if (this.#reason) return this.#reason === 'time' ? this.#timeIsOver() : this.#reason;
      // Without any account there is nothing to report.
      if (this.#clients === 0) throw error;
      this.say(`${this.#preparation.accounts.length} accounts: ${(error as Error).message}`);
      return 'accounts';
    }
  }

  /** Accounts that waited for rate limits took the time that a search without them has. */
  #timeIsOver(): End {
    return this.#preparation.isLimited ? 'rate limits' : 'time';
  }

  #shape(users: number, grows: boolean): Shape {
    const { seed, streams, smallest, largest } = this.options;
    return shapeOf({ seed, users, streams, smallest, largest, grows });
  }

  async #grow(shape: Shape): Promise<void> {
    const from = this.#preparation.accounts.length;
    // Fewer users than before: the streams stay as they were.
    if (shape.users <= from) return;
    await this.#preparation.grow(shape);
    this.#fleet.world(from, this.#preparation.accounts, this.#preparation.streams, shape);
  }

  /** @param ms for the new ones to begin */
  async #to(users: number, ms: number): Promise<void> {
    const clients = users * this.options.devices;
    this.#fleet.clients(clients, this.#clients, ms);
    this.#clients = clients;
    await this.#sleep(ms);
  }

  /** Until what was sent has arrived everywhere; what hasn't by then is missing. */
  async #drain(): Promise<void> {
    const { present } = this.#fleet;
    if (present.clients === 0) return;
    // Reports of what is under way now come with the next second.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const until = performance.now() + DRAIN_MS;
    while (performance.now() < until) {
      if (this.#fleet.present.inFlight === 0 && this.#fleet.balance.missing === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async #until(holds: () => boolean, ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!holds() && performance.now() < until && !this.#reason) await this.#sleep(200);
  }

  /** Shorter when the run ends early. */
  async #sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([over, this.#ended]);
    clearTimeout(timer);
  }
}

/** Figures of one step of a search, as they were taken. */
interface Observed extends Pick<Measured, 'users' | 'clients' | 'arrived'> {
  readonly totals: Totals;
  readonly points: readonly Point[];
  readonly seconds: number;
  readonly missing: number;
}

function measuredOf({ users, clients, arrived, totals, points, seconds, missing }: Observed): Omit<Measured, 'next'> {
  const [calls, deliveries] = [summaryOf(totals.calls), summaryOf(totals.deliveries)];
  const mean = (of: (point: Point) => number | null): number =>
    points.reduce((sum, point) => sum + (of(point) ?? Number.NaN), 0) / Math.max(1, points.length);
  const attempts = totals.requests + totals.polls + deliveries.count + missing;
  const doubtful = points.filter((point) => doubtsOf(point).length > 0).length;
  const cores = (of: number): string => (Number.isNaN(of) ? '' : `, server ${(100 * of).toFixed(0)} %`);
  return {
    users,
    clients,
    arrived,
    callMean: calls.mean,
    callP99: calls.p99,
    deliveryMean: deliveries.mean,
    deliveryP99: deliveries.p99,
    errors: attempts === 0 ? 0 : (100 * (totals.failed + missing)) / attempts,
    limited: totals.limited,
    doubts: doubtful * 2 > points.length ? warningsOf(points) : [],
    limit: limitOf(points),
    limitedBy: limitedBy(points, totals),
    facts:
      `${(totals.requests / seconds).toFixed(0)} calls/s, ${(deliveries.count / seconds).toFixed(0)} deliveries/s` +
      `${cores(mean(({ serverCpu }) => serverCpu))}, harness ${(100 * mean(({ harnessCpu }) => harnessCpu)).toFixed(0)} %, ` +
      `machine ${(100 * mean(({ machineCpu }) => machineCpu)).toFixed(0)} %`,
    span: [(points[0]?.at ?? 0) - (points[0]?.seconds ?? 0), points.at(-1)?.at ?? 0],
    rows: rowsOf({ totals, seconds }),
  };
}

function describe(measured: Measured, thresholds: Thresholds): string {
  const { callMean, callP99, deliveryMean, deliveryP99, errors, facts, doubts } = measured;
  const broke = broken(measured, thresholds);
  return [
    `calls mean ${callMean.toFixed(1)} p99 ${callP99.toFixed(0)} ms, deliveries mean ${deliveryMean.toFixed(1)} ` +
      `p99 ${deliveryP99.toFixed(0)} ms, errors ${errors.toFixed(3)} %; ${facts}`,
    ...(broke.length > 0 ? [`  broke: ${broke.join('; ')}`] : []),
    ...doubts.map((doubt) => `  ! ${doubt}`),
  ].join('\n');
}
