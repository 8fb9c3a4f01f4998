import type { Test } from 'tap';
import type { KeyValueStore } from '#ports/placement';
import { until } from '../support/until.js';

export interface KvUnderTest {
  /** First of two clients of the same keys. */
  readonly a: KeyValueStore;
  readonly b: KeyValueStore;
  close(): Promise<void>;
}

/** Contract test of KeyValueStore implementations. */
export function kvContract(t: Test, name: string, make: () => Promise<KvUnderTest>): void {
  const fact = (title: string, body: (t: Test, kv: KvUnderTest) => Promise<void>): void => {
    void t.test(`${name}: ${title}`, async (t) => {
      const kv = await make();
      try {
        await body(t, kv);
      } finally {
        await kv.close();
      }
    });
  };

  fact('a write needs the current revision', async (t, { a, b }) => {
    t.equal(await b.get('k'), undefined);
    const first = await a.put('k', 'one', 0);
    t.strictSame(await b.get('k'), { value: 'one', revision: first });
    t.equal(await b.put('k', 'two', 0), undefined);
    t.equal(await b.put('k', 'two', first! + 1), undefined);
    const second = await b.put('k', 'two', first!);
    t.ok(second! > first!);
    t.equal(await a.put('k', 'three', first!), undefined);
    t.strictSame(await a.get('k'), { value: 'two', revision: second });
  });

  fact('exactly one of many concurrent writes succeeds', async (t, { a, b }) => {
    const revision = await a.put('k', '', 0);
    const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? a : b).put('k', String(i), revision!));
    const written = (await Promise.all(tries)).filter((r) => r !== undefined);
    t.equal(written.length, 1);
    t.equal((await a.get('k'))!.revision, written[0]);
  });

  fact('all keys are read in one call', async (t, { a, b }) => {
    t.equal((await a.readAll()).size, 0);
    const names = Array.from({ length: 40 }, (_, i) => `host.${i}`);
    const revisions = await Promise.all(names.map((name) => a.put(name, `of ${name}`, 0)));
    const last = await b.put(names[3]!, 'again', revisions[3]!);
    const all = await b.readAll();
    t.strictSame([...all.keys()].sort(), [...names].sort());
    t.strictSame(all.get(names[3]!), { value: 'again', revision: last });
    t.strictSame(all.get(names[4]!), { value: `of ${names[4]}`, revision: revisions[4] });
  });

  fact('reading all keys includes keys written meanwhile', async (t, { a, b }) => {
    const names = ['host.a', 'host.b', 'table'];
    for (const name of names) await a.put(name, '', 0);
    let writing = true;
    const writers = names.map(async (name) => {
      for (let revision = (await a.get(name))!.revision; writing; ) revision = (await a.put(name, '', revision))!;
    });
    let reads = 0;
    for (let i = 0; i < 200; i++) {
      const all = await b.readAll().catch(() => undefined);
      if (!all) continue;
      reads++;
      t.equal(all.size, names.length);
    }
    writing = false;
    await Promise.all(writers);
    t.ok(reads > 20, `${reads} of 200 reads succeeded`);
  });

  fact('a delete needs the current revision, and leaves no marker', async (t, { a, b }) => {
    const first = await a.put('k', 'one', 0);
    const second = await a.put('k', 'two', first!);
    t.equal(await b.delete('k', first!), false);
    t.equal((await b.get('k'))!.value, 'two');
    t.equal(await b.delete('k', second!), true);
    t.equal(await b.delete('k', second!), false);
    t.equal(await a.get('k'), undefined);
    t.equal((await a.readAll()).size, 0);
    t.equal(await a.put('k', 'late', second!), undefined, 'a put with the revision from before the delete fails');
    t.ok(await a.put('k', 'again', 0));
  });

  fact('watchers are notified of every key', async (t, { a, b }) => {
    const told: string[] = [];
    const unwatch = b.watch((key, value) => told.push(`${key} ${value}`));
    // The subscription is sent before this request.
    await b.get('x');
    await a.put('x', '1', 0);
    await a.put('y.z', '2', 0);
    await until('told', () => told.length >= 2);
    t.strictSame(told, ['x 1', 'y.z 2']);
    unwatch();
  });
}
