/** One run of the harness against an open target, from accounts to goodbyes. */
import { randomBytes } from 'node:crypto';
import { type Capacity, findCapacity, type Measured } from './capacity.js';
import { now } from './clock.js';
import { Fleet } from './fleet.js';
import { summaryOf } from './histograms.js';
import type { Balance } from './ledger.js';
import type { Mix } from './mix.js';
import type { LoadOptions } from './options.js';
import { type Shape, shapeOf } from './population.js';
import { Preparation } from './prepare.js';
import { Progress } from './progress.js';
import type { Target } from './target.js';
import type { Point, Totals } from './totals.js';
import { doubtsOf, limitOf, warningsOf } from './trust.js';

export interface Outcome {
  readonly points: readonly Point[];
  /** Of the measured time; in a search for the capacity, of everything. */
  readonly totals: Totals;
  readonly everything: Totals;
  /** Seconds in which calls were begun, of what `totals` has. */
  readonly seconds: number;
  /** Of the whole run. */
  readonly balance: Balance;
  readonly warnings: readonly string[];
  readonly capacity: Capacity | undefined;
  readonly interrupted: boolean;
  readonly users: number;
}

/** Time for the last messages to arrive; a later one counts as missing. ms. */
const DRAIN_MS = 10_000;
/** Longest wait until all clients are there and the backlog of a broken step is gone, ms. */
const RECOVER_MS = 60_000;

export class LoadRun {
  readonly #preparation: Preparation;
  readonly #fleet: Fleet;
  readonly #progress: Progress;
  #interrupt: () => void = () => {};
  #interrupted = false;
  readonly #interruption: Promise<void>;
  #clients = 0;

  constructor(
    target: Target,
    private readonly options: LoadOptions,
    mix: Mix,
    private readonly say: (text: string) => void,
  ) {
    this.#interruption = new Promise((resolve) => {
      this.#interrupt = resolve;
    });
    this.#preparation = new Preparation(target, options, say);
    const { peer, authority, path, pids } = target;
    const { workers, seed, devices, timeoutSeconds, connections } = options;
    const run = randomBytes(3).toString('hex');
    const facts = { run, workers, peer, authority, path, mix, seed, devices, connections };
    this.#fleet = new Fleet({ ...facts, timeoutMs: timeoutSeconds * 1_000 }, pids);
    this.#progress = new Progress(options.progressSeconds, say);
    this.#fleet.onPoint = (point) => this.#progress.point(point);
    this.#fleet.onFailed = (error) => {
      say(error.message);
      this.interrupt();
    };
  }

  /** Ends it soon, with what there is. */
  interrupt(): void {
    this.#interrupted = true;
    this.#preparation.stop();
    this.#interrupt();
  }

  async run(): Promise<Outcome> {
    try {
      const { capacity, seconds, users } = this.options.capacity ? await this.#search() : await this.#steady();
      this.#fleet.quiet();
      this.#fleet.phase = 'end';
      await this.#drain();
      const { balance, points, totals, window } = this.#fleet;
      // The goodbyes of everybody at once are no part of it.
      this.#fleet.measure();
      const measured = points.filter(({ phase }) => phase === 'measured');
      return {
        points,
        totals: capacity ? totals : window,
        everything: totals,
        seconds,
        balance,
        warnings: warningsOf(measured.length > 0 ? measured : points),
        capacity,
        interrupted: this.#interrupted,
        users,
      };
    } finally {
      await this.#fleet.stop();
      this.#preparation.close();
    }
  }

  async #steady(): Promise<{ capacity: undefined; seconds: number; users: number }> {
    const { users, rampSeconds, seconds } = this.options;
    await this.#grow(this.#shape(users, false));
    this.say(`ramp: ${users} users in ${rampSeconds} s`);
    const begun = performance.now();
    await this.#to(users, rampSeconds * 1_000);
    const fleet = this.#fleet;
    await this.#until(() => fleet.present.clients >= users * this.options.devices, RECOVER_MS);
    let measuredFrom = begun;
    if (!this.#interrupted) {
      this.#fleet.phase = 'measured';
      this.#fleet.measure();
      measuredFrom = performance.now();
      await this.#sleep(seconds * 1_000);
    }
    return { capacity: undefined, seconds: (performance.now() - measuredFrom) / 1_000, users };
  }

  async #search(): Promise<{ capacity: Capacity; seconds: number; users: number }> {
    const { users: start, mostUsers: most, growth, thresholds, mostMinutes } = this.options;
    const begun = performance.now();
    const capacity = await findCapacity({ start, most, growth, thresholds }, async (users) => {
      if (this.#interrupted || performance.now() - begun > mostMinutes * 60_000) return undefined;
      const measured = await this.#step(users);
      this.say(`step: ${users} users: ${measured ? describe(measured) : 'not finished'}`);
      return measured;
    });
    return { capacity, seconds: (performance.now() - begun) / 1_000, users: capacity.users };
  }

  async #step(users: number): Promise<Measured | undefined> {
    const fleet = this.#fleet;
    const { devices, holdSeconds, settleSeconds, arrivals } = this.options;
    fleet.phase = 'ramp';
    await this.#grow(this.#shape(users, true));
    await this.#to(users, (Math.max(0, users * devices - this.#clients) / arrivals) * 1_000);
    await this.#until(() => fleet.present.clients >= users * devices && fleet.present.inFlight < users, RECOVER_MS);
    await this.#sleep(settleSeconds * 1_000);
    fleet.measure();
    const first = fleet.points.length;
    const before = fleet.missing(now());
    fleet.phase = 'measured';
    await this.#sleep(holdSeconds * 1_000);
    if (this.#interrupted) return undefined;
    const end = now();
    const { window } = fleet;
    const points = fleet.points.slice(first);
    fleet.phase = 'ramp';
    fleet.measure();
    // Messages sent at the very end are still on their way.
    await this.#until(() => fleet.missing(end) <= before, DRAIN_MS);
    return measuredOf(users, window, points, Math.max(0, fleet.missing(end) - before));
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
    while (!holds() && performance.now() < until && !this.#interrupted) await this.#sleep(200);
  }

  /** Shorter when interrupted. */
  async #sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([over, this.#interruption]);
    clearTimeout(timer);
  }
}

