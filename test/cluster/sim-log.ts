/**
 * Simulated EventLog that behaves like JetStream: one or several streams, each with its own positions. It republishes
 * stored entries to listening processes, which may lose them. The subscriptions are the product's
 * (src/ports/log/log-jetstream-subscription.ts), so the simulation tests how they detect and fill gaps.
 */

import type { Json } from '#base';
import type { Clock } from '#base/clock';
import { type LogSeq, logStreamOfRealm, type RealmId, toLogSeq } from '#model';
import {
  type EventLog,
  type EventLogBounds,
  type EventLogReader,
  type EventLogSubscription,
  EventLogUnavailableError,
  type PreparedLogAppend,
} from '#ports/log';
import { decodeLogEntry, encodeLogEntry } from '../../src/ports/log/entry-codec.js';
import type { JetStreamLogState, JetStreamLogStream } from '../../src/ports/log/log-jetstream-stream.js';
import { JetStreamEventLogSubscription, type LiveLogEntry } from '../../src/ports/log/log-jetstream-subscription.js';
import { makePreparedAppend } from '../support/memory-log.js';

/** Interval of the check for lost entries, ms; equal to the product's. */
const CHECK_INTERVAL_MS = 2_000;

export type SimLogStep =
  | 'before:append'
  | 'after:append'
  | 'before:position'
  | 'before:state'
  | 'before:next'
  | 'before:read';
export type SimLogGate = (step: SimLogStep) => Promise<void> | void;

export interface StoredEntry {
  readonly seq: number;
  readonly realm: RealmId;
  readonly data: Uint8Array;
}

/** Contents of the simulated log, shared by all processes. */
export class SimLogContents {
  readonly entries: StoredEntry[] = [];
  readonly listeners = new Set<SimLog>();
  readonly incarnation = 'simulated';

  constructor(private readonly streamCount: number) {}

  static from(initialEntries: readonly StoredEntry[], streamCount: number): SimLogContents {
    const contents = new SimLogContents(streamCount);
    contents.entries.push(...initialEntries);
    return contents;
  }

  /** Position of the last entry in the realm's stream. */
  lastPositionOfStream(realm: RealmId): number {
    const stream = logStreamOfRealm(realm, this.streamCount);
    return this.entries.findLast((entry) => logStreamOfRealm(entry.realm, this.streamCount) === stream)?.seq ?? 0;
  }

  lastPositionOfRealm(realm: RealmId): number {
    return this.entries.findLast((entry) => entry.realm === realm)?.seq ?? 0;
  }

  entriesOfRealm(realm: RealmId): { readonly seq: number; readonly value: Json }[] {
    return this.entries
      .filter((entry) => entry.realm === realm)
      .map(({ seq: position, data }) => ({ seq: position, value: decodeLogEntry(data) }));
  }
}

export interface SimLogOptions {
  readonly clock: Clock;
  readonly contents: SimLogContents;
  readonly gate: SimLogGate;
  /** Delivers a live value to this process, at once or later, or loses it. */
  readonly deliverLive: (label: string, deliver: () => void) => void;
  /** True if the Store appends to the log in the transaction of a commit. */
  readonly joinsCommits: boolean;
}

export class SimLog implements EventLog {
  readonly #subscriptions = new Map<RealmId, Set<JetStreamEventLogSubscription>>();
  readonly prepareAppend: EventLog['prepareAppend'];
  #closed = false;

  constructor(private readonly options: SimLogOptions) {
    this.prepareAppend = options.joinsCommits ? (realm, value) => this.#prepareAppend(realm, value) : undefined;
    options.contents.listeners.add(this);
    this.#startCheckTimer();
  }

  async append(realm: RealmId, value: Json): Promise<LogSeq> {
    const { gate } = this.options;
    const data = encodeLogEntry(value);
    await gate('before:append');
    const seq = this.#store(realm, data);
    await gate('after:append');
    return seq;
  }

