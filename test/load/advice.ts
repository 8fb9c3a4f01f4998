/**
 * Advice on what to add next to a deployment: rules that find resources at their limit in the metrics of its processes
 * and name the remedy. Order and thresholds are those of docs/scaling.md, "The first limits".
 */
import { freemem, totalmem } from 'node:os';
import { FULL_CORE_SHARE } from './bottleneck.js';
import { RATE_LIMIT_HINT } from './prepare.js';
import type { ProcessFigures, ReadMetric } from './process-figures.js';
import { formatMs, formatRate } from './report.js';
import type { Point } from './totals.js';

/** Figures that the harness measures itself. */
export interface HarnessFigures {
  /** CPU of the busiest worker, in cores. */
  readonly busiest: number;
  /** Number of calls that the server refused with 429. */
  readonly limited: number;
  /** Used shares of the machine's cores and memory; undefined if the server runs on another machine. */
  readonly machine: { readonly cores: number; readonly memory: number } | undefined;
}

export interface Evidence {
  readonly processes: readonly ProcessFigures[];
  readonly harness: HarnessFigures;
}

/** Value that a rule compares with its threshold. */
interface Reading {
  readonly value: number;
  /** Process, actor kind or limit that has the value. */
  readonly of: string;
}

export interface Rule {
  /** Name of the resource in docs/scaling.md. */
  readonly limit: string;
  readonly metrics: readonly ReadMetric[];
  /** The rule gives advice if the value exceeds the threshold. */
  readonly threshold: number;
  /** Unit of the threshold: a share, seconds, bytes per second, or the counted things. */
  readonly unit: '%' | 's' | 'B/s' | 'refused' | 'commands' | 'per s' | 'hosts';
  /** @returns the value; undefined if the metrics are missing */
  read(evidence: Evidence): Reading | undefined;
  evidenceText(reading: Reading): string;
  readonly remedy: string;
  /** Remedy for the embedded face, if it differs. */
  readonly embedded?: string;
}

