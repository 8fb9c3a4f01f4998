/**
 * EventLog on one JetStream stream of all realms, a subject per realm.
 *
 * Stored entries are republished by the server with their position and that of their predecessor; readers listen to
 * that (core NATS, may lose) and go to the stream only for what they missed (log-jetstream-cursor.ts).
 */
import type { NatsConnection, Subscription } from 'nats';
import { type Json, SharedRuns } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import { type RealmId, realmSubject, type Seq } from '#model';
import { connectNats, loudly, natsName, watchConnection } from '#ports/bus';
import {
  type EventLog,
  type LogLimits,
  type LogPosition,
  type LogReader,
  type LogSubscription,
  LogUnavailable,
} from './log.js';
import { Cursor } from './log-jetstream-cursor.js';
import { decodeEntry, EntryStream, encodeEntry, headerNumber } from './log-jetstream-stream.js';

/** Lost last entries are found within this, milliseconds. */
const CHECK = 2_000;
/** Readers compared with the log at the same time. */
const CHECKS_AT_ONCE = 64;
/** The protocol of NATS: larger messages are refused. */
const LARGEST = 1024 * 1024;

const STREAM = 'CONCLAVE_EV';

export interface JetStreamLogOptions {
  readonly limits: LogLimits;
  /** Copies of each entry in a NATS cluster; 1, 3 or 5. */
  readonly replicas?: number;
  readonly stream?: string;
  /** Put before all subjects, so that tests keep apart. */
  readonly namespace?: string;
  /** Tests only: true loses this live entry on its way here. */
  readonly lose?: (realm: RealmId, seq: number) => boolean;
}

interface Feed {
  readonly subscription: Subscription;
  readonly cursors: Set<Cursor>;
}

export class JetStreamLog implements EventLog {
  readonly #nats: NatsConnection;
  readonly #clock: Clock;
  readonly #stream: EntryStream;
  readonly #prefix: string;
  readonly #lose: ((realm: RealmId, seq: number) => boolean) | undefined;
  readonly #feeds = new Map<RealmId, Feed>();
  #timer: TimerHandle | undefined;
  readonly #positions = new SharedRuns<RealmId, LogPosition>(true);
  #up = true;
  #closed = false;

