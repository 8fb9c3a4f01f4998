/**
 * Contract test of EventLog implementations (src/ports/log/log.ts). Realms are random, so a shared server can be used.
 */
import { randomInt } from 'node:crypto';
import type { Test } from 'tap';
import type { Json } from '#base';
import { type LogSeq, type RealmId, toLogSeq, toRealmId } from '#model';
import type { EventLog, EventLogReader, EventLogRetentionLimits, EventLogSubscription } from '#ports/log';

export interface LogUnderTest {
  /** Limits with which the log was opened. `maxBytes` is a few MiB, so that the suite can exceed it. */
  readonly limits: EventLogRetentionLimits;
  open(): Promise<EventLog>;
  /** Opens the closed log again. Present if entries outlive `close`. */
  reopen?(): Promise<EventLog>;
  /** Triggers trimming, for example by moving the clock. Present if trimming doesn't happen by itself. */
  settleTrimming?(): Promise<void>;
  close?(): Promise<void>;
}

const freshRealm = (): RealmId => toRealmId(1 + randomInt(2 ** 40));
const ZERO = toLogSeq(0);

/** Reader that collects deliveries and wakes callers that wait for one. */
class Collector implements EventLogReader {
  readonly seqs: number[] = [];
  readonly values: Json[] = [];
  readonly transients: Json[] = [];
  readonly gaps: number[] = [];
  #waiting: (() => void)[] = [];

  onEntry(at: LogSeq, value: Json): void {
    this.seqs.push(at);
    this.values.push(value);
    this.#wake();
  }

  onTransient(value: Json): void {
    this.transients.push(value);
    this.#wake();
  }

  onGap(trimmed: LogSeq): void {
    this.gaps.push(trimmed);
    this.#wake();
  }

