/** Seeded schedule of a client's actions; it does not depend on the number of workers or on the server. */
import { Random } from '../cluster/scheduler.js';
import type { Mix, MixEntry } from './mix.js';

/** @returns a generator of random numbers; each `nth` has an independent sequence of the same seed */
export const makeRandom = (seed: number, nth: number): Random =>
  new Random((Math.imul(seed, 0x85ebca6b) ^ Math.imul(nth + 1, 0xc2b2ae35)) >>> 0);

/** @returns a random value of an exponential distribution, in the unit of its mean */
export const randomExponential = (random: Random, mean: number): number => -Math.log(1 - random.next()) * mean;

/** @returns a random index with a probability proportional to its weight */
export function pickWeightedIndex(random: Random, weights: readonly number[]): number {
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i]!;
    if (left < 0) return i;
  }
  return weights.length - 1;
}

export interface PlannedAction {
  /** Time since the start of the schedule, ms. */
  readonly at: number;
  readonly entry: MixEntry;
}

/**
 * Endless schedule of one client. The entries with `perMinute` form one Poisson process, as a sum of Poisson processes
 * is one; the entries with `everySeconds` repeat at fixed intervals from a random first time.
 */
export class Schedule {
  readonly #poisson: readonly MixEntry[];
  readonly #rates: readonly number[];
  readonly #meanMs: number;
  #poissonAt: number;
  readonly #periodic: { at: number; readonly entry: MixEntry; readonly ms: number }[] = [];

  constructor(
    private readonly random: Random,
    mix: Mix,
  ) {
    this.#poisson = mix.actions.filter(({ perMinute }) => perMinute !== undefined && perMinute > 0);
    this.#rates = this.#poisson.map(({ perMinute }) => perMinute!);
    this.#meanMs = 60_000 / this.#rates.reduce((sum, rate) => sum + rate, 0);
    this.#poissonAt = this.#poisson.length === 0 ? Number.POSITIVE_INFINITY : randomExponential(random, this.#meanMs);
    for (const entry of mix.actions) {
      if (entry.everySeconds === undefined) continue;
      const ms = entry.everySeconds * 1_000;
      this.#periodic.push({ at: random.next() * ms, entry, ms });
    }
  }

  /** @returns the next action in order of time; undefined if the mix has no action with its own times */
  next(): PlannedAction | undefined {
    let soonest: { at: number; readonly entry: MixEntry; readonly ms: number } | undefined;
    for (const one of this.#periodic) if (soonest === undefined || one.at < soonest.at) soonest = one;
    if (soonest !== undefined && soonest.at <= this.#poissonAt) {
      const { at, entry } = soonest;
      soonest.at += soonest.ms;
      return { at, entry };
    }
    if (this.#poisson.length === 0) return undefined;
    const at = this.#poissonAt;
    this.#poissonAt += randomExponential(this.random, this.#meanMs);
    return { at, entry: this.#poisson[pickWeightedIndex(this.random, this.#rates)]! };
  }
}
