/** One run of the harness against a target: creates accounts, starts clients, measures, and stops the clients. */
import { randomBytes } from 'node:crypto';
import { type AdviceSection, harnessFiguresOf, isReadByRules, makeAdviceSection } from './advice.js';
import { findLimit, limitText } from './bottleneck.js';
import { brokenThresholds, type Capacity, type EndReason, findCapacity, type StepFigures } from './capacity.js';
import { now } from './clock.js';
import { doubtsOf, warningsOf } from './doubts.js';
import { Fleet } from './fleet.js';
import { summaryOf } from './histograms.js';
import type { Balance } from './ledger.js';
import { MetricsWatch } from './metrics-watch.js';
import type { Mix } from './mix.js';
import type { LoadOptions, Thresholds } from './options.js';
import { type Shape, shapeOf } from './population.js';
import { Preparation } from './prepare.js';
import { Progress } from './progress.js';
import { rowsOf } from './report.js';
import type { Target } from './target.js';
import type { Point, Totals } from './totals.js';

export interface Outcome {
  readonly points: readonly Point[];
  /** Totals of the measured time; in a search, of the last good step, or of the whole run if no step was good. */
  readonly totals: Totals;
  /** Totals of the whole run. */
  readonly wholeRun: Totals;
  /** Duration of the time that `totals` covers, s. */
  readonly seconds: number;
  /** Deliveries of the whole run. */
  readonly balance: Balance;
  readonly warnings: readonly string[];
  readonly capacity: Capacity | undefined;
  readonly interrupted: boolean;
  /** Advice from the measured time or from the step at the limit; undefined if nothing was measured. */
  readonly next: (AdviceSection & { readonly of: string }) | undefined;
  readonly users: number;
}

/** Time limit for the last deliveries, ms; a later delivery counts as missing. */
const DRAIN_MS = 10_000;
/** Longest wait until all clients have a queue and the backlog of a bad step is gone, ms. */
const MAX_RECOVERY_MS = 60_000;

type EarlyEnd = 'interrupted' | 'harness' | 'time';

/** Result of a plain run or a search. */
interface MeasuredResult extends Pick<Outcome, 'capacity' | 'seconds' | 'users' | 'next'> {}

/** Figures of a step within the thresholds. */
interface GoodStep {
  readonly totals: Totals;
  readonly seconds: number;
}

export class LoadRun {
  readonly #preparation: Preparation;
  readonly #fleet: Fleet;
  readonly #progress: Progress;
  readonly #watch: MetricsWatch;
  /** Ends all waits of the run. */
  #stopWaiting: () => void = () => {};
  readonly #waitsStopped: Promise<void>;
  /** Reason for an early end, if there is one. */
  #endReason: EarlyEnd | undefined;
  #clients = 0;
  /** Figures of the last good step. */
  #lastGoodStep: GoodStep | undefined;

