/**
 * What a feed must know of the log before it: an append whose answer was lost, or that a former owner left behind, is repeated,
 * and a feed that began in between sees the repeat alone. It would tell its queues twice.
 */
import type { Clock } from '../clock/index.js';
import type { RealmId, Seq } from '../core/index.js';
import { seq as toSeq } from '../core/index.js';
import type { EventLog, LogSubscription } from '../log/index.js';
import { LogDeduplicator, type LogEntry, type LogGroup } from '../runtime/log-entry.js';
import type { Work } from './sink.js';

/** Positions. More than a busy log grows until a dead host's actors have gone on elsewhere. */
const LOOK_BACK = 4_096;
/** So far apart are a commit and its repeat at most, as far as a queue that catches up cares. */
export const REPEAT_DISTANCE = 256;
/** Entries with repeats that are remembered; the oldest go. */
const MOST_REPEATS = 4_096;
const RETRY_MS = 1_000;

const nameOf = ({ v, p }: LogGroup): string => `${v}.${p}`;

export class Past {
  /** Resolves when the past is known. */
  readonly read: Promise<void>;
  /** Where reading began: what lies below was not looked at. */
  from: Seq;
  /** Of entries up to the start. */
  readonly #before = new LogDeduplicator();
  /** Position → its groups that were there before. */
  readonly #repeats = new Map<number, Set<string>>();
  /** Not everything that was repeated up to here is remembered. */
  #forgotten = 0;

  constructor(
    log: EventLog,
    realm: RealmId,
    private readonly start: Seq,
    private readonly clock: Clock,
    /** Told what is read, in order. */
    private readonly told: (seq: Seq, entry: LogEntry) => void = () => {},
  ) {
    this.from = toSeq(Math.max(0, start - LOOK_BACK));
    this.read = start === 0 ? Promise.resolve() : this.#read(log, realm);
  }

  /** It will name every repeat after this position: nobody has to read what was before it to know one. */
  knowsFrom(position: Seq): boolean {
    return position >= this.#forgotten && (this.from === 0 || position - REPEAT_DISTANCE >= this.from);
  }

  /** What was in the log up to here did not all come to us. */
  missed(upTo: Seq): void {
    this.#forgotten = Math.max(this.#forgotten, upTo);
  }

  /** Of these groups of an entry, those that are no repeats. */
  fresh(seq: Seq, entry: LogEntry, groups: Iterable<LogGroup>): Set<LogGroup> {
    const known = this.#repeats.get(seq);
    const kept = new Set<LogGroup>();
    for (const group of groups) {
      if (known?.has(nameOf(group)) || (seq > this.start && this.#before.hasSeen(entry.actor, group))) continue;
      kept.add(group);
    }
    return kept;
  }

  /** Whoever reads this entry again later, from anywhere, must know. */
  note({ seq, entry, fresh }: Work): void {
    const repeats = entry.groups.filter((group) => !fresh.has(group)).map(nameOf);
    if (repeats.length === 0) return;
    this.#repeats.set(seq, new Set(repeats));
    if (this.#repeats.size <= MOST_REPEATS) return;
    const oldest = this.#repeats.keys().next().value as number;
    this.#repeats.delete(oldest);
    this.#forgotten = Math.max(this.#forgotten, oldest);
  }

  #read(log: EventLog, realm: RealmId): Promise<void> {
    return new Promise((resolve) => {
      const subscription = log.subscribe(realm, this.from, {
        entry: (seq, value) => {
          if (seq > this.start) return;
          const entry = value as unknown as LogEntry;
          const fresh = new Set(entry.groups.filter((group) => this.#before.isNew(entry.actor, group)));
          this.note({ seq, entry, fresh });
          this.told(seq, entry);
        },
        transient: () => {},
        gap: (trimmed) => {
          this.from = trimmed;
        },
      });
      this.#end(subscription, resolve);
    });
  }

  #end(subscription: LogSubscription, resolve: () => void): void {
    subscription.caughtUp().then(
      () => {
        subscription.close();
        resolve();
      },
      // The log is out of reach: nobody gets anything before it is back, or closed for good.
      () => void this.clock.setTimeout(() => this.#end(subscription, resolve), RETRY_MS),
    );
  }
}