function measuredOf(users: number, window: Totals, points: readonly Point[], missing: number): Measured {
  const [calls, deliveries] = [summaryOf(window.calls), summaryOf(window.deliveries)];
  const seconds = points.reduce((sum, point) => sum + point.seconds, 0);
  const mean = (of: (point: Point) => number | null): number =>
    points.reduce((sum, point) => sum + (of(point) ?? Number.NaN), 0) / Math.max(1, points.length);
  const attempts = window.requests + window.polls + deliveries.count + missing;
  const doubtful = points.filter((point) => doubtsOf(point).length > 0).length;
  const cores = (of: number): string => (Number.isNaN(of) ? '' : `, server ${(100 * of).toFixed(0)} %`);
  return {
    users,
    callMean: calls.mean,
    callP99: calls.p99,
    deliveryMean: deliveries.mean,
    deliveryP99: deliveries.p99,
    errors: attempts === 0 ? 0 : (100 * (window.failed + missing)) / attempts,
    limited: window.limited,
    doubts: doubtful * 2 > points.length ? warningsOf(points) : [],
    limit: limitOf(points),
    facts:
      `${(window.requests / seconds).toFixed(0)} calls/s, ${(deliveries.count / seconds).toFixed(0)} deliveries/s` +
      `${cores(mean(({ serverCpu }) => serverCpu))}, harness ${(100 * mean(({ harnessCpu }) => harnessCpu)).toFixed(0)} %, ` +
      `machine ${(100 * mean(({ machineCpu }) => machineCpu)).toFixed(0)} %`,
  };
}

const describe = ({ callMean, callP99, deliveryMean, deliveryP99, errors, facts, doubts }: Measured): string =>
  `calls mean ${callMean.toFixed(1)} p99 ${callP99.toFixed(0)} ms, deliveries mean ${deliveryMean.toFixed(1)} ` +
  `p99 ${deliveryP99.toFixed(0)} ms, errors ${errors.toFixed(3)} %; ${facts}${doubts.map((doubt) => `\n  ! ${doubt}`).join('')}`;
