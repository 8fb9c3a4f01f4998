/**
 * An EventLog as JetStream gives it: one stream of all realms or several, each with positions of its own, and stored
 * entries republished to those who listen, who may lose them. Readers are the real ones
 * (src/ports/log/log-jetstream-subscription.ts), so that their rules for gaps are at stake here.
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

/** As the product's. */
const CHECK_MS = 2_000;

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

  static from(before: readonly StoredEntry[], streamCount: number): SimLogContents {
    const contents = new SimLogContents(streamCount);
    contents.entries.push(...before);
    return contents;
  }

  /** Position of the last entry in the realm's stream. */
  endOfStreamOf(realm: RealmId): number {
    const stream = logStreamOfRealm(realm, this.streamCount);
    return this.entries.findLast((entry) => logStreamOfRealm(entry.realm, this.streamCount) === stream)?.seq ?? 0;
  }

  lastOf(realm: RealmId): number {
    return this.entries.findLast((entry) => entry.realm === realm)?.seq ?? 0;
  }

  of(realm: RealmId): { readonly seq: number; readonly value: Json }[] {
    return this.entries
      .filter((entry) => entry.realm === realm)
      .map(({ seq: at, data }) => ({ seq: at, value: decodeLogEntry(data) }));
  }
}

export interface SimLogOptions {
  readonly clock: Clock;
  readonly contents: SimLogContents;
  readonly gate: SimLogGate;
  /** Brings a live value to this process, now, later or never. */
  readonly travel: (label: string, deliver: () => void) => void;
  /** True if commits of the Store append, too. */
  readonly joinsCommits: boolean;
}

export class SimLog implements EventLog {
  readonly #cursors = new Map<RealmId, Set<JetStreamEventLogSubscription>>();
  readonly prepareAppend: EventLog['prepareAppend'];
  #closed = false;

  constructor(private readonly options: SimLogOptions) {
    this.prepareAppend = options.joinsCommits ? (realm, value) => this.#prepareAppend(realm, value) : undefined;
    options.contents.listeners.add(this);
    this.#arm();
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
    const previous = contents.lastOf(realm);
    const entry: StoredEntry = { seq: contents.endOfStreamOf(realm) + 1, realm, data };
    contents.entries.push(entry);
    for (const other of contents.listeners) other.#live(entry, previous);
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
    for (const other of this.options.contents.listeners) {
      other.options.travel('transient', () => {
        for (const cursor of other.#cursors.get(realm) ?? []) cursor.deliverTransient(decodeLogEntry(data));
      });
    }
  }

  async readBounds(realm: RealmId): Promise<EventLogBounds> {
    await this.options.gate('before:position');
    const { contents } = this.options;
    return { end: toLogSeq(contents.lastOf(realm)), trimmed: toLogSeq(0), incarnation: contents.incarnation };
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    if (this.#closed) throw new EventLogUnavailableError('closed');
    const of = this.#cursors.get(realm) ?? new Set();
    this.#cursors.set(realm, of);
    const { clock } = this.options;
    const cursor: JetStreamEventLogSubscription = new JetStreamEventLogSubscription(
      this.#stream(realm),
      clock,
      String(realm),
      after,
      reader,
      () => {
        of.delete(cursor);
      },
    );
    of.add(cursor);
    cursor.startCatchUp();
    return cursor;
  }

  async close(): Promise<void> {
    this.stop();
    for (const of of this.#cursors.values()) for (const cursor of [...of]) cursor.close();
  }

  /** As the end of the process. */
  stop(): void {
    this.#closed = true;
    this.options.contents.listeners.delete(this);
  }

  #live({ seq: at, realm, data }: StoredEntry, previous: number): void {
    if (!this.#cursors.get(realm)?.size) return;
    this.options.travel(`live ${at}`, () => {
      const entry: LiveLogEntry = { seq: toLogSeq(at), previousSeq: toLogSeq(previous), value: decodeLogEntry(data) };
      for (const cursor of this.#cursors.get(realm) ?? []) cursor.deliverLive(entry);
    });
  }

  /** The part of JetStreamLogStream that cursors use. */
  #stream(realm: RealmId): JetStreamLogStream {
    const { contents, gate } = this.options;
    const above = (from: number): readonly StoredEntry[] =>
      contents.entries.filter((entry) => entry.realm === realm && entry.seq >= from);
    const stream = {
      fetchStateOrRecreateStream: async (): Promise<JetStreamLogState> => {
        await gate('before:state');
        const lastPosition = toLogSeq(contents.endOfStreamOf(realm));
        return { incarnation: contents.incarnation, lastPosition, trimmedUpTo: toLogSeq(0) };
      },
      fetchPositionAtOrAfter: async (_subject: string, from: number): Promise<LogSeq> => {
        await gate('before:next');
        return toLogSeq(above(from)[0]?.seq ?? 0);
      },
      readSomeEntries: async (
        _subject: string,
        from: number,
        entry: (at: LogSeq, data: Uint8Array) => void,
      ): Promise<number> => {
        await gate('before:read');
        const found = above(from);
        for (const { seq: at, data } of found) entry(toLogSeq(at), data);
        return found.length;
      },
    };
    return stream as unknown as JetStreamLogStream;
  }

  #arm(): void {
    this.options.clock.setTimeout(() => {
      void this.#check().finally(() => {
        if (!this.#closed) this.#arm();
      });
    }, CHECK_MS);
  }

  async #check(): Promise<void> {
    const { contents, gate } = this.options;
    for (const [realm, cursors] of this.#cursors) {
      if (cursors.size === 0) continue;
      try {
        await gate('before:state');
        const state = {
          incarnation: contents.incarnation,
          lastPosition: toLogSeq(contents.endOfStreamOf(realm)),
          trimmedUpTo: toLogSeq(0),
        };
        for (const cursor of [...cursors]) await cursor.checkForLostEntries(state);
      } catch {
        // Asked again in a moment.
      }
    }
  }
}
