/**
 * EventLog on one JetStream stream for all realms, with a subject per realm.
 *
 * The server republishes stored entries with their position and that of their predecessor. Readers listen to these
 * messages (core NATS, which may lose some) and read from the stream only what they missed
 * (log-jetstream-subscription.ts).
 */
import type { NatsConnection, Subscription } from 'nats';
import { type Json, SingleFlight } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import { type LogSeq, logSubjectOfRealm, type RealmId } from '#model';
import { connectNats, crashOnThrow, formatNatsServersForLog, watchNatsConnection } from '#ports/nats';
import {
  type EventLog,
  type EventLogBounds,
  type EventLogLimits,
  type EventLogReader,
  type EventLogSubscription,
  EventLogUnavailableError,
} from './log.js';
import { decodeLogEntry, encodeLogEntry, JetStreamLogStream, readNatsNumberHeader } from './log-jetstream-stream.js';
import { JetStreamEventLogSubscription } from './log-jetstream-subscription.js';

/** Interval of the checks whether the last entry was lost, milliseconds. */
const CHECK_MS = 2_000;
/** Number of readers that are compared with the log at a time. */
const CHECKS_AT_ONCE = 64;
/** Maximum size of an encoded entry, bytes; NATS refuses larger messages. */
const MAX_ENTRY_BYTES = 1024 * 1024;

const STREAM = 'CONCLAVE_EV';

export interface JetStreamEventLogOptions {
  readonly limits: EventLogLimits;
  /** Number of copies of each entry in a NATS cluster: 1, 3 or 5. */
  readonly replicas?: number;
  readonly stream?: string;
  /** Prefix of all subjects, which keeps tests apart. */
  readonly namespace?: string;
  /** Hook for tests: returns true to lose this live entry. */
  readonly lose?: (realm: RealmId, seq: number) => boolean;
}

interface RealmListener {
  readonly subscription: Subscription;
  readonly cursors: Set<JetStreamEventLogSubscription>;
}

export class JetStreamEventLog implements EventLog {
  readonly #nats: NatsConnection;
  readonly #clock: Clock;
  readonly #stream: JetStreamLogStream;
  readonly #prefix: string;
  readonly #lose: ((realm: RealmId, seq: number) => boolean) | undefined;
  readonly #listeners = new Map<RealmId, RealmListener>();
  #timer: TimerHandle | undefined;
  readonly #positions = new SingleFlight<RealmId, EventLogBounds>(true);
  #up = true;
  #closed = false;

