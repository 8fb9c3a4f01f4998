/** How many users a server carries: steps upward until a threshold breaks, then halves the distance. */
import type { Next } from './next.js';
import type { Thresholds } from './options.js';
import { RATE_LIMIT_HINT } from './prepare.js';
import type { Row } from './report.js';
import type { Limit } from './trust.js';

export interface Measured {
  readonly users: number;
  /** Clients that got an event queue before the measured time, of those that were to. */
  readonly arrived: number;
  readonly clients: number;
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
  /** The side that is to blame if a threshold broke. */
  readonly limitedBy: Limit;
  /** For people: cores, megabytes, rates. */
  readonly facts: string;
  /** Measured time, in seconds since the first client: the points after the first one, until the second. */
  readonly span: readonly [number, number];
  readonly rows: readonly Row[];
  readonly next: Next;
}

export interface Step extends Measured {
  /** Thresholds that broke, in words. */
  readonly broke: readonly string[];
}

/** Reason for the end of a search: the server was found to be too slow, or something else came before that. */
export type End = 'found' | Exclude<Limit, 'server'> | 'max-users' | 'accounts' | 'time' | 'interrupted';

export interface Capacity {
  /** Most that held; 0: not even the first step. */
  readonly users: number;
  /** Fewest that did not hold. */
  readonly brokeAt: number | undefined;
  /** Why not more; empty: the most that was allowed held. */
  readonly broke: readonly string[];
  /** The exhausted resource at that step; empty when `broke` is. */
  readonly limit: string;
  readonly steps: readonly Step[];
  /** With 'found' the capacity is that of the server; otherwise the server carries at least `users`. */
  readonly end: End;
}

const ms = (value: number): string =>
  `${value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)} ms`;

const count = (n: number): string => n.toLocaleString('en-US');

export function broken(measured: Omit<Measured, 'next'>, { mean, p99, errors }: Thresholds): string[] {
  const { callMean, callP99, deliveryMean, deliveryP99, arrived, clients } = measured;
  const faults: string[] = [];
  if (arrived < clients) faults.push(`only ${count(arrived)} of ${count(clients)} clients got an event queue`);
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

/** The remedy where something else than the server ended the search. */
const REMEDIES: Readonly<Record<Exclude<End, 'found'>, string>> = {
  harness: 'the harness is the limit: more --workers, or another machine',
  machine: 'the machine that the harness shares with others is the limit: put the harness on a machine of its own',
  'rate limits': `the rate limits of the server are the limit (429): ${RATE_LIMIT_HINT}`,
  'max-users': 'no more were allowed (--max-users)',
  accounts: 'no more accounts could be made',
  time: 'the time was over (--max-minutes)',
  interrupted: 'the search was interrupted',
};

/** The result in one sentence. */
export function capacityText({ users, brokeAt, end }: Capacity): string {
  const broke = brokeAt === undefined ? '' : `${count(brokeAt)} ${brokeAt === 1 ? 'was' : 'were'} too many`;
  if (end !== 'found') {
    const least = users === 0 ? 'not known' : `at least ${count(users)} users`;
    return `capacity: ${least}${broke === '' ? '' : `, ${broke}`}; ${REMEDIES[end]}`;
  }
  return users === 0 ? `capacity: not even one user (${broke})` : `capacity: ${count(users)} users (${broke})`;
}

export interface Search {
  readonly start: number;
  readonly most: number;
  readonly growth: number;
  readonly thresholds: Thresholds;
  /** Between the most that held and the least that did not, at the end; percent. */
  readonly precision: number;
}

/** Limits that a lower load does not tell more about: the search ends, and its remedy comes first. */
const FINAL: ReadonlySet<Limit> = new Set<Limit>(['harness', 'rate limits']);

/** @param measure the figures of a step, or the reason for which there is no other */
export async function findCapacity(
  { start, most, growth, thresholds, precision }: Search,
  measure: (users: number) => Promise<Measured | End>,
): Promise<Capacity> {
  const steps: Step[] = [];
  let good = 0;
  let bad: Step | undefined;
  let users = Math.min(start, most);
  while (users > good && (!bad || users < bad.users)) {
    let step = await attempt(users);
    if (typeof step === 'string') return done(step);
    if (step.broke.length > 0) {
      // A single bad step may be the machine's: it has a second chance.
      const again = await attempt(users);
      if (typeof again === 'string') {
        bad = step;
        return done(again);
      }
      step = again;
    }
    if (step.broke.length === 0) good = users;
    else bad = step;
    if (bad && FINAL.has(bad.limitedBy)) break;
    if (!bad) users = Math.min(most, Math.max(good + 1, Math.round(good * growth)));
    else if (bad.users - good <= Math.max(1, (good * precision) / 100)) break;
    else users = Math.round((good + bad.users) / 2);
  }
  return done('found');

  function done(reason: End): Capacity {
    const end = bad && bad.limitedBy !== 'server' ? bad.limitedBy : bad || reason !== 'found' ? reason : 'max-users';
    return { users: good, brokeAt: bad?.users, broke: bad?.broke ?? [], limit: bad?.limit ?? '', steps, end };
  }

  async function attempt(number: number): Promise<Step | End> {
    const measured = await measure(number);
    if (typeof measured === 'string') return measured;
    const step = { ...measured, broke: broken(measured, thresholds) };
    steps.push(step);
    return step;
  }
}