  constructor(
    private readonly target: Target,
    private readonly options: LoadOptions,
    mix: Mix,
    private readonly print: (text: string) => void,
  ) {
    this.#waitsStopped = new Promise((resolve) => {
      this.#stopWaiting = resolve;
    });
    this.#watch = new MetricsWatch(target.ops, isReadByRules);
    this.#preparation = new Preparation(target, options, print);
    const { peers, authority, path, pids } = target;
    const { workers, seed, devices, timeoutSeconds, connections } = options;
    const run = randomBytes(3).toString('hex');
    const facts = { run, workers, peers, authority, path, mix, seed, devices, connections };
    this.#fleet = new Fleet({ ...facts, timeoutMs: timeoutSeconds * 1_000 }, pids);
    this.#progress = new Progress(options.progressSeconds, print);
    this.#fleet.onPoint = (point) => this.#progress.addPoint(point);
    this.#fleet.onFailed = (error) => {
      print(error.message);
      this.#endEarly('harness');
    };
  }

  /** Ends the run early; its outcome has the figures so far. */
  interrupt(): void {
    this.#endEarly('interrupted');
  }

  #endEarly(reason: EarlyEnd): void {
    this.#endReason ??= reason;
    this.#preparation.stop();
    this.#stopWaiting();
  }

  async run(): Promise<Outcome> {
    try {
      await this.#watch.check();
      const { capacity, seconds, users, next } = this.options.capacity
        ? await this.#searchCapacity()
        : await this.#runAtFixedLoad();
      this.#stopActions();
      await this.#drain();
      const { balance, points, totals, measuredTotals } = this.#fleet;
      const reportedTotals = capacity ? (this.#lastGoodStep?.totals ?? totals) : measuredTotals;
      // The deletion of all queues at the end is not part of the measured time.
      this.#fleet.startMeasuredTime();
      const measured = points.filter(({ phase }) => phase === 'measured');
      return {
        points,
        totals: reportedTotals,
        wholeRun: totals,
        seconds,
        balance,
        warnings: warningsOf(measured.length > 0 ? measured : points),
        capacity,
        interrupted: this.#endReason === 'interrupted' || this.#endReason === 'harness',
        next,
        users,
      };
    } finally {
      this.#watch.stop();
      await this.#fleet.stop();
      this.#preparation.close();
    }
  }

  /** Stops all actions of clients; their polls continue. */
  #stopActions(): void {
    this.#fleet.stopActions();
    this.#fleet.phase = 'end';
  }

  async #runAtFixedLoad(): Promise<MeasuredResult> {
    const { users, rampSeconds, seconds } = this.options;
    await this.#growPopulation(this.#shape(users, false));
    this.print(`ramp: ${users} users in ${rampSeconds} s`);
    const startMs = performance.now();
    await this.#rampTo(users, rampSeconds * 1_000);
    const fleet = this.#fleet;
    await this.#waitUntil(() => fleet.currentCounts.clients >= users * this.options.devices, MAX_RECOVERY_MS);
    if (this.#endReason)
      return { capacity: undefined, seconds: (performance.now() - startMs) / 1_000, users, next: undefined };
    await this.#watch.begin();
    fleet.phase = 'measured';
    fleet.startMeasuredTime();
    const [measuredFrom, first] = [performance.now(), fleet.points.length];
    await this.#sleep(seconds * 1_000);
    const measuredSeconds = (performance.now() - measuredFrom) / 1_000;
    this.#stopActions();
    const clients = users * this.options.devices;
    const [totals, points] = [fleet.measuredTotals, fleet.points.slice(first)];
    const observed = { users, clients, arrived: clients, totals, points, seconds: measuredSeconds, missing: 0 };
    const { next } = await this.#evaluate(observed);
    return { capacity: undefined, seconds: measuredSeconds, users, next: { ...next, of: 'the measured time' } };
  }

  async #searchCapacity(): Promise<MeasuredResult> {
    const { users: start, mostUsers: maxUsers, growth, thresholds, mostMinutes, precision } = this.options;
    const startMs = performance.now();
    const end = startMs + mostMinutes * 60_000;
    const timer = setTimeout(() => this.#endEarly('time'), end - startMs);
    const capacity = await findCapacity({ start, maxUsers, growth, thresholds, precision }, async (users) => {
      const measured = await this.#measureStep(users, end);
      this.print(
        `step: ${users} users: ${typeof measured === 'string' ? 'not finished' : stepText(measured, thresholds)}`,
      );
      return measured;
    });
    clearTimeout(timer);
    const seconds = this.#lastGoodStep?.seconds ?? (performance.now() - startMs) / 1_000;
    const { steps, brokeAt, users } = capacity;
    const atLimit = steps.findLast((step) => step.users === (brokeAt ?? users));
    const next = atLimit && { ...atLimit.next, of: `${atLimit.users.toLocaleString('en-US')} users` };
    return { capacity, seconds, users, next };
  }

  /** @param end time limit of the search, ms; a step that cannot finish by then does not start */
  async #measureStep(users: number, end: number): Promise<StepFigures | EndReason> {
    const fleet = this.#fleet;
    const { devices, holdSeconds, settleSeconds, arrivals } = this.options;
    const clients = users * devices;
    const rampMs = (Math.max(0, clients - this.#clients) / arrivals) * 1_000;
    if (performance.now() + rampMs + (settleSeconds + holdSeconds) * 1_000 > end) return this.#timeLimitReason();
    fleet.phase = 'ramp';
    const failure = await this.#prepare(users);
    if (failure) return failure;
    await this.#rampTo(users, rampMs);
    let arrived = 0;
    await this.#waitUntil(() => {
      arrived = Math.max(arrived, fleet.currentCounts.clients);
      return arrived >= clients;
    }, MAX_RECOVERY_MS);
    await this.#waitUntil(() => fleet.currentCounts.inFlight < users, MAX_RECOVERY_MS);
    await this.#sleep(settleSeconds * 1_000);
    await this.#watch.begin();
    fleet.startMeasuredTime();
    const first = fleet.points.length;
    const before = fleet.missing(now());
    fleet.phase = 'measured';
    const startMs = now();
    await this.#sleep(holdSeconds * 1_000);
    if (this.#endReason) return this.#endReason;
    const until = now();
    const seconds = (until - startMs) / 1_000;
    const { measuredTotals: totals } = fleet;
    const points = fleet.points.slice(first);
    fleet.phase = 'ramp';
    fleet.startMeasuredTime();
    // The last messages of the step may not be delivered yet.
    await this.#waitUntil(() => fleet.missing(until) <= before, DRAIN_MS);
    if (this.#endReason) return this.#endReason;
    const missing = Math.max(0, fleet.missing(until) - before);
    const observed = { users, clients, arrived: Math.min(arrived, clients), totals, points, seconds, missing };
    const measured = await this.#evaluate(observed);
    if (brokenThresholds(measured, this.options.thresholds).length === 0) this.#lastGoodStep = { totals, seconds };
    return measured;
  }

  async #evaluate(observed: ObservedFigures): Promise<StepFigures> {
    const measured = stepFiguresOf(observed);
    const harness = harnessFiguresOf(observed.points, observed.totals.limited, this.target.isLocal);
    const processes = await this.#watch.end();
    return {
      ...measured,
      next: makeAdviceSection({ processes, harness }, brokenThresholds(measured, this.options.thresholds)),
    };
  }

  /** Creates the accounts and streams of a step. @returns the reason if they could not be created */
  async #prepare(users: number): Promise<EndReason | undefined> {
    try {
      await this.#growPopulation(this.#shape(users, true));
      return undefined;
    } catch (error) {
      if (this.#endReason) return this.#endReason === 'time' ? this.#timeLimitReason() : this.#endReason;
      // Without any client there is nothing to report.
      if (this.#clients === 0) throw error;
      this.print(`${this.#preparation.accounts.length} accounts: ${(error as Error).message}`);
      return 'accounts';
    }
  }

  /** @returns 'rate limits' instead of 'time' if the creation of accounts had to wait for rate limits */
  #timeLimitReason(): EndReason {
    return this.#preparation.isLimited ? 'rate limits' : 'time';
  }

  #shape(users: number, grows: boolean): Shape {
    const { seed, streams, smallest, largest } = this.options;
    return shapeOf({ seed, users, streams, smallest, largest, grows });
  }

  async #growPopulation(shape: Shape): Promise<void> {
    const from = this.#preparation.accounts.length;
    // A step with fewer users keeps the streams of the larger step.
    if (shape.users <= from) return;
    await this.#preparation.grow(shape);
    this.#fleet.setPopulation(from, this.#preparation.accounts, this.#preparation.streams, shape);
  }

  /** Changes the number of clients. @param ms time in which new clients start */
  async #rampTo(users: number, ms: number): Promise<void> {
    const clients = users * this.options.devices;
    this.#fleet.setClientCount(clients, this.#clients, ms);
    this.#clients = clients;
    await this.#sleep(ms);
  }

  /** Waits up to 10 s for the remaining deliveries. */
  async #drain(): Promise<void> {
    const { currentCounts } = this.#fleet;
    if (currentCounts.clients === 0) return;
    // The next reports of all workers, which include the current calls, take up to 2 s.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const until = performance.now() + DRAIN_MS;
    while (performance.now() < until) {
      if (this.#fleet.currentCounts.inFlight === 0 && this.#fleet.balance.missing === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async #waitUntil(isMet: () => boolean, ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!isMet() && performance.now() < until && !this.#endReason) await this.#sleep(200);
  }

  /** Waits for `ms`, or until the run ends early. */
  async #sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([timeout, this.#waitsStopped]);
    clearTimeout(timer);
  }
}

