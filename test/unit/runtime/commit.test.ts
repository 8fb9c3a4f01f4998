import t from 'tap';
import { type LogEntry, parseActorKey } from '#model';
import { ledgerKey } from '../../cluster/kinds.js';
import { Gate } from '../../support/gate.js';
import { Harness, settle } from './harness.js';

const key = ledgerKey(1);

t.test('commands of one tick share one commit', async (t) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'first' });
  await Promise.all(Array.from({ length: 50 }, (_, i) => h.ask(key, 'add', { op: `o${i}` })));
  t.equal(h.root(key)?.version, 2);
});

t.test('commands that come during a commit run at once and share the next one', async (t) => {
  const h = new Harness();
  await h.take(key);
  const gate = h.hold('before:commit');
  const first = h.begin(key, 'add', { op: 'a' });
  await settle();
  const later = Array.from({ length: 10 }, (_, i) => h.begin(key, 'add', { op: `b${i}` }));
  await settle();
  t.equal(gate.waiting(), 1, 'one commit is under way');
  t.ok([first, ...later].every((c) => c.answer() === undefined));
  gate.open();
  await Promise.all(later.map((c) => c.done));
  t.equal(h.root(key)?.version, 2);
});

t.test('a read waits for the commit that it saw', async (t) => {
  const h = new Harness();
  await h.take(key);
  const gate = h.hold('before:commit');
  h.begin(key, 'add', { op: 'a' });
  const read = h.begin(key, 'read');
  await settle();
  t.equal(read.answer(), undefined);
  gate.open();
  t.same(await read.done, { total: 1, version: 1 });
});

t.test('a command after a labelled read gets a version of its own', async (t) => {
  const h = new Harness();
  await h.take(key);
  const [, read] = await Promise.all([
    h.ask(key, 'add', { op: 'a' }),
    h.ask(key, 'read'),
    h.ask(key, 'add', { op: 'b' }),
  ]);
  t.same(read, { total: 1, version: 1 });
  t.equal(h.root(key)?.version, 2);
});

t.test('a logged read waits until the events are in the log', async (t) => {
  const h = new Harness();
  await h.take(key);
  const gate = new Gate();
  h.log.gate = (step) => (step === 'before:append' ? gate.opened : undefined);
  await h.ask(key, 'add', { op: 'a' });
  const read = h.begin(key, 'readLogged');
  await settle();
  t.equal(read.answer(), undefined);
  gate.open();
  t.same(await read.done, { total: 1, version: 1 });
});

t.test('the outcome of an uncertain commit is looked up, and the retry gets the first reply', async (t) => {
  for (const atomic of [true, false]) {
    const h = new Harness(undefined, atomic);
    await h.take(key);
    let failures = 1;
    h.store.gate = (step) => {
      if (step === 'after:commit' && failures-- > 0) throw new Error('connection lost');
    };
    const add = h.begin(key, 'add', { op: 'a' });
    await h.clock.advanceAsync(1_000);
    t.same(add.answer(), { total: 1 });
    t.equal(h.state(key).total, 1, 'applied once');
  }
});

t.test('a commit fenced by another owner stops the actor, and its commands are retried', async (t) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'a' });
  const old = h.host;
  h.newHost();
  await h.take(key);
  t.same(await h.ask(key, 'read'), { total: 1, version: 1 }, 'the new owner loads');
  await old.client.send(key, 'add', { op: 'b' }).reply;
  t.equal(h.root(key)?.epoch, 2);
});

t.test(
  'where the log takes part in commits, a commit leaves no outbox, and entries are in order of versions',
  async (t) => {
    const h = new Harness(undefined, true, undefined, true);
    await h.take(key);
    for (const op of ['a', 'b', 'c']) {
      await h.ask(key, 'add', { op });
      t.strictSame(h.root(key)?.outbox, []);
    }
    const entries = h.log.contents.entries(parseActorKey(key).realm);
    t.match(
      entries.map(({ value }) => value),
      [1, 2, 3].map((v) => ({ actor: key, groups: [{ v, p: 0 }] })),
    );
    const last = h.log.contents.realm(parseActorKey(key).realm).end;
    await h.lose('released', key);
    h.newHost();
    await h.take(key);
    t.same(await h.ask(key, 'read'), { total: 3, version: 3 });
    t.equal(h.log.contents.realm(parseActorKey(key).realm).end, last, 'nothing is appended again');
  },
);

t.test(
  'items that an earlier commit left to the outbox come into the log before those of the next commit',
  async (t) => {
    const before = new Harness(undefined, true);
    await before.take(key);
    before.log.gate = (step) => (step === 'before:append' ? new Promise(() => {}) : undefined);
    await before.ask(key, 'add', { op: 'a' });
    const left = before.root(key)!;
    t.equal(left.outbox.length, 1, 'the log did not take the entry');
    const h = new Harness(undefined, true, undefined, true);
    h.store.contents.roots.set(key, left);
    const gate = new Gate();
    h.log.gate = (step) => (step === 'before:append' ? gate.opened : undefined);
    await h.take(key);
    t.match(await h.ask(key, 'add', { op: 'b' }), { total: 2 });
    const { realm } = parseActorKey(key);
    t.strictSame(h.log.contents.entries(realm), [], 'the second commit does not overtake the first');
    h.log.gate = undefined;
    gate.open();
    await settle();
    const versions = h.log.contents
      .entries(realm)
      .flatMap(({ value }) => (value as unknown as LogEntry).groups.map(({ v }) => v));
    t.strictSame(versions, [1, 2]);
  },
);
