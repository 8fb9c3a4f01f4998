/** Figures of a run, as an object for JSON and as text. */
import { FAULTS, type FaultKind, type Faults } from './faults.js';
import type { RunHistory, Write } from './history.js';
import type { Poller } from './poller.js';
import { measureResumes, type Quantiles, quantiles } from './resume.js';

export interface Failures {
  /** Reason → number of writes. */
  readonly refused: Readonly<Record<string, number>>;
  readonly unanswered: Readonly<Record<string, number>>;
}

export interface Report {
  readonly seed: number;
  readonly acknowledged: number;
  readonly events: number;
  readonly faults: Readonly<Record<FaultKind, number>>;
  readonly descriptions: readonly string[];
  readonly failures: Failures;
  readonly polls: Readonly<Record<string, number>>;
  /** Time from a kill to resumed delivery, per queue. */
  readonly kills: Quantiles;
  readonly services: Quantiles;
  readonly cuts: Quantiles;
  readonly each: readonly { readonly name: string; readonly times: Quantiles; readonly silent: number }[];
  /** Number of sends that were skipped at the limit of requests in flight. */
  readonly skipped: number;
}

const count = (reasons: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
};

function failures(writes: readonly Write[]): Failures {
  const refused: string[] = [];
  const unanswered: string[] = [];
  for (const { kind, outcome } of writes) {
    if (outcome?.kind === 'refused') refused.push(`${kind}: ${outcome.status} ${outcome.code}`);
    else if (outcome?.kind !== 'acknowledged') unanswered.push(`${kind}: ${outcome?.reason ?? 'still under way'}`);
  }
  return { refused: count(refused), unanswered: count(unanswered) };
}

export function report(
  run: RunHistory,
  faults: Faults,
  pollers: readonly Poller[],
  seed: number,
  skipped: number,
): Report {
  const all = measureResumes(run);
  const of = (kind: string): Quantiles =>
    quantiles(all.filter(({ interruption }) => interruption.kind === kind).flatMap(({ times }) => times));
  const polls: Record<string, number> = {};
  for (const { failures: some } of pollers) for (const [why, n] of some) polls[why] = (polls[why] ?? 0) + n;
  return {
    seed,
    acknowledged: run.writes.filter(({ outcome }) => outcome?.kind === 'acknowledged').length,
    events: run.queues.reduce((sum, { polls: of }) => sum + of.reduce((n, { events }) => n + events.length, 0), 0),
    faults: faults.counts,
    descriptions: faults.descriptions,
    failures: failures(run.writes),
    polls,
    kills: of('kill'),
    services: of('service'),
    cuts: of('cut'),
    each: all.map(({ interruption, times, silent }) => ({ name: interruption.name, times: quantiles(times), silent })),
    skipped,
  };
}

const milliseconds = ({ count: n, p50, p99, max }: Quantiles): string =>
  n === 0 ? 'none' : `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${n} times a queue)`;

const listed = (reasons: Readonly<Record<string, number>>): string =>
  Object.entries(reasons)
    .map(([reason, n]) => `${n} × ${reason}`)
    .join('; ') || 'none';

export function formatReport(report: Report): string {
  const {
    acknowledged,
    events,
    faults,
    descriptions,
    failures: failed,
    polls,
    kills,
    services,
    cuts,
    each,
    skipped,
  } = report;
  return [
    `acknowledged sends, edits and reactions ${acknowledged}, events delivered ${events}`,
    ...Object.entries(FAULTS).map(([kind, meaning]) => `${kind.padEnd(11)}${faults[kind as FaultKind]}  (${meaning})`),
    ...descriptions.map((words) => `  ${words}`),
    `refused: ${listed(failed.refused)}`,
    `without an answer: ${listed(failed.unanswered)}`,
    `polls that failed and were repeated: ${listed(polls)}`,
    ...(skipped > 0 ? [`not sent, because too much was under way: ${skipped}`] : []),
    ...each.map(
      ({ name, times, silent }) => `  ${name}: ${milliseconds(times)}${silent > 0 ? `, ${silent} silent` : ''}`,
    ),
    `from a kill to resumed delivery: ${milliseconds(kills)}`,
    `from a service's end to resumed delivery: ${milliseconds(services)}`,
    `from a host's loss of the store to resumed delivery: ${milliseconds(cuts)}`,
  ].join('\n');
}