export interface Advice {
  readonly limit: string;
  readonly evidence: string;
  readonly remedy: string;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const millisecondsText = (seconds: number): string => `${formatMs(seconds * 1_000)} ms`;

/** Smallest number of values for a quantile; quantiles of fewer values are chance. */
const MIN_QUANTILE_VALUES = 20;

const largestReading = (readings: readonly (Reading | undefined)[]): Reading | undefined =>
  readings.reduce(
    (most, one) => (one && Number.isFinite(one.value) && (!most || one.value > most.value) ? one : most),
    undefined,
  );

type ProcessValue = (process: ProcessFigures) => number | undefined;

/** @returns a reading of the process with the largest value */
const largestOfProcesses =
  (value: ProcessValue, roles: readonly string[] = ['http', 'actors', 'all']): Rule['read'] =>
  ({ processes }) =>
    largestReading(
      processes
        .filter(({ role }) => role !== undefined && roles.includes(role))
        .map((process) => ({ value: value(process) ?? Number.NaN, of: process.name })),
    );

/** @returns a reading of the sum over all processes; undefined if no process has the value */
const sumOfProcesses =
  (value: ProcessValue): Rule['read'] =>
  ({ processes }) => {
    const values = processes.map(value).filter((one) => one !== undefined);
    return values.length === 0 ? undefined : { value: values.reduce((sum, one) => sum + one, 0), of: 'all processes' };
  };

const cpuOf: ProcessValue = (process) => process.rate('process_cpu_seconds_total');
const CPU_METRICS = ['process_cpu_seconds_total'] as const;
const cpuText = ({ value, of }: Reading): string => `${of} used ${percent(value)} of a core`;

const loopDelay: ProcessValue = (process) => process.mean('conclave_event_loop_delay_seconds');
const LOOP_DELAY_METRICS = ['conclave_event_loop_delay_seconds'] as const;
const loopDelayText = ({ value, of }: Reading): string => `timers of ${of} were ${millisecondsText(value)} late`;
/** Event loop delay of the alert `ConclaveEventLoopLate`, s. */
const MAX_LOOP_DELAY_S = 0.1;

/** Reading of the busiest worker of an embedded server. */
const busiestWorker: Rule['read'] = ({ processes }) =>
  largestReading(
    processes.flatMap((process) =>
      process.labelValues('conclave_worker_cpu_seconds_total', 'worker').map((worker) => ({
        value: process.rate('conclave_worker_cpu_seconds_total', { worker }) ?? Number.NaN,
        of: `worker ${worker} of ${process.name}`,
      })),
    ),
  );

/** Reading of the fullest mailbox, if it has at least half of the waiting commands of its actor kind. */
const fullestMailbox =
  (isKind: (kind: string) => boolean): Rule['read'] =>
  ({ processes }) =>
    largestReading(
      processes.flatMap((process) =>
        process
          .labelValues('conclave_mailbox_commands_max', 'kind')
          .filter(isKind)
          .map((kind) => {
            const value = process.mean('conclave_mailbox_commands_max', { kind }) ?? Number.NaN;
            const all = process.mean('conclave_mailbox_commands', { kind }) ?? value;
            return value * 2 < all ? undefined : { value, of: `one actor of kind ${kind} on ${process.name}` };
          }),
      ),
    );

const MAILBOX_METRICS = ['conclave_mailbox_commands_max', 'conclave_mailbox_commands'] as const;
const waitingText = ({ value, of }: Reading): string => `${formatRate(value)} commands waited for ${of}`;
/** Waiting commands of one actor, which take 50 ms at 200 commits per second of 10 commands each. */
const MAX_WAITING_COMMANDS = 100;

const CONVERSATIONS: ReadonlySet<string> = new Set(['stream', 'dm']);

const isEmbedded = ({ processes }: Evidence): boolean => processes.some((process) => process.isEmbedded);
const onFace =
  (embedded: boolean, read: Rule['read']): Rule['read'] =>
  (evidence) =>
    isEmbedded(evidence) === embedded ? read(evidence) : undefined;

const refusalsByLabel = (process: ProcessFigures, name: ReadMetric, label: string): string =>
  process
    .labelValues(name, label)
    .map((value) => ({ value, count: process.increase(name, { [label]: value }) ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ value, count }) => `${value} ${count}`)
    .join(', ');

const appendP99: ProcessValue = (process) => process.quantile('conclave_log_append_seconds', 0.99, MIN_QUANTILE_VALUES);
const commitP99: ProcessValue = (process) => process.quantile('conclave_commit_seconds', 0.99, MIN_QUANTILE_VALUES);
const p99Text =
  (what: string) =>
  ({ value, of }: Reading): string =>
    `one in a hundred ${what} of ${of} took ${millisecondsText(value)}`;

export const RULES: readonly Rule[] = [
  {
    limit: 'the harness',
    metrics: [],
    threshold: FULL_CORE_SHARE,
    unit: '%',
    read: ({ harness }) => ({ value: harness.busiest, of: 'a process of the harness' }),
    evidenceText: cpuText,
    remedy:
      'more --workers of the harness, or another machine for it: these figures are of harness and server together',
  },
  {
    limit: 'cores of the machine',
    metrics: [],
    threshold: FULL_CORE_SHARE,
    unit: '%',
    read: ({ harness: { machine } }) => machine && { value: machine.cores, of: 'the machine' },
    evidenceText: ({ value }) => `${percent(value)} of the cores that server, services and harness share were busy`,
    remedy: 'the harness on a machine of its own; then more cores, or another machine for some of the processes',
  },
  {
    limit: 'rate limits',
    metrics: ['conclave_http_rate_limited_total'],
    threshold: 0,
    unit: 'refused',
    read: ({ processes, harness }) => {
      const value = Math.max(
        harness.limited,
        processes.reduce((sum, process) => sum + (process.increase('conclave_http_rate_limited_total') ?? 0), 0),
      );
      const limits = processes.map((process) => refusalsByLabel(process, 'conclave_http_rate_limited_total', 'limit'));
      return { value, of: limits.filter(Boolean).join(', ') };
    },
    evidenceText: ({ value, of }) => `${value} calls were refused with 429${of === '' ? '' : ` (by limit: ${of})`}`,
    remedy: RATE_LIMIT_HINT,
  },
  {
    limit: 'requests and polls of a frontend',
    metrics: ['conclave_http_overload_total'],
    threshold: 0,
    unit: 'refused',
    read: largestOfProcesses((process) => process.increase('conclave_http_overload_total')),
    evidenceText: ({ value, of }) => `${of} answered 503 to ${value} requests`,
    remedy: 'another frontend; or larger --max-polls and --max-requests while its CPU and memory have room',
  },
  {
    limit: 'connections of a frontend',
    metrics: ['conclave_http_turned_away_connections_total'],
    threshold: 0,
    unit: 'refused',
    read: largestOfProcesses((process) => process.increase('conclave_http_turned_away_connections_total')),
    evidenceText: ({ value, of }) => `${of} turned connections away, ${value} times`,
    remedy: 'another frontend; or a larger --max-connections while its CPU and memory have room',
  },
  {
    limit: 'file descriptors',
    metrics: ['process_open_fds', 'process_max_fds'],
    threshold: 0.8,
    unit: '%',
    read: largestOfProcesses((process) => {
      const [open, most] = [process.mean('process_open_fds'), process.mean('process_max_fds')];
      return open === undefined || !most ? undefined : open / most;
    }),
    evidenceText: ({ value, of }) => `${of} used ${percent(value)} of its file descriptors`,
    remedy: 'a larger LimitNOFILE (ulimit -n), or another frontend: it needs one for each client',
  },
  {
    limit: 'CPU of frontends',
    metrics: CPU_METRICS,
    threshold: FULL_CORE_SHARE,
    unit: '%',
    read: largestOfProcesses(cpuOf, ['http']),
    evidenceText: cpuText,
    remedy: 'another frontend: nothing else changes',
  },
  {
    limit: 'late timers of frontends',
    metrics: LOOP_DELAY_METRICS,
    threshold: MAX_LOOP_DELAY_S,
    unit: 's',
    read: largestOfProcesses(loopDelay, ['http']),
    evidenceText: loopDelayText,
    remedy: 'another frontend, on another machine if this one does not give it a core',
  },
  {
    limit: 'CPU of actor hosts',
    metrics: CPU_METRICS,
    threshold: FULL_CORE_SHARE,
    unit: '%',
    read: onFace(false, largestOfProcesses(cpuOf, ['actors', 'all'])),
    evidenceText: cpuText,
    remedy: 'another actor host, unless one conversation or one organization is the reason (below)',
  },
  {
    limit: 'late timers of actor hosts',
    metrics: LOOP_DELAY_METRICS,
    threshold: MAX_LOOP_DELAY_S,
    unit: 's',
    read: onFace(false, largestOfProcesses(loopDelay, ['actors', 'all'])),
    evidenceText: loopDelayText,
    remedy: 'another actor host, on another machine if this one does not give it a core',
  },
  {
    limit: 'CPU of workers',
    metrics: ['conclave_worker_cpu_seconds_total'],
    threshold: FULL_CORE_SHARE,
    unit: '%',
    read: busiestWorker,
    evidenceText: cpuText,
    remedy: 'more workers (--workers of the server) while the machine has cores',
  },
  {
    limit: 'CPU of the embedded server',
    metrics: CPU_METRICS,
    threshold: FULL_CORE_SHARE,
    unit: '%',
    read: onFace(true, largestOfProcesses(cpuOf)),
    evidenceText: cpuText,
    remedy:
      'workers (--workers of the server) if it has none; else a cluster: the actors of the embedded face share one process',
  },
  {
    limit: 'late timers of the embedded server',
    metrics: LOOP_DELAY_METRICS,
    threshold: MAX_LOOP_DELAY_S,
    unit: 's',
    read: onFace(true, largestOfProcesses(loopDelay)),
    evidenceText: loopDelayText,
    remedy: 'a machine with more cores; else a cluster',
  },
  {
    limit: 'one conversation',
    metrics: MAILBOX_METRICS,
    threshold: MAX_WAITING_COMMANDS,
    unit: 'commands',
    read: fullestMailbox((kind) => CONVERSATIONS.has(kind)),
    evidenceText: waitingText,
    remedy:
      'nothing to add: a stream shares commits by itself; a faster Store, and messages spread over several streams',
  },
  {
    limit: 'the log of one organization',
    metrics: ['conclave_log_entries_total'],
    threshold: 5_000,
    unit: 'per s',
    read: largestOfProcesses((process) => process.rate('conclave_log_entries_total')),
    evidenceText: ({ value, of }) => `${of} read ${formatRate(value)} log entries a second`,
    remedy:
      'nothing up to 14,000 a second, the log of a million people: an entry that a process does not need costs it 5 µs; then several clusters, as more processes do not help: each reads every entry',
  },
  {
    limit: 'appends to the log',
    metrics: ['conclave_log_append_seconds'],
    threshold: 0.05,
    unit: 's',
    read: largestOfProcesses(appendP99),
    evidenceText: p99Text('appends'),
    remedy: 'NATS: faster disks, or machines of its own; its leader needs a core',
    embedded: 'a faster disk',
  },
  {
    limit: 'number of appends to the log',
    metrics: ['conclave_log_appends_total'],
    threshold: 3_600,
    unit: 'per s',
    read: sumOfProcesses((process) => process.rate('conclave_log_appends_total', { result: 'done' })),
    evidenceText: ({ value }) =>
      `${formatRate(value)} appends a second, of 7,200 that one log stream of three NATS servers took`,
    remedy: 'NATS: faster disks; then --log-streams N, if there are many organizations; then several clusters',
  },
  {
    limit: 'commits',
    metrics: ['conclave_commit_seconds'],
    threshold: 0.1,
    unit: 's',
    read: largestOfProcesses(commitP99),
    evidenceText: p99Text('commits'),
    remedy: 'MongoDB: faster disks first, then sharded collections',
    embedded: 'a faster disk',
  },
  {
    limit: 'one organization',
    metrics: MAILBOX_METRICS,
    threshold: MAX_WAITING_COMMANDS,
    unit: 'commands',
    read: fullestMailbox((kind) => kind === 'realm'),
    evidenceText: waitingText,
    remedy: 'fewer changes of accounts, streams and subscriptions at once: they wait in one lane and share commits',
  },
  {
    limit: 'another actor',
    metrics: MAILBOX_METRICS,
    threshold: MAX_WAITING_COMMANDS,
    unit: 'commands',
    read: fullestMailbox((kind) => kind !== 'realm' && !CONVERSATIONS.has(kind)),
    evidenceText: waitingText,
    remedy: 'nothing to add: one account asks for more than one actor can do, or the Store is slow',
  },
  {
    limit: 'partitions',
    metrics: ['conclave_cluster_hosts'],
    threshold: 106,
    unit: 'hosts',
    read: largestOfProcesses((process) => process.mean('conclave_cluster_hosts'), ['actors', 'all']),
    evidenceText: ({ value }) => `${Math.round(value)} actor hosts share 256 partitions`,
    remedy: 'several clusters',
  },
  {
    limit: 'fan-out of NATS',
    metrics: ['conclave_bus_bytes_total'],
    threshold: 100_000_000,
    unit: 'B/s',
    read: sumOfProcesses((process) => process.rate('conclave_bus_bytes_total')),
    evidenceText: ({ value }) => `all processes together exchanged ${formatRate(value / 1e6)} MB a second with NATS`,
    remedy: 'three NATS servers that share it, and a faster network; then several clusters',
  },
  {
    limit: 'memory of the machine',
    metrics: [],
    threshold: 0.9,
    unit: '%',
    read: ({ harness: { machine } }) => machine && { value: machine.memory, of: 'the machine' },
    evidenceText: ({ value }) => `${percent(value)} of the memory of the machine was in use`,
    remedy: 'more memory, or another machine',
  },
  {
    limit: 'memory of a process',
    metrics: ['nodejs_gc_duration_seconds'],
    threshold: 0.2,
    unit: '%',
    read: largestOfProcesses((process) => process.rate('nodejs_gc_duration_seconds_sum')),
    evidenceText: ({ value, of }) => `${of} spent ${percent(value)} of its time on garbage collection`,
    remedy: 'more memory for it (NODE_OPTIONS=--max-old-space-size=MB), or more processes',
  },
];

/** @returns the threshold with its unit, like "85 %" or "100 ms" */
export function thresholdText({ threshold, unit }: Rule): string {
  if (unit === '%') return percent(threshold);
  if (unit === 's') return `${threshold * 1_000} ms`;
  if (unit === 'B/s') return `${threshold / 1e6} MB per s`;
  return `${threshold.toLocaleString('en-US')} ${unit}`;
}

const METRICS_TO_KEEP: ReadonlySet<string> = new Set([
  ...RULES.flatMap(({ metrics }) => metrics),
  ...['conclave_build_info', 'process_resident_memory_bytes', 'conclave_worker_memory_bytes'],
]);

/** @returns whether a rule or the report reads the metric */
export const isReadByRules = (name: string): boolean => METRICS_TO_KEEP.has(name);

/** @returns advice for each limit that the deployment has reached */
export const adviceOf = (evidence: Evidence): Advice[] =>
  RULES.flatMap(({ limit, threshold, read, evidenceText, remedy, embedded = remedy }) => {
    const reading = read(evidence);
    if (!reading || reading.value <= threshold) return [];
    return [{ limit, evidence: evidenceText(reading), remedy: isEmbedded(evidence) ? embedded : remedy }];
  });

/** @returns how far the resources are from their limits, in words */
function remainingRoomOf(evidence: Evidence): string {
  const busiest = largestReading([largestOfProcesses(cpuOf)(evidence), busiestWorker(evidence)]);
  const figures = [
    busiest && `the busiest process (${busiest.of}) used ${percent(busiest.value)} of a core`,
    ...(
      [
        [largestOfProcesses(loopDelay), 'timers were late by'],
        [largestOfProcesses(commitP99), '99 of 100 commits took less than'],
        [largestOfProcesses(appendP99), '99 of 100 appends took less than'],
      ] as const
    ).map(([read, words]) => {
      const reading = read(evidence);
      return reading && `${words} ${millisecondsText(reading.value)}`;
    }),
  ];
  return figures.filter(Boolean).join('; ');
}

/** Section "What to add next" of the report. */
export interface AdviceSection {
  readonly advice: readonly Advice[];
  /** Distance of the resources from their limits, in words; empty if there is advice. */
  readonly room: string;
  readonly processes: readonly ProcessRow[];
}

export interface ProcessRow {
  readonly name: string;
  /** CPU use, in cores. */
  readonly cpu: number | undefined;
  readonly memoryMib: number | undefined;
  readonly lateMs: number | undefined;
}

const rowOf = (process: ProcessFigures): ProcessRow => {
  const [memory, delay] = [process.mean('process_resident_memory_bytes'), loopDelay(process)];
  return {
    name: process.name,
    cpu: cpuOf(process),
    memoryMib: memory === undefined ? undefined : memory / 2 ** 20,
    lateMs: delay === undefined ? undefined : delay * 1_000,
  };
};

const workerRows = (process: ProcessFigures): ProcessRow[] =>
  process.labelValues('conclave_worker_cpu_seconds_total', 'worker').map((worker) => {
    const memory = process.mean('conclave_worker_memory_bytes', { worker });
    return {
      name: `worker ${worker} of ${process.name}`,
      cpu: process.rate('conclave_worker_cpu_seconds_total', { worker }),
      memoryMib: memory === undefined ? undefined : memory / 2 ** 20,
      lateMs: undefined,
    };
  });

/** @param broke thresholds that broke in the measured time, in words */
export function makeAdviceSection(evidence: Evidence, broke: readonly string[]): AdviceSection {
  const { processes } = evidence;
  const advice = adviceOf(evidence);
  const rows = processes.flatMap((process) => [rowOf(process), ...workerRows(process)]);
  const room = remainingRoomOf(evidence);
  if (advice.length > 0) return { advice, room: '', processes: rows };
  if (processes.length === 0) {
    const why =
      'not known: the metrics of the deployment were not read (--metrics URL,URL: the port for operators of each process)';
    return { advice, room: why, processes: rows };
  }
  const nothing =
    broke.length === 0
      ? 'nothing was at its limit'
      : 'no resource that these metrics show was at its limit: look at the network, a proxy, and processes that --metrics leaves out';
  return { advice, room: room === '' ? nothing : `${nothing}: ${room}`, processes: rows };
}

/** @returns the sentences of the section */
export const adviceText = ({ advice, room }: AdviceSection): string[] =>
  advice.length === 0
    ? [room]
    : advice.map(({ limit, evidence, remedy }) => `${limit}: ${evidence}. Remedy: ${remedy}`);

/** @param isLocal whether the server runs on the harness's machine */
export const harnessFiguresOf = (points: readonly Point[], limited: number, isLocal: boolean): HarnessFigures => {
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / Math.max(1, points.length);
  return {
    busiest: mean(({ harnessCpu }) => harnessCpu),
    limited,
    machine: isLocal ? { cores: mean(({ machineCpu }) => machineCpu), memory: 1 - freemem() / totalmem() } : undefined,
  };
};
