/**
 * EventLog on JetStream: one stream for all realms, or several, each with its share of the realms; a subject per realm.
 * A realm lives in one stream, and positions are compared within a realm only.
 *
 * The server republishes stored entries with their position and that of their predecessor. Readers listen to these
 * messages (core NATS, which may lose some) and read from the stream only what they missed
 * (log-jetstream-subscription.ts).
 */
import type { NatsConnection, Subscription } from 'nats';
import { type Json, SingleFlight } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import {
  type LogSeq,
  logStreamOfRealm,
  logSubjectOfRealm,
  logSubjectPatternOfStream,
  MAX_LOG_STREAMS,
  type RealmId,
  toLogSeq,
} from '#model';
import {
  connectNats,
  crashOnThrow,
  formatNatsServersForLog,
  readRepublishedPosition,
  watchNatsConnection,
} from '#ports/nats';
import { decodeLogEntry, encodeLogEntry } from './entry-codec.js';
import {
  type EventLog,
  type EventLogBounds,
  type EventLogReader,
  type EventLogRetentionLimits,
  type EventLogSubscription,
  EventLogUnavailableError,
} from './log.js';
import { JetStreamLogStream } from './log-jetstream-stream.js';
import { JetStreamEventLogSubscription } from './log-jetstream-subscription.js';

/** Interval of the checks whether the last entry was lost, milliseconds. */
const LOST_ENTRY_CHECK_INTERVAL_MS = 2_000;
/** Number of readers that are compared with the log at a time. */
const MAX_CONCURRENT_READER_CHECKS = 64;
/** Maximum size of an encoded entry, bytes; NATS refuses larger messages. */
const MAX_ENCODED_LOG_ENTRY_BYTES = 1024 * 1024;

const DEFAULT_STREAM_NAME = 'CONCLAVE_EV';

/** Name of one of several streams. The only stream of a log has no number. */
const nameOfStream = (base: string, stream: number, count: number): string =>
  count === 1 ? base : `${base}-${stream + 1}`;

export interface JetStreamEventLogOptions {
  readonly limits: EventLogRetentionLimits;
  /** Number of copies of each entry in a NATS cluster: 1, 3 or 5. */
  readonly replicas?: number;
  /** Name of the stream; several streams add their numbers to it. */
  readonly stream?: string;
  /**
   * Number of streams, 1 to `MAX_LOG_STREAMS`, default 1. Every process that opens the log gives the same number; it
   * changes only while no log exists.
   */
  readonly streamCount?: number;
  /** Prefix of all subjects, which keeps tests apart. */
  readonly namespace?: string;
  /** Hook for tests: returns true to lose this live entry. */
  readonly shouldLoseLiveEntry?: (realm: RealmId, seq: number) => boolean;
}

interface RealmLiveListener {
  readonly subscription: Subscription;
  readonly cursors: Set<JetStreamEventLogSubscription>;
}

export class JetStreamEventLog implements EventLog {
  readonly #nats: NatsConnection;
  readonly #clock: Clock;
  readonly #logStreams: readonly JetStreamLogStream[];
  readonly #subjectPrefix: string;
  readonly #shouldLoseLiveEntry: ((realm: RealmId, seq: number) => boolean) | undefined;
  readonly #listenersByRealm = new Map<RealmId, RealmLiveListener>();
  #lostEntryCheckTimer: TimerHandle | undefined;
  readonly #boundsFetches = new SingleFlight<RealmId, EventLogBounds>(true);
  #isConnected = true;
  #closed = false;

