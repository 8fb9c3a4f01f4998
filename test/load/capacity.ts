/** Search for the capacity of a server: raises the users until a threshold breaks, then bisects. */
import type { AdviceSection } from './advice.js';
import type { Limit } from './bottleneck.js';
import type { Thresholds } from './options.js';
import { RATE_LIMIT_HINT } from './prepare.js';
import type { Row } from './report.js';

/** Figures of one step of the search. */
export interface StepFigures {
  readonly users: number;
  /** Number of clients that got an event queue before the measured time, and their intended number. */
  readonly arrived: number;
  readonly clients: number;
  /** Latencies of calls and deliveries from their intended times, ms. */
  readonly callMean: number;
  readonly callP99: number;
  readonly deliveryMean: number;
  readonly deliveryP99: number;
  /** Failed calls and missing deliveries, % of both. */
  readonly errors: number;
  /** Number of calls that the server refused with 429. */
  readonly limited: number;
  /** Reasons to doubt the figures, in words. */
  readonly doubts: readonly string[];
  /** Exhausted resource, in words. */
  readonly limit: string;
  /** Cause of a broken threshold. */
  readonly limitedBy: Limit;
  /** CPU use and rates, in words. */
  readonly facts: string;
  /** Start and end of the measured time, s since the first client. */
  readonly span: readonly [number, number];
  readonly rows: readonly Row[];
  readonly next: AdviceSection;
}

export interface Step extends StepFigures {
  /** Broken thresholds, in words. */
  readonly broke: readonly string[];
}

/** Reason for the end of a search. 'found' means that the server broke a threshold. */
export type EndReason = 'found' | Exclude<Limit, 'server'> | 'max-users' | 'accounts' | 'time' | 'interrupted';

export interface Capacity {
  /** Largest number of users within the thresholds; 0 if the first step broke one. */
  readonly users: number;
  /** Smallest number of users that broke a threshold. */
  readonly brokeAt: number | undefined;
  /** Thresholds that `brokeAt` users broke, in words; empty if no step broke one. */
  readonly broke: readonly string[];
  /** Resource that `brokeAt` users exhausted, in words; empty if no step broke a threshold. */
  readonly limit: string;
  readonly steps: readonly Step[];
  /** Reason for the end. Unless it is 'found', the server carries at least `users`. */
  readonly end: EndReason;
}

const formatMs = (value: number): string =>
  `${value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)} ms`;

const formatCount = (n: number): string => n.toLocaleString('en-US');

export function brokenThresholds(measured: Omit<StepFigures, 'next'>, { mean, p99, errors }: Thresholds): string[] {
  const { callMean, callP99, deliveryMean, deliveryP99, arrived, clients } = measured;
  const faults: string[] = [];
  if (arrived < clients)
    faults.push(`only ${formatCount(arrived)} of ${formatCount(clients)} clients got an event queue`);
  if (callMean > mean) faults.push(`mean of calls ${formatMs(callMean)} > ${mean} ms`);
  if (deliveryMean > mean) faults.push(`mean of deliveries ${formatMs(deliveryMean)} > ${mean} ms`);
  if (callP99 > p99) faults.push(`p99 of calls ${formatMs(callP99)} > ${p99} ms`);
  if (deliveryP99 > p99) faults.push(`p99 of deliveries ${formatMs(deliveryP99)} > ${p99} ms`);
  if (measured.errors > errors) {
    const why = measured.limited > 0 ? `, ${measured.limited} of them rate limits` : '';
    faults.push(`errors ${measured.errors.toPrecision(3)} % > ${errors} %${why}`);
  }
  return faults;
}

/** Sentence of the report for each end other than 'found', with the remedy. */
const REMEDIES: Readonly<Record<Exclude<EndReason, 'found'>, string>> = {
  harness: 'the harness is the limit: more --workers, or another machine',
  machine: 'the machine that harness and server share is the limit: put the harness on a machine of its own',
  'rate limits': `the rate limits of the server are the limit (429): ${RATE_LIMIT_HINT}`,
  'max-users': '--max-users allowed no more',
  accounts: 'further accounts could not be created',
  time: 'the time limit ended the search (--max-minutes)',
  interrupted: 'the search was interrupted',
};

/** @returns the result of the search in one sentence */
export function capacityText({ users, brokeAt, end }: Capacity): string {
  const broke = brokeAt === undefined ? '' : `${formatCount(brokeAt)} ${brokeAt === 1 ? 'was' : 'were'} too many`;
  if (end !== 'found') {
    const least = users === 0 ? 'not known' : `at least ${formatCount(users)} users`;
    return `capacity: ${least}${broke === '' ? '' : `, ${broke}`}; ${REMEDIES[end]}`;
  }
  return users === 0 ? `capacity: not even one user (${broke})` : `capacity: ${formatCount(users)} users (${broke})`;
}

export interface Search {
  readonly start: number;
  readonly maxUsers: number;
  readonly growth: number;
  readonly thresholds: Thresholds;
  /** Largest distance between `users` and `brokeAt` at the end of the search, %. */
  readonly precision: number;
}

/** Limits that end the search at once, because steps with fewer users would not show the server's capacity either. */
const LIMITS_THAT_END_SEARCH: ReadonlySet<Limit> = new Set<Limit>(['harness', 'rate limits']);

/** @param measure runs a step and returns its figures, or the reason for the end of the search */
export async function findCapacity(
  { start, maxUsers, growth, thresholds, precision }: Search,
  measure: (users: number) => Promise<StepFigures | EndReason>,
): Promise<Capacity> {
  const steps: Step[] = [];
  let highestGood = 0;
  let lowestBad: Step | undefined;
  let users = Math.min(start, maxUsers);
  while (users > highestGood && (!lowestBad || users < lowestBad.users)) {
    let step = await runStep(users);
    if (typeof step === 'string') return finish(step);
    if (step.broke.length > 0) {
      // The step is repeated once, because another program may have slowed the machine down.
      const repeated = await runStep(users);
      if (typeof repeated === 'string') {
        lowestBad = step;
        return finish(repeated);
      }
      step = repeated;
    }
    if (step.broke.length === 0) highestGood = users;
    else lowestBad = step;
    if (lowestBad && LIMITS_THAT_END_SEARCH.has(lowestBad.limitedBy)) break;
    if (!lowestBad) users = Math.min(maxUsers, Math.max(highestGood + 1, Math.round(highestGood * growth)));
    else if (lowestBad.users - highestGood <= Math.max(1, (highestGood * precision) / 100)) break;
    else users = Math.round((highestGood + lowestBad.users) / 2);
  }
  return finish('found');

  function finish(reason: EndReason): Capacity {
    const end =
      lowestBad && lowestBad.limitedBy !== 'server'
        ? lowestBad.limitedBy
        : lowestBad || reason !== 'found'
          ? reason
          : 'max-users';
    return {
      users: highestGood,
      brokeAt: lowestBad?.users,
      broke: lowestBad?.broke ?? [],
      limit: lowestBad?.limit ?? '',
      steps,
      end,
    };
  }

  async function runStep(number: number): Promise<Step | EndReason> {
    const measured = await measure(number);
    if (typeof measured === 'string') return measured;
    const step = { ...measured, broke: brokenThresholds(measured, thresholds) };
    steps.push(step);
    return step;
  }
}
