import { randomBytes } from 'node:crypto';
import { connect } from 'nats';
import t from 'tap';
import type { Json } from '#base';
import { REAL_CLOCK as clock } from '#base/clock';
import { type LogSeq, toLogSeq, toRealmId } from '#model';
import { type EventLogReader, JetStreamEventLog, type JetStreamEventLogOptions } from '#ports/log';
import { natsServerBinary, natsUrl, OwnNats } from '../support/nats.js';
import { until } from '../support/until.js';
import { logContract } from './log.js';

const url = natsUrl();
const limits = { maxAgeMs: 3_600_000, maxBytes: 64 * 1024 * 1024 };
const realm = toRealmId(1);
const other = toRealmId(2);
const ZERO = toLogSeq(0);

/** Random stream and subject names, so that a run is separate from everything else on the server. */
const names = (): { stream: string; namespace: string } => {
  const id = randomBytes(6).toString('hex');
  return { stream: `TEST_EV_${id}`, namespace: `test-${id}` };
};

async function dropStream(stream: string): Promise<void> {
  const nats = await connect({ servers: url! });
  await (await nats.jetstreamManager()).streams.delete(stream).catch(() => false);
  await nats.close();
}

class Reader implements EventLogReader {
  readonly seqs: LogSeq[] = [];
  readonly values: Json[] = [];
  readonly gaps: LogSeq[] = [];
  readonly transients: Json[] = [];

  onEntry(at: LogSeq, value: Json): void {
    this.seqs.push(at);
    this.values.push(value);
  }

  onTransient(value: Json): void {
    this.transients.push(value);
  }

