import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { realmActorKey, toEpoch, toRealmId, toUserId, userActorKey } from '#model';
import { LmdbStore, openLmdbEnvironment } from '#ports/store';
import { FakeClock } from '../support/fake-clock.js';
import { storeContract } from './store.js';

const writer = fileURLToPath(new URL('../support/lmdb-writer.js', import.meta.url));
const key = userActorKey(toRealmId(1), toUserId(1));
const part = (name: string, rev: number, value: number | null) =>
  ({ type: 'part', key, part: name, rev, value }) as const;

storeContract(t, 'LmdbStore', async () => {
  const environment = await openLmdbEnvironment(t.testdir());
  t.teardown(() => environment.close());
  return new LmdbStore(environment, new FakeClock());
});

t.test('the newest message is found after a start whose first write changes an older one', async (t) => {
  const directory = t.testdir();
  const realm = toRealmId(1);
  const text = (id: number, content: string) => ({
    ...{ id, conversation: 's1', topicKey: '', sender: 5, participants: [], movedFrom: '', tags: [] },
    body: { content },
  });
  const open = async () => {
    const environment = await openLmdbEnvironment(directory);
    return { environment, store: new LmdbStore(environment, new FakeClock()) };
  };
  const write = (store: LmdbStore, id: number, rev: number) =>
    store.applyRecords([{ type: 'message', realm, id, rev, value: text(id, `revision ${rev}`) }]);
  const before = await open();
  for (const id of [7, 8, 9]) await write(before.store, id, 1);
  await before.store.close();
  await before.environment.close();
  const { environment, store } = await open();
  await write(store, 8, 2);
  const scan = { realm, index: { by: 'realm' }, from: 100, direction: 'older', limit: 3 } as const;
  t.strictSame(
    (await store.scanMessages(scan)).map(({ id }) => id),
    [9, 8, 7],
  );
  await store.close();
  await environment.close();
});

t.test('a scan whose receiver takes long for each message leaves turns to other work', async (t) => {
  const environment = await openLmdbEnvironment(t.testdir());
  t.teardown(() => environment.close());
  const store = new LmdbStore(environment, new FakeClock());
  const realm = toRealmId(1);
  const write = (id: number, rev: number, conversation: string) => ({
    ...{ type: 'message' as const, realm, id, rev },
    value: { id, conversation, topicKey: '', sender: 5, participants: [], movedFrom: '', tags: [], body: {} },
  });
  const ids = Array.from({ length: 150 }, (_, i) => i + 1);
  await store.applyRecords(ids.map((id) => write(id, 1, 's1')));
  let isMoved = false;
  const seen: number[] = [];
  const index = { by: 'conversation', conversation: 's1' } as const;
  await store.forEachPackedMessage({ realm, index, from: 0, direction: 'newer', limit: 150 }, ({ id }) => {
    if (seen.push(id) === 1) {
      setImmediate(async () => {
        await store.applyRecords([write(150, 2, 's2')]);
        isMoved = true;
      });
    }
    for (const start = performance.now(); !isMoved && performance.now() - start < 11; );
  });
  t.ok(isMoved, 'a write was carried out during the scan');
  t.strictSame(seen, ids.slice(0, -1), 'the message that it moved away is left out');
});

/** Lines that the child has printed once one of them starts with `prefix`. */
async function said(child: ChildProcess, prefix: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    if (line.startsWith(prefix)) return lines;
  }
  throw new Error(`the child ended after ${lines.join(', ')}`);
}

