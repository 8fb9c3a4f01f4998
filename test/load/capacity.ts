/** How many users a server carries: steps upward until a threshold breaks, then halves the distance. */
import type { Thresholds } from './options.js';

export interface Measured {
  readonly users: number;
  /** Calls from their intended times, and deliveries; milliseconds. */
  readonly callMean: number;
  readonly callP99: number;
  readonly deliveryMean: number;
  readonly deliveryP99: number;
  /** Percent of calls and deliveries. */
  readonly errors: number;
  /** The server refused calls for their rate. */
  readonly limited: number;
  /** Reasons not to trust the figures. */
  readonly doubts: readonly string[];
  /** The exhausted resource, in words. */
  readonly limit: string;
  /** For people: cores, megabytes, rates. */
  readonly facts: string;
}

export interface Step extends Measured {
  /** Thresholds that broke, in words. */
  readonly broke: readonly string[];
}

export interface Capacity {
  /** Most that held; 0: not even the first step. */
  readonly users: number;
  /** Why not more; empty: the most that was allowed held. */
  readonly broke: readonly string[];
  /** The exhausted resource at that step; empty when `broke` is. */
  readonly limit: string;
  readonly steps: readonly Step[];
  /** Time or patience ended before the search did. */
  readonly unfinished: boolean;
}

const ms = (value: number): string =>
  `${value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)} ms`;

export function broken(measured: Measured, { mean, p99, errors }: Thresholds): string[] {
  const { callMean, callP99, deliveryMean, deliveryP99 } = measured;
  const faults: string[] = [];
  if (callMean > mean) faults.push(`mean of calls ${ms(callMean)} > ${mean} ms`);
  if (deliveryMean > mean) faults.push(`mean of deliveries ${ms(deliveryMean)} > ${mean} ms`);
  if (callP99 > p99) faults.push(`p99 of calls ${ms(callP99)} > ${p99} ms`);
  if (deliveryP99 > p99) faults.push(`p99 of deliveries ${ms(deliveryP99)} > ${p99} ms`);
  if (measured.errors > errors) {
    const why = measured.limited > 0 ? `, ${measured.limited} of them rate limits` : '';
    faults.push(`errors ${measured.errors.toPrecision(3)} % > ${errors} %${why}`);
  }
  return faults;
}

export interface Search {
  readonly start: number;
  readonly most: number;
  readonly growth: number;
  readonly thresholds: Thresholds;
}

/** Between the most that held and the least that didn't, at the end. */
const PRECISION = 0.06;

/** @param measure undefined: there is no time for another step */
export async function findCapacity(
  { start, most, growth, thresholds }: Search,
  measure: (users: number) => Promise<Measured | undefined>,
): Promise<Capacity> {
  const steps: Step[] = [];
  let good = 0;
  let bad: Step | undefined;
  const done = (unfinished: boolean): Capacity => ({
    users: good,
    broke: bad?.broke ?? [],
    limit: bad?.limit ?? '',
    steps,
    unfinished,
  });
  let users = Math.min(start, most);
  while (users > good && (!bad || users < bad.users)) {
    let step = await attempt(users);
    // A single bad step may be the machine's: it has a second chance.
    if (step && step.broke.length > 0) step = await attempt(users);
    if (!step) return done(true);
    if (step.broke.length === 0) good = users;
    else bad = step;
    if (!bad) users = Math.min(most, Math.max(good + 1, Math.round(good * growth)));
    else if (bad.users - good <= Math.max(1, good * PRECISION)) break;
    else users = Math.round((good + bad.users) / 2);
  }
  return done(false);

  async function attempt(count: number): Promise<Step | undefined> {
    const measured = await measure(count);
    if (!measured) return undefined;
    const step = { ...measured, broke: broken(measured, thresholds) };
    steps.push(step);
    return step;
  }
}
