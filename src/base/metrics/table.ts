/**
 * Every metric of the server, declared once: name, type, labels, meaning. Counting, scrapes, docs/logs-and-metrics.md
 * and the compiler's checks all use this table. Names end in their unit, counters in `_total`. Labels have few values,
 * and the program chooses them: a value never comes from a client.
 */
export interface MetricDeclaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram, ascending. */
  readonly buckets?: readonly number[];
  /** Processes that have the metric: frontends, actor hosts, or all. */
  readonly at: 'frontend' | 'host' | 'all';
}

type MetricProcess = MetricDeclaration['at'];

const declareCounter = <const L extends readonly string[]>(at: MetricProcess, labels: L, help: string) =>
  ({ type: 'counter', at, labels, help }) as const;
const declareGauge = <const L extends readonly string[]>(at: MetricProcess, labels: L, help: string) =>
  ({ type: 'gauge', at, labels, help }) as const;
const declareHistogram = <const L extends readonly string[]>(
  at: MetricProcess,
  labels: L,
  buckets: readonly number[],
  help: string,
) => ({ type: 'histogram', at, labels, buckets, help }) as const;

/** Histogram bounds for work that a client waits for, seconds. */
const LATENCY_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Histogram bounds for long polls, which wait for events, seconds. */
const POLL_BUCKETS_SECONDS = [0.01, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60, 90] as const;
const BATCH_SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;