t.test('acknowledged writes survive a kill -9', async (t) => {
  const directory = t.testdir();
  for (const last of [2, 30, 77]) {
    const child = spawn(process.execPath, [writer, 'store', `${directory}/${last}`, '100000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await said(child, `ack ${last}`);
    child.kill('SIGKILL');
    await ended;
    const environment = await openLmdbEnvironment(`${directory}/${last}`);
    const store = new LmdbStore(environment, new FakeClock());
    for (let n = 1; n <= last; n++) {
      t.match(await store.loadRoot(realmActorKey(toRealmId(n)), toEpoch(1)), { version: 1, state: { n } });
    }
    await store.close();
    await environment.close();
  }
});

/**
 * Runs the writer with every fdatasync, fsync and msync delayed by a third of a second.
 * @returns for each acknowledgement, whether a flush began and ended between it and the previous line
 */
async function flushesBeforeAcks(directory: string, mode: string): Promise<boolean[]> {
  const trace = join(directory, `${mode}.trace`);
  const calls = 'fdatasync,fsync,msync';
  const strace = ['-f', '-qq', '-e', `trace=${calls},write`, '-e', `inject=${calls}:delay_enter=300000`, '-o', trace];
  const child = spawn('strace', [...strace, process.execPath, writer, mode, join(directory, mode), '3'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await said(child, 'done');
  const pid = readFileSync(trace, 'utf8').match(/^(\d+) /)?.[1];
  process.kill(Number(pid), 'SIGKILL');
  await ended;
  const acks: boolean[] = [];
  const begun = new Set<string>();
  let flushed = false;
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (/^write\(1, "(ready|ack)/.test(call)) {
      if (call.includes('ack')) acks.push(flushed);
      flushed = false;
      begun.clear();
    } else if (/^(fdatasync|fsync|msync)\(/.test(call)) {
      if (call.endsWith('<unfinished ...>')) begun.add(thread);
      else flushed = true;
    } else if (/^<\.\.\. (fdatasync|fsync|msync) resumed/.test(call) && begun.has(thread)) {
      flushed = true;
    }
  }
  return acks;
}

const traceable = spawnSync('strace', ['-qq', '-e', 'trace=none', 'true']).status === 0;
t.test('a write is acknowledged only after its flush', { skip: !traceable && 'needs strace' }, async (t) => {
  const directory = t.testdir();
  t.strictSame(await flushesBeforeAcks(directory, 'store'), [true, true, true]);
  t.strictSame(
    await flushesBeforeAcks(directory, 'nosync'),
    [false, false, false],
    'the check detects a missing flush',
  );
});

t.test('only one living process can open a directory', async (t) => {
  const directory = join(t.testdir(), 'a/b');
  const child = spawn(process.execPath, [writer, 'store', directory, '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await said(child, 'done');
  const message = `data directory ${directory} is in use by process ${child.pid}`;
  await t.rejects(openLmdbEnvironment(directory), { name: 'DataDirectoryInUseError', message });
  child.kill('SIGSTOP');
  await t.rejects(openLmdbEnvironment(directory), { message }, 'a stopped process keeps the directory locked');
  child.kill('SIGKILL');
  await ended;
  const environment = await openLmdbEnvironment(directory);
  await t.rejects(openLmdbEnvironment(directory), { message: new RegExp(`in use by process ${process.pid}$`) });
  await environment.close();
  await (await openLmdbEnvironment(directory)).close();
});

t.test('at most one of several processes that open a directory together succeeds', async (t) => {
  const directory = t.testdir();
  const opened = await Promise.allSettled(Array.from({ length: 6 }, () => openLmdbEnvironment(directory)));
  const got = opened.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
  t.ok(got.length <= 1);
  for (const environment of got) await environment.close();
  await (await openLmdbEnvironment(directory)).close();
});

t.test('a directory with a path too long for a socket can be locked', async (t) => {
  const directory = join(t.testdir(), 'x'.repeat(120));
  const environment = await openLmdbEnvironment(directory);
  await t.rejects(openLmdbEnvironment(directory), { name: 'DataDirectoryInUseError' });
  await environment.close();
});

t.test('roots, parts, messages and epochs survive a restart of the process', async (t) => {
  const directory = t.testdir();
  let environment = await openLmdbEnvironment(directory);
  let store = new LmdbStore(environment, new FakeClock());
  const root = { key, epoch: toEpoch(4), state: ['x'], outbox: [1], due: null } as const;
  await store.commit({ ...root, expected: 0, records: [part('p', 1, 1)] });
  const message = {
    id: 5,
    conversation: 's1',
    topicKey: 'a',
    sender: 1,
    participants: [],
    movedFrom: '',
    tags: [],
    body: { b: 1 },
  };
  await store.applyRecords([{ type: 'message', realm: toRealmId(1), id: 5, rev: 1, value: message }]);
  const raised = await store.raiseEpoch(3 as never, 10);
  await store.close();
  await environment.close();
  environment = await openLmdbEnvironment(directory);
  store = new LmdbStore(environment, new FakeClock());
  t.strictSame(await store.loadRoot(key, toEpoch(4)), { ...root, version: 1 });
  t.strictSame(await store.listParts(key, ''), [{ part: 'p', rev: 1, value: 1 }]);
  t.strictSame(await store.getMessages(toRealmId(1), [5]), [message]);
  t.equal(await store.raiseEpoch(3 as never, 0), raised + 1);
  await store.close();
  await environment.close();
});

t.test('a tombstone is kept for an hour, then dropped by a later write', async (t) => {
  const environment = await openLmdbEnvironment(t.testdir());
  const clock = new FakeClock();
  const store = new LmdbStore(environment, clock);
  const graves = environment.openTable('graves');
  await store.applyRecords(Array.from({ length: 100 }, (_, i) => part(`p${i}`, 2, null)));
  clock.advance(3_599_999);
  await store.applyRecords([part('p1', 1, 1), part('late', 2, null)]);
  t.strictSame(await store.listParts(key, ''), [], 'an older write is refused while the tombstone exists');
  t.equal(graves.getCount(), 101);
  clock.advance(2);
  await store.applyRecords([part('x', 1, 1)]);
  t.equal(graves.getCount(), 37, 'one write drops a limited number of tombstones');
  await store.applyRecords([part('x', 2, 1)]);
  t.equal(graves.getCount(), 1);
  await store.applyRecords([part('late', 3, 3)]);
  t.equal(graves.getCount(), 0, 'a newer value replaces the tombstone');
  t.equal(environment.openTable('graves-by-time').getCount(), 0);
  await store.close();
  await environment.close();
});

t.test('a text too long for a key is refused before any write', async (t) => {
  const environment = await openLmdbEnvironment(t.testdir());
  const store = new LmdbStore(environment, new FakeClock());
  await t.rejects(store.applyRecords([part('ok', 1, 1), part('x'.repeat(901), 1, 1)]), RangeError);
  t.strictSame(await store.listParts(key, ''), []);
  await store.applyRecords([part('é'.repeat(450), 1, 1)]);
  t.equal((await store.listParts(key, 'é')).length, 1);
  await store.close();
  await environment.close();
});