  private constructor(nats: NatsConnection, clock: Clock, options: JetStreamEventLogOptions) {
    this.#nats = nats;
    this.#clock = clock;
    this.#prefix = options.namespace ? `${options.namespace}.` : '';
    this.#lose = options.lose;
    this.#stream = new JetStreamLogStream(nats, clock, {
      stream: options.stream ?? STREAM,
      subjects: `${this.#prefix}ev.>`,
      republish: `${this.#prefix}rev.>`,
      replicas: options.replicas ?? 1,
      limits: options.limits,
    });
    watchNatsConnection(
      nats,
      () => {
        this.#up = false;
        this.#stream.connectionLost();
      },
      () => {
        this.#up = true;
        // Live messages that were sent while the connection was down are lost, so all readers read them from the log.
        for (const feed of this.#listeners.values()) for (const cursor of feed.cursors) cursor.catchUp();
      },
    );
  }

  /**
   * Removes the log with all its entries. The next `open` creates an empty log of another incarnation.
   * @throws EventLogUnavailableError
   */
  static async discard(url: string, clock: Clock, stream = STREAM): Promise<void> {
    const nats = await connect(url);
    try {
      const limits = { maxAgeMs: 1, maxBytes: 1 };
      await new JetStreamLogStream(nats, clock, {
        stream,
        subjects: '',
        republish: '',
        replicas: 1,
        limits,
      }).remove();
    } finally {
      await nats.close();
    }
  }

  /** Opens the log. @throws EventLogUnavailableError if NATS or its JetStream can't be reached now */
  static async open(url: string, clock: Clock, options: JetStreamEventLogOptions): Promise<JetStreamEventLog> {
    const nats = await connect(url);
    const log = new JetStreamEventLog(nats, clock, options);
    try {
      await log.#stream.ensure();
    } catch (error) {
      await nats.close();
      throw error;
    }
    log.#arm();
    return log;
  }

  /**
   * Appends an entry to a realm's log.
   * @throws RangeError if the value is too large for NATS
   * @throws EventLogUnavailableError with an unknown outcome
   */
  async append(realm: RealmId, value: Json): Promise<LogSeq> {
    const data = encodeLogEntry(value);
    if (data.byteLength > MAX_ENTRY_BYTES) throw new RangeError(`entry of ${data.byteLength} bytes`);
    this.#mustBeUp();
    return this.#stream.append(`${this.#prefix}${logSubjectOfRealm(realm)}`, data);
  }

  publish(realm: RealmId, value: Json): void {
    if (!this.#up || this.#closed) return;
    this.#nats.publish(this.#republished(realm), encodeLogEntry(value));
  }

  /**
   * Fetches the positions of a realm's log. Concurrent calls share one request: after a takeover, or when clients
   * reconnect, hundreds of queues ask at once.
   */
  position(realm: RealmId): Promise<EventLogBounds> {
    return this.#positions.run(realm, () => this.#position(realm));
  }

  /**
   * Fetches the positions of a realm's log. `end` is at least `trimmed`, so that a realm whose entries are all trimmed
   * is followed from there.
   */
  async #position(realm: RealmId): Promise<EventLogBounds> {
    this.#mustBeUp();
    const state = await this.#stream.state();
    const last = await this.#stream.lastOf(`${this.#prefix}${logSubjectOfRealm(realm)}`);
    return {
      end: Math.max(last, state.trimmed) as LogSeq,
      trimmed: state.trimmed,
      incarnation: state.incarnation,
    };
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    const feed = this.#listener(realm);
    const subject = `${this.#prefix}${logSubjectOfRealm(realm)}`;
    const cursor = new JetStreamEventLogSubscription(this.#stream, this.#clock, subject, after, reader, () => {
      feed.cursors.delete(cursor);
      if (feed.cursors.size > 0 || this.#closed) return;
      feed.subscription.unsubscribe();
      this.#listeners.delete(realm);
    });
    feed.cursors.add(cursor);
    // The subscription is sent before the first query on the same connection, so no entry falls between them.
    cursor.catchUp();
    return cursor;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#timer) this.#clock.clearTimeout(this.#timer);
    for (const feed of this.#listeners.values()) for (const cursor of [...feed.cursors]) cursor.close();
    this.#listeners.clear();
    await this.#nats.close();
    this.#stream.connectionLost();
  }

  #republished(realm: RealmId): string {
    return `${this.#prefix}r${logSubjectOfRealm(realm)}`;
  }

  #mustBeUp(): void {
    if (!this.#up || this.#closed) throw new EventLogUnavailableError('not connected to NATS');
  }

  #listener(realm: RealmId): RealmListener {
    const known = this.#listeners.get(realm);
    if (known) return known;
    const cursors = new Set<JetStreamEventLogSubscription>();
    const subscription = this.#nats.subscribe(this.#republished(realm), {
      callback: (error, message) => {
        crashOnThrow(() => {
          if (error) throw error;
          const headers = message.headers;
          if (!headers) {
            const value = decodeLogEntry(message.data);
            for (const cursor of cursors) cursor.deliverTransient(value);
            return;
          }
          const seq = readNatsNumberHeader(headers, 'Nats-Sequence') as LogSeq;
          if (seq === 0 || this.#lose?.(realm, seq)) return;
          const previous = readNatsNumberHeader(headers, 'Nats-Last-Sequence') as LogSeq;
          const value = decodeLogEntry(message.data);
          for (const cursor of cursors) cursor.deliverLive({ seq, previous, value });
        });
      },
    });
    const feed = { subscription, cursors };
    this.#listeners.set(realm, feed);
    return feed;
  }

  #arm(): void {
    this.#timer = this.#clock.setTimeout(() => {
      void this.#check().finally(() => {
        if (!this.#closed) this.#arm();
      });
    }, CHECK_MS);
  }

  /**
   * Compares all readers with the log: one query for all realms, and a second one for readers below the stream's end.
   */
  async #check(): Promise<void> {
    const cursors = [...this.#listeners.values()].flatMap((feed) => [...feed.cursors]);
    if (!this.#up || cursors.length === 0) return;
    try {
      const state = await this.#stream.state();
      const worker = async (): Promise<void> => {
        for (let cursor = cursors.pop(); cursor; cursor = cursors.pop()) await cursor.check(state);
      };
      await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, worker));
    } catch {
      // A failed check is repeated by the next one.
    }
  }
}

/** Connects to NATS. @throws EventLogUnavailableError */
async function connect(url: string): Promise<NatsConnection> {
  try {
    return await connectNats(url, 'conclave log');
  } catch (error) {
    throw new EventLogUnavailableError(
      `no NATS server at ${formatNatsServersForLog(url)}: ${(error as Error).message}`,
    );
  }
}