  /** Resolves when the condition holds, which is checked after each delivery. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Runs all tests on one shared log; the last test closes it. */
export function logContract(t: Test, name: string, makeLog: () => Promise<LogUnderTest>): Promise<unknown> {
  return t.test(name, async (t) => {
    const subject = await makeLog();
    let log = await subject.open();
    const fact = (title: string, body: (t: Test) => Promise<void>): void => {
      t.test(title, body);
    };
    const collect = (realm: RealmId, after: LogSeq): [Collector, EventLogSubscription] => {
      const reader = new Collector();
      return [reader, log.subscribe(realm, after, reader)];
    };
    const appendAll = (realm: RealmId, values: readonly Json[]): Promise<LogSeq[]> =>
      Promise.all(values.map((v) => log.append(realm, v)));

    fact('an empty realm ends at 0, with nothing trimmed', async (t) => {
      t.match(await log.readBounds(freshRealm()), { end: 0, trimmed: 0, incarnation: /./ });
    });

    fact('positions grow in the order of the appends, also of concurrent ones', async (t) => {
      const realm = freshRealm();
      const seqs = [await log.append(realm, 0), ...(await appendAll(realm, numbers(1, 50)))];
      t.ok(seqs.every((s, i) => s > (i === 0 ? 0 : (seqs[i - 1] as number))));
      t.equal((await log.readBounds(realm)).end, seqs.at(-1));
      const [reader, subscription] = collect(realm, ZERO);
      t.equal(await subscription.waitUntilCaughtUp(), seqs.at(-1));
      t.strictSame(reader.values, numbers(0, 50));
      t.strictSame(reader.seqs, seqs);
      t.equal(subscription.position, seqs.at(-1));
      subscription.close();
    });

    fact('each realm has its own entries, also with concurrent appends to others', async (t) => {
      const realms = [freshRealm(), freshRealm(), freshRealm()];
      const subscriptions = realms.map((realm) => collect(realm, ZERO));
      await Promise.all(numbers(1, 60).map((n) => log.append(realms[n % 3] as RealmId, n)));
      for (const [i, [reader, subscription]] of subscriptions.entries()) {
        await reader.until(() => reader.values.length >= 20);
        await subscription.waitUntilCaughtUp();
        t.strictSame(
          reader.values,
          numbers(1, 60).filter((n) => n % 3 === i),
        );
        subscription.close();
      }
    });

    fact('a subscriber gets the entries after its start position: all, some, or only new ones', async (t) => {
      const realm = freshRealm();
      const seqs = await appendAll(realm, numbers(1, 10));
      const [all, middle, end] = [ZERO, seqs[4] as LogSeq, seqs[9] as LogSeq].map((after) => collect(realm, after));
      for (const s of [all, middle, end]) await s?.[1].waitUntilCaughtUp();
      const last = await log.append(realm, 11);
      for (const s of [all, middle, end]) await s?.[0].until(() => s[0].seqs.includes(last));
      t.strictSame(all?.[0].values, numbers(1, 11));
      t.strictSame(middle?.[0].values, numbers(6, 11));
      t.strictSame(end?.[0].values, [11]);
      for (const s of [all, middle, end]) s?.[1].close();
    });

    fact('subscribers that start during appends see no gap and no repeat', async (t) => {
      const realm = freshRealm();
      const subscriptions: { from: number; reader: Collector; subscription: EventLogSubscription }[] = [];
      let last = ZERO;
      for (let n = 0; n < 40; n++) {
        const appending = appendAll(realm, numbers(n * 10 + 1, n * 10 + 10));
        if (n % 4 === 0) {
          const [reader, subscription] = collect(realm, n % 8 === 0 ? ZERO : last);
          subscriptions.push({ from: n % 8 === 0 ? 1 : n * 10 + 1, reader, subscription });
        }
        last = (await appending).at(-1) as LogSeq;
      }
      for (const { from, reader, subscription } of subscriptions) {
        t.ok((await subscription.waitUntilCaughtUp()) >= last);
        t.strictSame(reader.values, numbers(from, 400));
        t.ok(reader.seqs.every((s, i) => s > (reader.seqs[i - 1] ?? 0)));
        t.strictSame(reader.gaps, []);
        subscription.close();
      }
    });

    fact('a reader may append and subscribe from within a delivery', async (t) => {
      const realm = freshRealm();
      const inner = new Collector();
      let second: EventLogSubscription | undefined;
      const outer = new Collector();
      const first = log.subscribe(realm, ZERO, {
        onEntry: (at, value) => {
          outer.onEntry(at, value);
          second ??= log.subscribe(realm, ZERO, inner);
          if ((value as number) < 5) log.append(realm, (value as number) + 1).catch(t.threw);
        },
        onTransient: () => undefined,
        onGap: () => undefined,
      });
      await log.append(realm, 1);
      await outer.until(() => outer.values.length === 5);
      await inner.until(() => inner.values.length === 5);
      t.strictSame(outer.values, numbers(1, 5));
      t.strictSame(inner.values, numbers(1, 5));
      first.close();
      second?.close();
    });

    fact('a closed subscription delivers nothing more', async (t) => {
      const realm = freshRealm();
      const [closed, first] = collect(realm, ZERO);
      const [open, second] = collect(realm, ZERO);
      await log.append(realm, 1);
      await closed.until(() => closed.values.length === 1);
      first.close();
      first.close();
      await log.append(realm, 2);
      log.publishTransient(realm, 'x');
      await open.until(() => open.values.length === 2 && open.transients.length === 1);
      t.strictSame(closed.values, [1]);
      t.strictSame(closed.transients, []);
      second.close();
    });

    fact('transient values reach present subscribers of the realm and are never stored', async (t) => {
      const realm = freshRealm();
      const [early, first] = collect(realm, ZERO);
      const [other, third] = collect(freshRealm(), ZERO);
      await log.append(realm, 1);
      await first.waitUntilCaughtUp();
      await third.waitUntilCaughtUp();
      log.publishTransient(realm, { typing: true });
      await early.until(() => early.transients.length === 1);
      const [late, second] = collect(realm, ZERO);
      await second.waitUntilCaughtUp();
      log.publishTransient(realm, 'two');
      await late.until(() => late.transients.length === 1);
      await early.until(() => early.transients.length === 2);
      t.strictSame(early.transients, [{ typing: true }, 'two']);
      t.strictSame(late.transients, ['two']);
      t.strictSame(late.values, [1]);
      t.strictSame(other.transients, []);
      for (const s of [first, second, third]) s.close();
    });

    fact('entries of 500 KiB and of every kind of value are delivered unchanged', async (t) => {
      const realm = freshRealm();
      const text = 'é'.repeat(250 * 1024);
      const values = [
        { text },
        null,
        0,
        '',
        [],
        { 'a.b': new Uint8Array([1, 2]), n: 2 ** 53 - 1 },
        new Uint8Array(500 * 1024),
      ];
      const [live, first] = collect(realm, ZERO);
      await appendAll(realm, values);
      await live.until(() => live.values.length === values.length);
      const [stored, second] = collect(realm, ZERO);
      await second.waitUntilCaughtUp();
      t.strictSame(live.values, values);
      t.strictSame(stored.values, values);
      first.close();
      second.close();
    });

    if (subject.limits.maxBytes <= 64 * 1024 * 1024) {
      fact('entries beyond the byte limit are dropped, oldest first, and a reader below them gets a gap', async (t) => {
        const realm = freshRealm();
        const big = new Uint8Array(256 * 1024);
        const count = Math.ceil((2 * subject.limits.maxBytes) / big.length);
        const seqs: LogSeq[] = [];
        for (let n = 0; n < count; n += 8) {
          seqs.push(
            ...(await appendAll(
              realm,
              numbers(n, Math.min(n + 7, count - 1)).map((n) => ({ n, big })),
            )),
          );
        }
        await subject.settleTrimming?.();
        const { end, trimmed } = await log.readBounds(realm);
        t.equal(end, seqs.at(-1));
        t.ok(trimmed > 0 && trimmed < end);
        const [below, first] = collect(realm, ZERO);
        await first.waitUntilCaughtUp();
        t.strictSame(
          below.gaps,
          [trimmed],
          'the reader gets one gap, with the position up to which entries are dropped',
        );
        t.strictSame(
          below.seqs,
          seqs.filter((s) => s > trimmed),
        );
        const [at, second] = collect(realm, trimmed);
        await second.waitUntilCaughtUp();
        t.strictSame(at.gaps, [], 'a reader that starts exactly there gets no gap');
        t.strictSame(at.seqs, below.seqs);
        first.close();
        second.close();
      });
    }

    if (subject.reopen) {
      const reopen = subject.reopen.bind(subject);
      fact('entries, positions and the incarnation outlive the process', async (t) => {
        const realm = freshRealm();
        await appendAll(realm, numbers(1, 5));
        const before = await log.readBounds(realm);
        await log.close();
        log = await reopen();
        t.strictSame(await log.readBounds(realm), before);
        const [reader, subscription] = collect(realm, ZERO);
        await subscription.waitUntilCaughtUp();
        t.ok((await log.append(realm, 6)) > before.end);
        await reader.until(() => reader.values.length === 6);
        t.strictSame(reader.values, numbers(1, 6));
        subscription.close();
      });
    }

    fact('a closed log rejects with LogUnavailable, also pending caughtUp calls', async (t) => {
      const realm = freshRealm();
      const appended = log.append(realm, 1);
      await log.close();
      await appended.catch((error) => t.match(error, { name: 'EventLogUnavailableError' }));
      await t.rejects(log.append(realm, 1), { name: 'EventLogUnavailableError' });
      await t.rejects(log.readBounds(realm), { name: 'EventLogUnavailableError' });
      await subject.close?.();
    });
  });
}