/** Raw figures of a measured time. */
interface ObservedFigures extends Pick<StepFigures, 'users' | 'clients' | 'arrived'> {
  readonly totals: Totals;
  readonly points: readonly Point[];
  readonly seconds: number;
  readonly missing: number;
}

function stepFiguresOf({
  users,
  clients,
  arrived,
  totals,
  points,
  seconds,
  missing,
}: ObservedFigures): Omit<StepFigures, 'next'> {
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
    limit: limitText(points),
    limitedBy: findLimit(points, totals),
    facts:
      `${(totals.requests / seconds).toFixed(0)} calls/s, ${(deliveries.count / seconds).toFixed(0)} deliveries/s` +
      `${cores(mean(({ serverCpu }) => serverCpu))}, harness ${(100 * mean(({ harnessCpu }) => harnessCpu)).toFixed(0)} %, ` +
      `machine ${(100 * mean(({ machineCpu }) => machineCpu)).toFixed(0)} %`,
    span: [(points[0]?.at ?? 0) - (points[0]?.seconds ?? 0), points.at(-1)?.at ?? 0],
    rows: rowsOf({ totals, seconds }),
  };
}

function stepText(measured: StepFigures, thresholds: Thresholds): string {
  const { callMean, callP99, deliveryMean, deliveryP99, errors, facts, doubts } = measured;
  const broke = brokenThresholds(measured, thresholds);
  return [
    `calls mean ${callMean.toFixed(1)} p99 ${callP99.toFixed(0)} ms, deliveries mean ${deliveryMean.toFixed(1)} ` +
      `p99 ${deliveryP99.toFixed(0)} ms, errors ${errors.toFixed(3)} %; ${facts}`,
    ...(broke.length > 0 ? [`  broke: ${broke.join('; ')}`] : []),
    ...doubts.map((doubt) => `  ! ${doubt}`),
  ].join('\n');
}
