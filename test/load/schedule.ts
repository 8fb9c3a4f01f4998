/** When a simulated client does what, from a seed: the same for any number of worker processes and any server. */
import { Random } from '../cluster/scheduler.js';
import type { Entry, Mix } from './mix.js';

/** Random numbers of the nth thing under a seed. */
export const randomOf = (seed: number, nth: number): Random =>
  new Random((Math.imul(seed, 0x85ebca6b) ^ Math.imul(nth + 1, 0xc2b2ae35)) >>> 0);

/** A time of an exponential distribution, in the unit of its mean. */
export const exponential = (random: Random, mean: number): number => -Math.log(1 - random.next()) * mean;

/** An index, as likely as its weight. */
export function weighted(random: Random, weights: readonly number[]): number {
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i]!;
    if (left < 0) return i;
  }
  return weights.length - 1;
}

export interface Planned {
  /** Milliseconds since the client began. */
  readonly at: number;
  readonly entry: Entry;
}

/**
 * Endless schedule of one client: the entries with `perMinute` are one Poisson process (the sum of Poisson processes is
 * one, too), and the entries with `everySeconds` come at fixed distances from a random first time.
 */
export class Schedule {
  readonly #poisson: readonly Entry[];
  readonly #rates: readonly number[];
  readonly #meanMs: number;
  #poissonAt: number;
  readonly #periodic: { at: number; readonly entry: Entry; readonly ms: number }[] = [];

  constructor(
    private readonly random: Random,
    mix: Mix,
  ) {
    this.#poisson = mix.actions.filter(({ perMinute }) => perMinute !== undefined && perMinute > 0);
    this.#rates = this.#poisson.map(({ perMinute }) => perMinute!);
    this.#meanMs = 60_000 / this.#rates.reduce((sum, rate) => sum + rate, 0);
    this.#poissonAt = this.#poisson.length === 0 ? Number.POSITIVE_INFINITY : exponential(random, this.#meanMs);
    for (const entry of mix.actions) {
      if (entry.everySeconds === undefined) continue;
      const ms = entry.everySeconds * 1_000;
      this.#periodic.push({ at: random.next() * ms, entry, ms });
    }
  }

  /** The next in order of time; undefined: the mix has nothing that clients do of their own accord. */
  next(): Planned | undefined {
    let soonest: { at: number; readonly entry: Entry; readonly ms: number } | undefined;
    for (const one of this.#periodic) if (soonest === undefined || one.at < soonest.at) soonest = one;
    if (soonest !== undefined && soonest.at <= this.#poissonAt) {
      const { at, entry } = soonest;
      soonest.at += soonest.ms;
      return { at, entry };
    }
    if (this.#poisson.length === 0) return undefined;
    const at = this.#poissonAt;
    this.#poissonAt += exponential(this.random, this.#meanMs);
    return { at, entry: this.#poisson[weighted(this.random, this.#rates)]! };
  }
}
