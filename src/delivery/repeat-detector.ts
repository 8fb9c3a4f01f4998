/**
 * Tells which groups of a log entry repeat earlier ones. An append is repeated if its reply was lost or if a former
 * owner left it behind. A feed that begins between the original and the repeat sees the repeat alone, and would deliver
 * the events twice. So the detector reads a stretch of the log before the feed's start.
 */
import type { Clock } from '#base/clock';
import {
  type FreshLogItemGroups,
  type LogEntry,
  type LogItemGroup,
  LogItemGroupDeduplicator,
  type LogSeq,
  type RealmId,
  toLogSeq as toSeq,
} from '#model';
import type { EventLog, EventLogSubscription } from '#ports/log';
import type { LogEntryToDeliver } from './subscriber.js';

/**
 * Number of log positions that are read before the feed's start: more than a busy log grows until a dead host's actors
 * are resumed elsewhere.
 */
const LOOK_BACK_POSITIONS = 4_096;
/** A repeated append lies at most this many positions after the original (bound used by catch-up). */
export const MAX_LOG_REPEAT_DISTANCE = 256;
/** Maximum number of log entries with repeats that are remembered. The oldest is forgotten first. */
const MAX_REMEMBERED_REPEATS = 4_096;
const LOG_READ_RETRY_MS = 1_000;

const commitKeyOf = ({ v, p }: LogItemGroup): string => `${v}.${p}`;

export class LogRepeatDetector {
  /** Resolves when the stretch of the log before the start was read. */
  readonly whenLogBeforeStartIsRead: Promise<void>;
  /** Log position where reading began; entries below were not looked at. */
  readFromPosition: LogSeq;
  /** Commit versions of the actors in the log entries before the feed's start. */
  readonly #deduplicatorBeforeStart = new LogItemGroupDeduplicator();
  /** Log position → groups of its entry that are repeats. */
  readonly #repeatedGroupsByPosition = new Map<number, Set<string>>();
  /** Log position up to which some repeats are not remembered. */
  #repeatsIncompleteUpTo = 0;

  /** Makes the detector of one feed. @param onEntry gets the entries of the stretch before the start, in order */
  constructor(
    log: EventLog,
    realm: RealmId,
    private readonly start: LogSeq,
    private readonly clock: Clock,
    private readonly onEntry: (seq: LogSeq, entry: LogEntry) => void = () => {},
  ) {
    this.readFromPosition = toSeq(Math.max(0, start - LOOK_BACK_POSITIONS));
    this.whenLogBeforeStartIsRead = start === 0 ? Promise.resolve() : this.#readLogBeforeStart(log, realm);
  }

  /** True if every repeat after this position is recognised without the entries before it. */
  recognizesAllRepeatsAfter(position: LogSeq): boolean {
    return (
      position >= this.#repeatsIncompleteUpTo &&
      (this.readFromPosition === 0 || position - MAX_LOG_REPEAT_DISTANCE >= this.readFromPosition)
    );
  }

  /** Records that some entries up to this position were not seen, so that their repeats are unknown. */
  markMissedUpTo(upTo: LogSeq): void {
    this.#repeatsIncompleteUpTo = Math.max(this.#repeatsIncompleteUpTo, upTo);
  }

  /** Drops the repeats among the groups of an entry that are taken for fresh. */
  dropRepeatedGroups({ seq, entry, fresh: groups }: LogEntryToDeliver): FreshLogItemGroups {
    const repeats = this.#repeatedGroupsByPosition.get(seq);
    const isAfterStart = seq > this.start;
    if (!repeats && !(isAfterStart && this.#deduplicatorBeforeStart.mayHaveRecordedGroupOf(entry))) return groups;
    const fresh = (groups ?? entry.groups).filter(
      (group) =>
        !repeats?.has(commitKeyOf(group)) &&
        !(isAfterStart && this.#deduplicatorBeforeStart.hasRecordedThisOrLater(entry.actor, group)),
    );
    return fresh.length === entry.groups.length ? undefined : fresh;
  }

  /** Remembers the entry's repeats for queues that read it again later, from any position. */
  rememberRepeats({ seq, entry, fresh }: LogEntryToDeliver): void {
    if (fresh === undefined) return;
    const repeats = entry.groups.filter((group) => !fresh.includes(group)).map(commitKeyOf);
    if (repeats.length === 0) return;
    this.#repeatedGroupsByPosition.set(seq, new Set(repeats));
    if (this.#repeatedGroupsByPosition.size <= MAX_REMEMBERED_REPEATS) return;
    const oldest = this.#repeatedGroupsByPosition.keys().next().value as number;
    this.#repeatedGroupsByPosition.delete(oldest);
    this.markMissedUpTo(toSeq(oldest));
  }

  #readLogBeforeStart(log: EventLog, realm: RealmId): Promise<void> {
    return new Promise((resolve) => {
      const subscription = log.subscribe(realm, this.readFromPosition, {
        onEntry: (seq, value) => {
          if (seq > this.start) return;
          const entry = value as unknown as LogEntry;
          this.rememberRepeats({ seq, entry, fresh: this.#deduplicatorBeforeStart.recordNewGroups(entry) });
          this.onEntry(seq, entry);
        },
        onTransient: () => {},
        onGap: (trimmed) => {
          this.readFromPosition = trimmed;
        },
      });
      this.#closeWhenCaughtUp(subscription, resolve);
    });
  }

  #closeWhenCaughtUp(subscription: EventLogSubscription, resolve: () => void): void {
    subscription.waitUntilCaughtUp().then(
      () => {
        subscription.close();
        resolve();
      },
      // The log is unavailable: no queue gets an event until it is back, or closed for good.
      () => void this.clock.setTimeout(() => this.#closeWhenCaughtUp(subscription, resolve), LOG_READ_RETRY_MS),
    );
  }
}