export const METRIC_DECLARATIONS = {
  conclave_build_info: declareGauge(
    'all',
    ['version', 'role', 'face'],
    'Always 1: version, role and face of the process.',
  ),
  conclave_ready: declareGauge('all', [], '1 when /health/ready would answer 200 by the newest checks, else 0.'),
  conclave_health_check: declareGauge(
    'all',
    ['check'],
    '1 when the check (started, leaving, loop, bus, hosts, log, store, lease) passed when it was last made, else 0.',
  ),
  conclave_event_loop_delay_seconds: declareGauge(
    'all',
    [],
    'By how much timers are late (median of some seconds): what readiness goes by.',
  ),

  conclave_http_requests_total: declareCounter(
    'frontend',
    ['operation', 'status'],
    "Answers by operation of the API and status; operation is 'none' where no operation has that path and method.",
  ),
  conclave_http_request_seconds: declareHistogram(
    'frontend',
    ['operation'],
    LATENCY_BUCKETS_SECONDS,
    'From the arrival of a request to its answer. Polls are not in it.',
  ),
  conclave_http_poll_seconds: declareHistogram(
    'frontend',
    [],
    POLL_BUCKETS_SECONDS,
    'From the arrival of a poll (GET /events) to its answer: mostly waiting for events.',
  ),
  conclave_http_running_requests: declareGauge(
    'frontend',
    [],
    'Requests that are not answered yet, held polls among them.',
  ),
  conclave_http_held_polls: declareGauge('frontend', [], 'Polls that wait for events.'),
  conclave_http_aborted_requests_total: declareCounter(
    'frontend',
    [],
    'Requests whose client went away before the answer.',
  ),
  conclave_http_rate_limited_total: declareCounter(
    'frontend',
    ['limit'],
    'Requests refused because somebody sent too many, by the limit that was reached: user, polls, address, mails, file.',
  ),
  conclave_http_overload_total: declareCounter(
    'frontend',
    ['what'],
    'Requests answered 503 since there were too many: requests, held polls, uploads under way.',
  ),
  conclave_http_compressed_bytes_total: declareCounter(
    'frontend',
    ['side'],
    'Bytes of answers that went out compressed: before compression, and after.',
  ),
  conclave_http_compression_refused_total: declareCounter(
    'frontend',
    [],
    'Answers that went out as they are, although their clients take compressed ones, since too much was being compressed.',
  ),
  conclave_http_turned_away_connections_total: declareCounter(
    'frontend',
    [],
    'Connections refused since there were too many; of the native server, how often it stopped listening for a while.',
  ),
  conclave_http_waiting_answers: declareGauge('frontend', [], 'Answers that their clients have not read whole.'),
  conclave_http_waiting_answer_bytes: declareGauge('frontend', [], 'Bytes of these that are still to be sent.'),
  conclave_http_waiting_body_bytes: declareGauge(
    'frontend',
    [],
    'Bytes received of request bodies that are incomplete.',
  ),
  conclave_http_cut_connections_total: declareCounter(
    'frontend',
    ['what'],
    'Connections cut off because their clients did not read the answer or send the body, or too slowly, or all of them too much.',
  ),

  conclave_worker_replacements_total: declareCounter(
    'host',
    [],
    'Workers (frontends of the embedded face) that ended or hung, and were replaced.',
  ),
  conclave_worker_memory_bytes: declareGauge('host', ['worker'], 'Resident memory of a worker.'),
  conclave_worker_cpu_seconds_total: declareCounter('host', ['worker'], 'CPU time of a worker since its start.'),

  conclave_actors: declareGauge('host', ['kind', 'state'], 'Actors in memory: loading, or ready.'),
  conclave_actor_loads_total: declareCounter('host', ['kind'], 'Actors that were loaded from the Store.'),
  conclave_actor_stops_total: declareCounter(
    'host',
    ['kind', 'reason'],
    'Actors that left memory: passivated (idle), drained (handed over), fenced (another owner), store-failed, crashed (a bug), lapsed (lease), ended (for good).',
  ),
  conclave_commands_total: declareCounter('host', ['kind'], 'Commands that actors were sent.'),
  conclave_commands_refused_total: declareCounter(
    'host',
    ['reason'],
    'Commands that this host did not carry out; their senders try again: not-owner, moved, busy (mailbox full), unavailable (Store or log), early (builds on what is not carried out yet).',
  ),
  conclave_mailbox_commands: declareGauge(
    'host',
    ['kind'],
    'Commands that wait in mailboxes, all actors of a kind together.',
  ),
  conclave_mailbox_commands_max: declareGauge('host', ['kind'], 'Commands that wait in the fullest mailbox of a kind.'),
  conclave_outbox_entries: declareGauge('host', ['kind'], 'Commits whose events or commands are still under way.'),
  conclave_commit_seconds: declareHistogram(
    'host',
    ['kind'],
    LATENCY_BUCKETS_SECONDS,
    'Time that the Store took to make a commit durable.',
  ),
  conclave_commit_commands: declareHistogram(
    'host',
    ['kind'],
    BATCH_SIZE_BUCKETS,
    'Commands that one commit made durable together.',
  ),
  conclave_waiting_deliveries: declareGauge(
    'host',
    ['kind'],
    'Mails, calls of webhooks and push notifications that wait, of the actors in memory.',
  ),
  conclave_pushes_total: declareCounter(
    'host',
    ['to', 'result'],
    'Attempts to push a notification to a browser or the gateway, by result: done, gone (the subscription has ended), later (tried again), failed (dropped).',
  ),

  conclave_queues: declareGauge('host', ['phase'], 'Event queues in memory, by phase: idle, polling, hibernated.'),
  conclave_queue_ends_total: declareCounter(
    'host',
    ['reason'],
    'Event queues that ended: deleted (by the client), idle (its time was over), overflow (too many events waited), trimmed (the log has no more what it needs), incarnation (the log was lost), deactivated (the account), crowded (the account made more than it may have).',
  ),

  conclave_command_retries_total: declareCounter(
    'all',
    ['reason'],
    'Commands sent again to their actor, by the failure of the attempt before: not-owner, moved, busy, unavailable, early, `nobody` (no owner), timeout, disconnected.',
  ),
  conclave_commands_unanswered_total: declareCounter(
    'all',
    ['reason'],
    'Commands given up at their deadline, by what the last attempt came to.',
  ),

  conclave_log_appends_total: declareCounter(
    'host',
    ['result'],
    'Appends to the event log: done, or failed (and repeated).',
  ),
  conclave_log_append_seconds: declareHistogram(
    'host',
    [],
    LATENCY_BUCKETS_SECONDS,
    'Time of an append to the event log.',
  ),
  conclave_log_entries_total: declareCounter(
    'all',
    [],
    'Log entries that the directory replicas of this process were handed.',
  ),
  conclave_log_realms: declareGauge('all', [], 'Organizations whose log this process follows.'),
  conclave_log_lag_positions: declareGauge(
    'all',
    [],
    'Positions between what a replica has applied and the end of its log; the largest of those looked at.',
  ),
  conclave_log_lag_seconds: declareGauge(
    'all',
    [],
    'For how long a replica has not reached what the log held at a scrape; the longest of those looked at.',
  ),

  conclave_partitions_owned: declareGauge(
    'host',
    [],
    'Partitions that this host answers for; 256 in all hosts together.',
  ),
  conclave_partitions_taken_total: declareCounter('host', [], 'Partitions that this host took over.'),
  conclave_partitions_lost_total: declareCounter(
    'host',
    ['reason'],
    'Partitions that this host gave up: released (handed over), or lapsed (its lease may have ended).',
  ),
  conclave_partition_take_seconds: declareHistogram(
    'host',
    [],
    LATENCY_BUCKETS_SECONDS,
    'From the decision to take partitions to the first answer for them.',
  ),
  conclave_partition_release_seconds: declareHistogram(
    'host',
    [],
    LATENCY_BUCKETS_SECONDS,
    'Time to finish work and hand partitions over.',
  ),
  conclave_lease_valid_seconds: declareGauge(
    'host',
    [],
    'For how long the lease of this host is still good; 0: it has none.',
  ),
  conclave_partitions_unowned: declareGauge(
    'host',
    [],
    'Partitions without an owner, or with a dead one, as this host sees it; for moments only, while others take them over.',
  ),
  conclave_store_usable: declareGauge(
    'host',
    [],
    '0 while the Store does not answer this host, or far slower than the others, which then have its partitions.',
  ),
  conclave_cluster_hosts: declareGauge('host', [], 'Living actor hosts, as this one sees them.'),

  conclave_bus_connected: declareGauge('all', [], '1 while the bus is connected.'),
  conclave_bus_reconnects_total: declareCounter('all', [], 'Times that the connection was lost and came back.'),
  conclave_bus_frames_total: declareCounter('all', ['direction'], 'Messages over NATS, in and out.'),
  conclave_bus_bytes_total: declareCounter('all', ['direction'], 'Bytes of these.'),
  conclave_bus_requests_total: declareCounter('all', [], 'Requests sent; many share a frame.'),
  conclave_bus_replies_total: declareCounter('all', [], 'Replies sent; many share a frame.'),
  conclave_bus_replies_dropped_total: declareCounter('all', [], 'Replies that could not be sent while NATS was away.'),
  conclave_bus_transfers_total: declareCounter('all', [], 'Values so large that they were sent in chunks.'),
  conclave_bus_gaps_total: declareCounter('all', [], 'Times that a frame of a host was found missing.'),
  conclave_bus_malformed_total: declareCounter(
    'all',
    [],
    'Messages on our subjects that no process of ours can have sent.',
  ),
  conclave_bus_failures_total: declareCounter(
    'all',
    ['reason'],
    'Requests that failed: `nobody` (no owner), timeout, disconnected.',
  ),
} as const satisfies Readonly<Record<string, MetricDeclaration>>;

export type MetricName = keyof typeof METRIC_DECLARATIONS;
type MetricNameOfType<T extends MetricDeclaration['type']> = {
  [N in MetricName]: (typeof METRIC_DECLARATIONS)[N]['type'] extends T ? N : never;
}[MetricName];
export type CounterName = MetricNameOfType<'counter'>;
export type GaugeName = MetricNameOfType<'gauge'>;
export type HistogramName = MetricNameOfType<'histogram'>;

type LabelTexts<T extends readonly unknown[]> = { readonly [I in keyof T]: string };
/** Label values of a metric: one text for each of its labels. */
export type MetricLabelValues<N extends MetricName> = LabelTexts<(typeof METRIC_DECLARATIONS)[N]['labels']>;