  #store(realm: RealmId, data: Uint8Array): LogSeq {
    const { contents } = this.options;
    const previous = contents.lastPositionOfRealm(realm);
    const entry: StoredEntry = { seq: contents.lastPositionOfStream(realm) + 1, realm, data };
    contents.entries.push(entry);
    for (const listener of contents.listeners) listener.#republish(entry, previous);
    return toLogSeq(entry.seq);
  }

  #prepareAppend(realm: RealmId, value: Json): PreparedLogAppend {
    const data = encodeLogEntry(value);
    return makePreparedAppend(
      () => this.#store(realm, data),
      () => {},
    );
  }

  publishTransient(realm: RealmId, value: Json): void {
    const data = encodeLogEntry(value);
    for (const listener of this.options.contents.listeners) {
      listener.options.deliverLive('transient', () => {
        for (const subscription of listener.#subscriptions.get(realm) ?? [])
          subscription.deliverTransient(decodeLogEntry(data));
      });
    }
  }

  async readBounds(realm: RealmId): Promise<EventLogBounds> {
    await this.options.gate('before:position');
    const { contents } = this.options;
    return {
      end: toLogSeq(contents.lastPositionOfRealm(realm)),
      trimmed: toLogSeq(0),
      incarnation: contents.incarnation,
    };
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    if (this.#closed) throw new EventLogUnavailableError('closed');
    const ofRealm = this.#subscriptions.get(realm) ?? new Set();
    this.#subscriptions.set(realm, ofRealm);
    const { clock } = this.options;
    const subscription: JetStreamEventLogSubscription = new JetStreamEventLogSubscription(
      this.#stream(realm),
      clock,
      String(realm),
      after,
      reader,
      () => {
        ofRealm.delete(subscription);
      },
    );
    ofRealm.add(subscription);
    subscription.startCatchUp();
    return subscription;
  }

  async close(): Promise<void> {
    this.stop();
    for (const ofRealm of this.#subscriptions.values()) for (const subscription of [...ofRealm]) subscription.close();
  }

  /** Stops live delivery and the periodic check, as at the end of the process. */
  stop(): void {
    this.#closed = true;
    this.options.contents.listeners.delete(this);
  }

  #republish({ seq: position, realm, data }: StoredEntry, previous: number): void {
    if (!this.#subscriptions.get(realm)?.size) return;
    this.options.deliverLive(`live ${position}`, () => {
      const entry: LiveLogEntry = {
        seq: toLogSeq(position),
        previousSeq: toLogSeq(previous),
        value: decodeLogEntry(data),
      };
      for (const subscription of this.#subscriptions.get(realm) ?? []) subscription.deliverLive(entry);
    });
  }

  /** The methods of JetStreamLogStream that subscriptions call. */
  #stream(realm: RealmId): JetStreamLogStream {
    const { contents, gate } = this.options;
    const above = (from: number): readonly StoredEntry[] =>
      contents.entries.filter((entry) => entry.realm === realm && entry.seq >= from);
    const stream = {
      fetchStateOrRecreateStream: async (): Promise<JetStreamLogState> => {
        await gate('before:state');
        const lastPosition = toLogSeq(contents.lastPositionOfStream(realm));
        return { incarnation: contents.incarnation, lastPosition, trimmedUpTo: toLogSeq(0) };
      },
      fetchPositionAtOrAfter: async (_subject: string, from: number): Promise<LogSeq> => {
        await gate('before:next');
        return toLogSeq(above(from)[0]?.seq ?? 0);
      },
      readSomeEntries: async (
        _subject: string,
        from: number,
        entry: (position: LogSeq, data: Uint8Array) => void,
      ): Promise<number> => {
        await gate('before:read');
        const found = above(from);
        for (const { seq: position, data } of found) entry(toLogSeq(position), data);
        return found.length;
      },
    };
    return stream as unknown as JetStreamLogStream;
  }

  #startCheckTimer(): void {
    this.options.clock.setTimeout(() => {
      void this.#checkForLostEntries().finally(() => {
        if (!this.#closed) this.#startCheckTimer();
      });
    }, CHECK_INTERVAL_MS);
  }

  async #checkForLostEntries(): Promise<void> {
    const { contents, gate } = this.options;
    for (const [realm, subscriptions] of this.#subscriptions) {
      if (subscriptions.size === 0) continue;
      try {
        await gate('before:state');
        const state = {
          incarnation: contents.incarnation,
          lastPosition: toLogSeq(contents.lastPositionOfStream(realm)),
          trimmedUpTo: toLogSeq(0),
        };
        for (const subscription of [...subscriptions]) await subscription.checkForLostEntries(state);
      } catch {
        // The next periodic check repeats the request.
      }
    }
  }
}