  private constructor(nats: NatsConnection, clock: Clock, options: JetStreamEventLogOptions) {
    this.#nats = nats;
    this.#clock = clock;
    this.#subjectPrefix = options.namespace ? `${options.namespace}.` : '';
    this.#shouldLoseLiveEntry = options.shouldLoseLiveEntry;
    const { stream = DEFAULT_STREAM_NAME, streamCount = 1, replicas = 1, limits } = options;
    this.#logStreams = Array.from({ length: streamCount }, (_, i) => {
      const subjects = logSubjectPatternOfStream(i, streamCount);
      return new JetStreamLogStream(nats, clock, {
        streamName: nameOfStream(stream, i, streamCount),
        subjectPattern: `${this.#subjectPrefix}${subjects}`,
        republishPattern: `${this.#subjectPrefix}r${subjects}`,
        replicas,
        limits: { ...limits, maxBytes: Math.floor(limits.maxBytes / streamCount) },
      });
    });
    watchNatsConnection(
      nats,
      () => {
        this.#isConnected = false;
        this.#failAllRequestsInFlight();
      },
      () => {
        this.#isConnected = true;
        // Live messages that were sent while the connection was down are lost, so all readers read them from the log.
        for (const feed of this.#listenersByRealm.values()) for (const cursor of feed.cursors) cursor.startCatchUp();
      },
    );
  }

  /**
   * Removes the log with all its entries, however many streams it has. The next `open` creates an empty log of another
   * incarnation.
   * @throws EventLogUnavailableError
   */
  static async discardLog(url: string, clock: Clock, stream = DEFAULT_STREAM_NAME): Promise<void> {
    const nats = await connectLogToNats(url);
    try {
      const others = { subjectPattern: '', republishPattern: '', replicas: 1, limits: { maxAgeMs: 1, maxBytes: 1 } };
      const numbered = Array.from({ length: MAX_LOG_STREAMS }, (_, i) => nameOfStream(stream, i, MAX_LOG_STREAMS));
      for (const streamName of [stream, ...numbered])
        await new JetStreamLogStream(nats, clock, { streamName, ...others }).removeStream();
    } finally {
      await nats.close();
    }
  }

  /** Opens the log. @throws EventLogUnavailableError if NATS or its JetStream can't be reached now */
  static async open(url: string, clock: Clock, options: JetStreamEventLogOptions): Promise<JetStreamEventLog> {
    const nats = await connectLogToNats(url);
    const log = new JetStreamEventLog(nats, clock, options);
    try {
      for (const stream of log.#logStreams) await stream.createOrUpdateStream();
    } catch (error) {
      await nats.close();
      throw error;
    }
    log.#scheduleLostEntryCheck();
    return log;
  }

  /**
   * Appends an entry to a realm's log.
   * @throws RangeError if the value is too large for NATS
   * @throws EventLogUnavailableError with an unknown outcome
   */
  async append(realm: RealmId, value: Json): Promise<LogSeq> {
    const data = encodeLogEntry(value);
    if (data.byteLength > MAX_ENCODED_LOG_ENTRY_BYTES) throw new RangeError(`entry of ${data.byteLength} bytes`);
    this.#assertConnected();
    return this.#streamOfRealm(realm).appendEntry(this.#subjectOfRealm(realm), data);
  }

  publishTransient(realm: RealmId, value: Json): void {
    if (!this.#isConnected || this.#closed) return;
    this.#nats.publish(this.#republishSubjectOfRealm(realm), encodeLogEntry(value));
  }

  /**
   * Fetches the positions of a realm's log. Concurrent calls share one request: after a takeover, or when clients
   * reconnect, hundreds of queues ask at once.
   */
  readBounds(realm: RealmId): Promise<EventLogBounds> {
    return this.#boundsFetches.joinQueuedRunOrStart(realm, () => this.#fetchRealmLogBounds(realm));
  }

  /**
   * Fetches the positions of a realm's log. `end` is at least `trimmed`, so that a realm whose entries are all trimmed
   * is followed from there.
   */
  async #fetchRealmLogBounds(realm: RealmId): Promise<EventLogBounds> {
    this.#assertConnected();
    const stream = this.#streamOfRealm(realm);
    const state = await stream.fetchStateOrRecreateStream();
    const last = await stream.fetchLastPosition(this.#subjectOfRealm(realm));
    return {
      end: Math.max(last, state.trimmedUpTo) as LogSeq,
      trimmed: state.trimmedUpTo,
      incarnation: state.incarnation,
    };
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    const feed = this.#findOrCreateListener(realm);
    const onClosed = (): void => {
      feed.cursors.delete(cursor);
      if (feed.cursors.size > 0 || this.#closed) return;
      feed.subscription.unsubscribe();
      this.#listenersByRealm.delete(realm);
    };
    const cursor: JetStreamEventLogSubscription = new JetStreamEventLogSubscription(
      this.#streamOfRealm(realm),
      this.#clock,
      this.#subjectOfRealm(realm),
      after,
      reader,
      onClosed,
    );
    feed.cursors.add(cursor);
    // The subscription is sent before the first query on the same connection, so no entry falls between them.
    cursor.startCatchUp();
    return cursor;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#lostEntryCheckTimer) this.#clock.clearTimeout(this.#lostEntryCheckTimer);
    for (const feed of this.#listenersByRealm.values()) for (const cursor of [...feed.cursors]) cursor.close();
    this.#listenersByRealm.clear();
    await this.#nats.close();
    this.#failAllRequestsInFlight();
  }

  #failAllRequestsInFlight(): void {
    for (const stream of this.#logStreams) stream.failAllRequestsInFlight();
  }

  #streamOfRealm(realm: RealmId): JetStreamLogStream {
    return this.#logStreams[logStreamOfRealm(realm, this.#logStreams.length)]!;
  }

  #subjectOfRealm(realm: RealmId): string {
    return `${this.#subjectPrefix}${logSubjectOfRealm(realm, this.#logStreams.length)}`;
  }

  #republishSubjectOfRealm(realm: RealmId): string {
    return `${this.#subjectPrefix}r${logSubjectOfRealm(realm, this.#logStreams.length)}`;
  }

  #assertConnected(): void {
    if (!this.#isConnected || this.#closed) throw new EventLogUnavailableError('not connected to NATS');
  }

  #findOrCreateListener(realm: RealmId): RealmLiveListener {
    const known = this.#listenersByRealm.get(realm);
    if (known) return known;
    const cursors = new Set<JetStreamEventLogSubscription>();
    const subscription = this.#nats.subscribe(this.#republishSubjectOfRealm(realm), {
      callback: (error, message) => {
        crashOnThrow(() => {
          if (error) throw error;
          const position = readRepublishedPosition(message);
          const value = decodeLogEntry(message.data);
          if (!position) {
            for (const cursor of cursors) cursor.deliverTransient(value);
            return;
          }
          const seq = toLogSeq(position.seq);
          if (seq === 0 || this.#shouldLoseLiveEntry?.(realm, seq)) return;
          const previousSeq = toLogSeq(position.previousSeq);
          for (const cursor of cursors) cursor.deliverLive({ seq, previousSeq, value });
        });
      },
    });
    const feed = { subscription, cursors };
    this.#listenersByRealm.set(realm, feed);
    return feed;
  }

  #scheduleLostEntryCheck(): void {
    this.#lostEntryCheckTimer = this.#clock.setTimeout(() => {
      void this.#checkAllForLostEntries().finally(() => {
        if (!this.#closed) this.#scheduleLostEntryCheck();
      });
    }, LOST_ENTRY_CHECK_INTERVAL_MS);
  }

  /**
   * Compares all readers with the log: one query for all realms of a stream, and a second one for readers below the
   * stream's end.
   */
  async #checkAllForLostEntries(): Promise<void> {
    const cursorsByStream = new Map<JetStreamLogStream, JetStreamEventLogSubscription[]>();
    for (const [realm, { cursors }] of this.#listenersByRealm) {
      const stream = this.#streamOfRealm(realm);
      const all = cursorsByStream.get(stream);
      if (all) all.push(...cursors);
      else cursorsByStream.set(stream, [...cursors]);
    }
    await Promise.all([...cursorsByStream].map(([stream, cursors]) => this.#checkForLostEntries(stream, cursors)));
  }

  async #checkForLostEntries(stream: JetStreamLogStream, cursors: JetStreamEventLogSubscription[]): Promise<void> {
    if (!this.#isConnected || cursors.length === 0) return;
    try {
      const state = await stream.fetchStateOrRecreateStream();
      const worker = async (): Promise<void> => {
        for (let cursor = cursors.pop(); cursor; cursor = cursors.pop()) await cursor.checkForLostEntries(state);
      };
      await Promise.all(Array.from({ length: MAX_CONCURRENT_READER_CHECKS }, worker));
    } catch {
      // A failed check is repeated by the next one.
    }
  }
}

/** Connects to NATS. @throws EventLogUnavailableError */
async function connectLogToNats(url: string): Promise<NatsConnection> {
  try {
    return await connectNats(url, 'conclave log');
  } catch (error) {
    throw new EventLogUnavailableError(
      `no NATS server at ${formatNatsServersForLog(url)}: ${(error as Error).message}`,
    );
  }
}
