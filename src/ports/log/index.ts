/**
 * The event log: what happened in each realm, in one total order per realm, kept for a limited time.
 *
 * log.ts is the contract; read it first. An append resolves when its entry is durable. A rejected append has an unknown
 * outcome and is repeated, so readers drop repeats. A subscriber gets every entry after its position once and in order,
 * or `gap` if entries were trimmed. Transient values (`publish`) have no position and may be lost.
 *
 * - LmdbEventLog (log-lmdb*.ts) is the embedded face: tables in the Store's environment, so that commits of actors
 *   append in their own transactions; readers catch up from the tables and then take live entries from memory.
 * - JetStreamEventLog (log-jetstream*.ts) is the cluster's: one stream or several, a subject per realm. Live entries
 *   come as republished core-NATS messages; log-jetstream-subscription.ts finds every lost one and reads it from the
 *   stream (log-jetstream-stream.ts).
 * Between processes an entry travels with a head (entry-codec.ts): a reader decodes the items when it first needs them.
 *
 * - LinkEventLog is the log of a worker, over its link to the process that has the log (serveEventLogOverLink).
 * - MeteredEventLog counts and times another log.
 *
 * A new incarnation means that the log was lost or recreated: positions of the old one have no meaning, and queues that
 * follow them end.
 *
 * Imported by the runtime (appends of the outbox), the delivery of events and the replicas (subscriptions), and the
 * code that starts a server.
 */

export { decodeLogEntry } from './entry-codec.js';
export {
  type EventLog,
  type EventLogBounds,
  type EventLogReader,
  type EventLogRetentionLimits,
  type EventLogSubscription,
  EventLogUnavailableError,
  type PreparedLogAppend,
} from './log.js';
export { JetStreamEventLog, type JetStreamEventLogOptions } from './log-jetstream.js';
export { LinkEventLog, serveEventLogOverLink } from './log-link.js';
export { LmdbEventLog, renewEventLogIncarnation } from './log-lmdb.js';
export { MeteredEventLog } from './log-metered.js';