  private constructor(nats: NatsConnection, clock: Clock, options: JetStreamLogOptions) {
    this.#nats = nats;
    this.#clock = clock;
    this.#prefix = options.namespace ? `${options.namespace}.` : '';
    this.#lose = options.lose;
    this.#stream = new EntryStream(nats, clock, {
      stream: options.stream ?? STREAM,
      subjects: `${this.#prefix}ev.>`,
      republish: `${this.#prefix}rev.>`,
      replicas: options.replicas ?? 1,
      limits: options.limits,
    });
    watchConnection(
      nats,
      () => {
        this.#up = false;
        this.#stream.lost();
      },
      () => {
        this.#up = true;
        // What was sent while we were away is lost to the live subscriptions.
        for (const feed of this.#feeds.values()) for (const cursor of feed.cursors) cursor.catchUp();
      },
    );
  }

  /**
   * Removes the log with all its entries; who opens it next gets an empty one of another incarnation.
   * @throws LogUnavailable
   */
  static async discard(url: string, clock: Clock, stream = STREAM): Promise<void> {
    const nats = await connected(url);
    try {
      const limits = { maxAgeMs: 1, maxBytes: 1 };
      await new EntryStream(nats, clock, { stream, subjects: '', republish: '', replicas: 1, limits }).remove();
    } finally {
      await nats.close();
    }
  }

  /** @throws LogUnavailable when NATS, or JetStream in it, can't be reached now */
  static async open(url: string, clock: Clock, options: JetStreamLogOptions): Promise<JetStreamLog> {
    const nats = await connected(url);
    const log = new JetStreamLog(nats, clock, options);
    try {
      await log.#stream.ensure();
    } catch (error) {
      await nats.close();
      throw error;
    }
    log.#arm();
    return log;
  }

  /** Rejects with RangeError when the value is too large for NATS, with LogUnavailable otherwise (unknown outcome). */
  async append(realm: RealmId, value: Json): Promise<Seq> {
    const data = encodeEntry(value);
    if (data.byteLength > LARGEST) throw new RangeError(`entry of ${data.byteLength} bytes`);
    this.#mustBeUp();
    return this.#stream.append(`${this.#prefix}${realmSubject(realm)}`, data);
  }

  publish(realm: RealmId, value: Json): void {
    if (!this.#up || this.#closed) return;
    this.#nats.publish(this.#republished(realm), encodeEntry(value));
  }

  /** After a take-over, or when clients come back, hundreds of queues ask at once. */
  position(realm: RealmId): Promise<LogPosition> {
    return this.#positions.ask(realm, () => this.#position(realm));
  }

  /** `end` is at least `trimmed`: a realm whose entries are all gone is followed from there. */
  async #position(realm: RealmId): Promise<LogPosition> {
    this.#mustBeUp();
    const state = await this.#stream.state();
    const last = await this.#stream.lastOf(`${this.#prefix}${realmSubject(realm)}`);
    return {
      end: Math.max(last, state.trimmed) as Seq,
      trimmed: state.trimmed,
      incarnation: state.incarnation,
    };
  }

  subscribe(realm: RealmId, after: Seq, reader: LogReader): LogSubscription {
    const feed = this.#feed(realm);
    const subject = `${this.#prefix}${realmSubject(realm)}`;
    const cursor = new Cursor(this.#stream, this.#clock, subject, after, reader, () => {
      feed.cursors.delete(cursor);
      if (feed.cursors.size > 0 || this.#closed) return;
      feed.subscription.unsubscribe();
      this.#feeds.delete(realm);
    });
    feed.cursors.add(cursor);
    // The subscription goes out before the first question on the same connection, so nothing falls between the two.
    cursor.catchUp();
    return cursor;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#timer) this.#clock.clearTimeout(this.#timer);
    for (const feed of this.#feeds.values()) for (const cursor of [...feed.cursors]) cursor.close();
    this.#feeds.clear();
    await this.#nats.close();
    this.#stream.lost();
  }

  #republished(realm: RealmId): string {
    return `${this.#prefix}r${realmSubject(realm)}`;
  }

  #mustBeUp(): void {
    if (!this.#up || this.#closed) throw new LogUnavailable('the connection to NATS is away');
  }

  #feed(realm: RealmId): Feed {
    const known = this.#feeds.get(realm);
    if (known) return known;
    const cursors = new Set<Cursor>();
    const subscription = this.#nats.subscribe(this.#republished(realm), {
      callback: (error, message) => {
        loudly(() => {
          if (error) throw error;
          const headers = message.headers;
          if (!headers) {
            const value = decodeEntry(message.data);
            for (const cursor of cursors) cursor.transient(value);
            return;
          }
          const seq = headerNumber(headers, 'Nats-Sequence') as Seq;
          if (seq === 0 || this.#lose?.(realm, seq)) return;
          const previous = headerNumber(headers, 'Nats-Last-Sequence') as Seq;
          const value = decodeEntry(message.data);
          for (const cursor of cursors) cursor.live({ seq, previous, value });
        });
      },
    });
    const feed = { subscription, cursors };
    this.#feeds.set(realm, feed);
    return feed;
  }

  #arm(): void {
    this.#timer = this.#clock.setTimeout(() => {
      void this.#check().finally(() => {
        if (!this.#closed) this.#arm();
      });
    }, CHECK);
  }

  /** One question for all realms; a second one only for readers above whose position something was stored since. */
  async #check(): Promise<void> {
    const cursors = [...this.#feeds.values()].flatMap((feed) => [...feed.cursors]);
    if (!this.#up || cursors.length === 0) return;
    try {
      const state = await this.#stream.state();
      const worker = async (): Promise<void> => {
        for (let cursor = cursors.pop(); cursor; cursor = cursors.pop()) await cursor.check(state);
      };
      await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, worker));
    } catch {
      // Asked again in a moment.
    }
  }
}

/** @throws LogUnavailable */
async function connected(url: string): Promise<NatsConnection> {
  try {
    return await connectNats(url, 'conclave log');
  } catch (error) {
    throw new LogUnavailable(`no NATS server at ${natsName(url)}: ${(error as Error).message}`);
  }
}