  onGap(trimmed: LogSeq): void {
    this.gaps.push(trimmed);
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

if (url) {
  const fact = (
    title: string,
    options: Partial<JetStreamEventLogOptions>,
    body: (t: import('tap').Test, log: JetStreamEventLog, stream: string) => Promise<void>,
  ): void => {
    void t.test(title, async (t) => {
      const own = names();
      const log = await JetStreamEventLog.open(url, clock, { limits, ...own, ...options });
      try {
        await body(t, log, own.stream);
      } finally {
        await log.close();
        await JetStreamEventLog.discardLog(url, clock, own.stream);
      }
    });
  };

  for (const streamCount of [1, 3]) {
    logContract(t, `JetStreamLog of ${streamCount}`, async () => {
      const small = { maxAgeMs: 3_600_000, maxBytes: 4 * 1024 * 1024 };
      const own = names();
      const limits = { ...small, maxBytes: streamCount * small.maxBytes };
      const open = () => JetStreamEventLog.open(url, clock, { limits, streamCount, ...own });
      return { limits: small, open, reopen: open, close: () => JetStreamEventLog.discardLog(url, clock, own.stream) };
    });
  }

  const every = (n: number) => (_realm: unknown, at: number) => at % n === 0;

  fact('lost live entries are read from the log, in order', { shouldLoseLiveEntry: every(3) }, async (t, log) => {
    const reader = new Reader();
    const subscription = log.subscribe(realm, ZERO, reader);
    await subscription.waitUntilCaughtUp();
    const values = numbers(500);
    for (let i = 0; i < values.length; i += 20) {
      await Promise.all(values.slice(i, i + 20).map((v) => log.append(realm, v)));
    }
    await log.append(other, 'x');
    await until('all there', () => reader.values.length >= values.length);
    t.strictSame(reader.values, values);
    t.strictSame(reader.gaps, []);
  });

  fact('a lost last entry is found within a few seconds', { shouldLoseLiveEntry: () => true }, async (t, log) => {
    const reader = new Reader();
    const subscription = log.subscribe(realm, ZERO, reader);
    await subscription.waitUntilCaughtUp();
    await log.append(realm, 'last');
    const took = await until('found', () => reader.values.length === 1);
    t.ok(took < 3_000, `${took} ms`);
  });

  fact('a reader of a quiet realm skips the entries of other realms', {}, async (t, log) => {
    const reader = new Reader();
    const subscription = log.subscribe(realm, ZERO, reader);
    await log.append(realm, 1);
    let last = ZERO;
    for (let i = 0; i < 20; i++) last = await log.append(other, i);
    await until('passed over', () => subscription.position === last);
    const mine = await log.append(realm, 2);
    await until('delivered', () => reader.values.length === 2);
    t.equal(subscription.position, mine);
    t.strictSame(reader.values, [1, 2]);
  });

  fact(
    'a stream that was lost and created again is a new incarnation, and readers get a gap',
    {},
    async (t, log, stream) => {
      const reader = new Reader();
      const subscription = log.subscribe(realm, ZERO, reader);
      for (let i = 0; i < 5; i++) await log.append(realm, i);
      await subscription.waitUntilCaughtUp();
      const before = await log.readBounds(realm);
      await dropStream(stream);
      await subscription.waitUntilCaughtUp();
      const after = await log.readBounds(realm);
      t.not(after.incarnation, before.incarnation);
      t.equal(after.end, 0);
      t.equal(reader.gaps.length, 1);
      await log.append(realm, 'new');
      await until('delivered', () => reader.values.length === 6);
    },
  );

  fact('organizations in different streams do not see each other', { streamCount: 3 }, async (t, log) => {
    const realms = [1, 2, 3, 4].map(toRealmId);
    const readers = realms.map(() => new Reader());
    const subscriptions = realms.map((one, i) => log.subscribe(one, ZERO, readers[i]!));
    await Promise.all(subscriptions.map((one) => one.waitUntilCaughtUp()));
    for (let n = 0; n < 20; n++) {
      for (const one of realms.slice(0, 3)) await log.append(one, `${one}: ${n}`);
      log.publishTransient(realms[n % 3]!, n);
    }
    await until('all there', () => readers.slice(0, 3).every(({ values }) => values.length === 20));
    await until('all transient values there', () =>
      readers.every(({ transients }, i) => transients.length > 5 || i > 2),
    );
    for (const [i, one] of realms.slice(0, 3).entries()) {
      t.strictSame(
        readers[i]!.values,
        numbers(20).map((n) => `${one}: ${n}`),
      );
      t.strictSame(
        readers[i]!.seqs,
        numbers(20).map((n) => n + 1),
        'entries of other realms take no positions',
      );
      t.ok(readers[i]!.transients.every((n) => (n as number) % 3 === i));
      t.match(await log.readBounds(one), { end: 20 });
    }
    const at = await log.append(realms[3]!, 'of the same stream as the first');
    t.equal(at, 21);
    await until('passed over', () => subscriptions[0]!.position === at);
    t.equal(subscriptions[1]!.position, 20);
    t.strictSame(readers[0]!.gaps, []);
  });

  fact('a stream that refuses appends does not delay the others', { streamCount: 3 }, async (t, log, stream) => {
    const reader = new Reader();
    log.subscribe(other, ZERO, reader);
    await log.append(realm, 'before');
    const nats = await connect({ servers: url });
    const manager = await nats.jetstreamManager();
    const { config } = await manager.streams.info(`${stream}-2`);
    await manager.streams.update(config.name, { ...config, sealed: true } as typeof config);
    await nats.close();
    await t.rejects(log.append(realm, 'refused'), { name: 'EventLogUnavailableError' });
    for (const n of numbers(10)) await log.append(other, n);
    await until('delivered', () => reader.values.length === 10);
    t.match(await log.readBounds(realm), { end: 1 });
  });

  fact('after the loss of one stream only its readers get a gap', { streamCount: 3 }, async (t, log, stream) => {
    const [lost, kept] = [new Reader(), new Reader()];
    const subscriptions = [log.subscribe(realm, ZERO, lost), log.subscribe(other, ZERO, kept)];
    for (const n of numbers(5)) await Promise.all([log.append(realm, n), log.append(other, n)]);
    const before = [await log.readBounds(realm), await log.readBounds(other)];
    await dropStream(`${stream}-2`);
    await Promise.all(subscriptions.map((one) => one.waitUntilCaughtUp()));
    const after = [await log.readBounds(realm), await log.readBounds(other)];
    t.not(after[0]!.incarnation, before[0]!.incarnation);
    t.strictSame(after[1], before[1]);
    t.strictSame([lost.gaps.length, kept.gaps.length], [1, 0]);
    await Promise.all([log.append(realm, 'new'), log.append(other, 'next')]);
    await until('delivered', () => lost.values.at(-1) === 'new' && kept.values.at(-1) === 'next');
  });

  t.test('several streams share the size limit of the log, and lost last entries are found in each', async (t) => {
    const own = names();
    const open = (streamCount: number) =>
      JetStreamEventLog.open(url, clock, { limits, ...own, streamCount, shouldLoseLiveEntry: () => true });
    const log = await open(3);
    const nats = await connect({ servers: url });
    const manager = await nats.jetstreamManager();
    const readers = [1, 2, 3].map((of) => {
      const reader = new Reader();
      log.subscribe(toRealmId(of), ZERO, reader);
      return reader;
    });
    await Promise.all([1, 2, 3].map((of) => log.append(toRealmId(of), of)));
    await until('found', () => readers.every(({ values }) => values.length === 1));
    for (const n of [1, 2, 3]) {
      const { config } = await manager.streams.info(`${own.stream}-${n}`);
      t.equal(config.max_bytes, Math.floor(limits.maxBytes / 3));
    }
    await t.rejects(
      open(1),
      { name: 'EventLogUnavailableError' },
      'another number of streams is refused while the log is open',
    );
    await log.close();
    await JetStreamEventLog.discardLog(url, clock, own.stream);
    const left: string[] = [];
    for await (const { config } of manager.streams.list())
      if (config.name.startsWith(own.stream)) left.push(config.name);
    t.strictSame(left, []);
    const again = await open(1);
    t.match(await again.readBounds(realm), { end: 0 });
    await again.close();
    await dropStream(own.stream);
    await nats.close();
  });

  fact('changed limits are applied to an existing stream', {}, async (t, log, stream) => {
    await log.append(realm, 1);
    const nats = await connect({ servers: url });
    const manager = await nats.jetstreamManager();
    const config = (await manager.streams.info(stream)).config;
    t.match(config, { max_age: limits.maxAgeMs * 1e6, max_bytes: limits.maxBytes, storage: 'file', discard: 'old' });
    const namespace = config.subjects[0]!.split('.')[0]!;
    const again = await JetStreamEventLog.open(url, clock, {
      limits: { maxAgeMs: 7_200_000, maxBytes: 1024 * 1024 },
      stream,
      namespace,
    });
    t.match((await manager.streams.info(stream)).config, { max_age: 7_200_000 * 1e6, max_bytes: 1024 * 1024 });
    t.match(await again.readBounds(realm), { end: 1 });
    await again.close();
    await nats.close();
  });

  t.test('opening a log without NATS rejects and names the server', async (t) => {
    await t.rejects(JetStreamEventLog.open('nats://127.0.0.1:1', clock, { limits }), {
      name: 'EventLogUnavailableError',
      message: /127.0.0.1:1/,
    });
  });
}

const binary = natsServerBinary();
if (binary) {
  t.test('a killed server loses no confirmed entry, and readers see each entry once', async (t) => {
    const nats = await OwnNats.start(binary);
    const log = await JetStreamEventLog.open(nats.url, clock, { limits });
    const readers = [new Reader(), new Reader()];
    const subscriptions = readers.map((reader) => log.subscribe(realm, ZERO, reader));
    const confirmed: [LogSeq, number][] = [];
    let failures = 0;
    let n = 0;
    let stop = false;
    const writer = async (): Promise<void> => {
      while (!stop) {
        const value = n++;
        try {
          confirmed.push([await log.append(realm, value), value]);
        } catch (error) {
          t.match(error, { name: 'EventLogUnavailableError' });
          failures++;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const writers = numbers(8).map(writer);
    for (let round = 1; round <= 2; round++) {
      const goal = confirmed.length + 500;
      await until('entries confirmed', () => confirmed.length > goal);
      const failed = failures;
      await nats.kill();
      await until('appends fail', () => failures > failed);
      await nats.up();
    }
    const goal = confirmed.length + 500;
    await until('entries confirmed again', () => confirmed.length > goal);
    stop = true;
    await Promise.all(writers);
    for (const [i, reader] of readers.entries()) {
      await subscriptions[i]!.waitUntilCaughtUp();
      const at = new Map(reader.seqs.map((s, k) => [s, reader.values[k]]));
      t.ok(
        confirmed.every(([s, value]) => at.get(s) === value),
        'no confirmed entry is lost',
      );
      t.ok(
        reader.seqs.every((s, k) => k === 0 || s > reader.seqs[k - 1]!),
        'each entry is delivered once, in order',
      );
      t.equal(new Set(reader.values).size, reader.values.length);
      t.strictSame(reader.gaps, []);
    }
    t.comment(`${confirmed.length} confirmed, ${failures} failed appends`);
    await log.close();
    await nats.stop();
  });
}
