import t from 'tap';
import type { Json } from '#base';
import { busSubjectOfPartition, partitionOfActor } from '#model';
import { LocalBus } from '#ports/bus';
import type { CommandEnvelope } from '#runtime';
import { COMMAND_REPLY_RETENTION_MS, CommandReplyCache } from '../../../src/runtime/reply-cache.js';
import { ledgerKey } from '../../cluster/kinds.js';
import { Harness, settle } from './harness.js';

const key = ledgerKey(1);
const envelope = (id: string, op: string, settled = 1, name = 'add'): CommandEnvelope => ({
  id,
  to: key,
  name,
  args: { op },
  caller: 0,
  client: '',
  after: 0,
  settled,
  requestId: '',
});

async function setUp() {
  const h = new Harness();
  await h.take(key);
  const bus = new LocalBus(h.clock, h.hub, 'raw');
  const send = (e: CommandEnvelope) =>
    bus.request(busSubjectOfPartition(partitionOfActor(key)), e as never, 5_000).reply;
  return { h, send };
}

t.test('a repeated command gets the first reply, also from the next owner', async (t) => {
  const { h, send } = await setUp();
  t.same(await send(envelope('x:1', 'a')), { value: { total: 1 } });
  t.same(await send(envelope('x:1', 'a')), { value: { total: 1 } });
  await h.lose('lapsed', key);
  await h.take(key);
  t.same(await send(envelope('x:1', 'a')), { value: { total: 1 } });
  t.equal(h.root(key)?.version, 1);
});

t.test(
  'the reply to a creating command is not stored: a sender that lost it starts again, and nothing is done twice',
  async (t) => {
    const { h, send } = await setUp();
    t.same(await send(envelope('x:1', 'a', 1, 'found')), { value: { total: 1 } });
    t.same(await send(envelope('x:1', 'a', 1, 'found')), { again: true });
    await h.host.passivateIdleActors(0);
    t.equal(h.host.activeActorCount, 0);
    t.same(await send(envelope('x:1', 'a', 1, 'found')), { retry: 'moved' }, 'it was not looked for');
    t.same(await send(envelope('x:1', 'a', 1, 'found')), { again: true });
    t.same(h.state(key).ops, ['a']);
    t.notOk([...(h.store.contents.parts.get(key) ?? [])].some(([name]) => name.startsWith('done/')));
  },
);

t.test('a sender that knows an actor finds it, though its creating command was repeated just before', async (t) => {
  const { h, send } = await setUp();
  t.same(await send(envelope('x:1', 'a', 1, 'found')), { value: { total: 1 } });
  await h.host.passivateIdleActors(0);
  const gate = h.hold('before:commit');
  const late = send(envelope('x:1', 'a', 1, 'found'));
  await settle();
  t.same(await send(envelope('x:2', 'b', 2)), { retry: 'moved' });
  t.same(await late, { retry: 'moved' });
  gate.open();
  t.same(await send(envelope('x:2', 'b', 2)), { value: { total: 2 } });
  t.same(h.state(key).ops, ['a', 'b']);
});

t.test('a creating command runs once, though its first owner does not know whether it did', async (t) => {
  const { h, send } = await setUp();
  const gate = h.hold('after:commit');
  const lost = send(envelope('x:1', 'a', 1, 'found'));
  await settle();
  await h.lose('lapsed', key);
  t.same(await lost, { retry: 'moved' });
  gate.open();
  await h.take(key);
  t.same(await h.client.send(key, 'found', { op: 'b' }).reply, { again: true });
  t.same(h.state(key).ops, ['a']);
});

t.test('a repeat during the first run gets the same reply', async (t) => {
  const { h, send } = await setUp();
  const gate = h.hold('before:commit');
  const both = [send(envelope('x:1', 'a')), send(envelope('x:1', 'a'))];
  await settle();
  gate.open();
  t.same(await Promise.all(both), [{ value: { total: 1 } }, { value: { total: 1 } }]);
});

t.test('settled replies are forgotten, and a late repeat of their commands does nothing', async (t) => {
  const { h, send } = await setUp();
  await send(envelope('x:1', 'a'));
  await send(envelope('x:2', 'b', 2));
  await send(envelope('x:3', 'c', 3));
  const kept = (): string[] =>
    [...(h.store.contents.parts.get(key) ?? [])].filter(([n, p]) => n.startsWith('done/') && p.value).map(([n]) => n);
  t.same(kept(), ['done/1'], 'the part was taken over by what came later');
  await send(envelope('x:1', 'a'));
  await h.lose('lapsed', key);
  await h.take(key);
  await send(envelope('x:1', 'a'));
  t.same(h.state(key).ops, ['a', 'b', 'c']);
});

t.test('replies for a sender that is gone are forgotten after ten minutes', (t) => {
  const r = new CommandReplyCache();
  r.rememberRepliesAndMakeParts(1, [['gone:1', { value: 1 }]], 0);
  t.same(r.findReplyAndRecordSettled('gone:1', 0), { value: 1 });
  t.same(Object.keys(r.rememberRepliesAndMakeParts(2, [['x:1', { value: 2 }]], COMMAND_REPLY_RETENTION_MS - 1)), [
    'done/2',
  ]);
  const third = r.rememberRepliesAndMakeParts(3, [['x:2', { value: 2 }]], COMMAND_REPLY_RETENTION_MS);
  t.match(third['done/1'], { at: COMMAND_REPLY_RETENTION_MS, replies: [['x:2', { value: 2 }]] });
  t.equal(
    r.findReplyAndRecordSettled('gone:1', 0),
    r.findReplyAndRecordSettled('gone:0', 0),
    'nothing but that it was executed',
  );
  t.end();
});

t.test('empty parts are reused or removed, and only useful ones are loaded', (t) => {
  const r = new CommandReplyCache();
  const stored = new Map<string, Json>();
  const commit = (version: number, ...ids: string[]): void => {
    const parts = r.rememberRepliesAndMakeParts(
      version,
      ids.map((id) => [id, { value: id }]),
      0,
    );
    for (const [name, value] of Object.entries(parts)) {
      if (value === null) stored.delete(name);
      else stored.set(name, value);
    }
  };
  for (let v = 1; v <= 5; v++) commit(v, `x:${v}`);
  r.findReplyAndRecordSettled('x:6', 6);
  commit(6, 'x:6', 'y:1');
  t.equal([...stored.keys()].filter((name) => name.startsWith('done/')).length, 1);
  r.findReplyAndRecordSettled('x:7', 7);
  commit(7, 'x:7');
  t.equal([...stored.keys()].filter((name) => name.startsWith('done/')).length, 2, 'y:1 is not settled');
  const next = new CommandReplyCache();
  next.loadFromParts(stored);
  for (const id of ['x:6', 'x:7', 'y:1']) t.same(next.findReplyAndRecordSettled(id, 0), { value: id });
  for (const id of ['x:1', 'x:5'])
    t.same(next.findReplyAndRecordSettled(id, 0), { value: null }, 'executed, and never again');
  t.equal(next.findReplyAndRecordSettled('x:8', 0), undefined);
  t.end();
});

t.test('batches that must stay do not block those behind them', (t) => {
  const r = new CommandReplyCache();
  for (let v = 1; v <= 40; v++) r.rememberRepliesAndMakeParts(v, [[`gone:${v}`, { value: v }]], 0);
  for (let v = 41; v <= 60; v++) {
    r.findReplyAndRecordSettled(`x:${v}`, v);
    r.rememberRepliesAndMakeParts(v, [[`x:${v}`, { value: v }]], 0);
  }
  r.findReplyAndRecordSettled('x:61', 61);
  const forgotten = new Set<string>();
  for (let v = 61; v <= 66; v++)
    for (const name of Object.keys(r.rememberRepliesAndMakeParts(v, [[`y:${v}`, { value: 0 }]], 0)))
      forgotten.add(name);
  t.ok(forgotten.has('done/41') || r.findReplyAndRecordSettled('x:41', 0)?.toString());
  t.equal((r.findReplyAndRecordSettled('x:50', 0) as { value: unknown }).value, null);
  t.end();
});

t.test('a waiting poll does not keep other replies from being forgotten', async (t) => {
  const h = new Harness();
  const seen: CommandEnvelope[] = [];
  const bus = new LocalBus(h.clock, h.hub, 'server');
  await bus.serve(busSubjectOfPartition(partitionOfActor(key)), (request) => {
    seen.push(request.value as unknown as CommandEnvelope);
    if (seen.length > 1) request.reply({ value: 1 });
  });
  h.client.send(key, 'poll', {}, { isHeldByActor: true });
  for (let i = 0; i < 3; i++) await h.client.send(key, 'add', {}).reply;
  t.same(
    seen.map((e) => e.settled),
    [1, 1, 2, 3],
  );
});

t.test('a repeat that waits for a promised effect is redirected when the actor moves', async (t) => {
  const { h, send } = await setUp();
  const move = (): Promise<Json> => {
    const first = envelope('x:1', 'm', 1, 'move');
    return send({ ...first, args: { ...first.args, stages: [[2]] } });
  };
  const credit = (): Promise<Json> => send(envelope('stream/1/3@1048576', 'c', 1, 'credit'));
  const moved = { retry: 'moved' };
  h.log.gate = (step) => (step === 'before:append' ? new Promise<void>(() => {}) : undefined);
  // The commands run, then they are repeats: their events are not in the log, and the other ledger has no owner.
  for (const what of ['the first', 'the repeat']) {
    const asked = [move(), credit()];
    await settle();
    await h.lose('lapsed', key);
    t.same(await Promise.all(asked), [moved, moved], what);
    await h.take(key);
  }
  t.same(h.state(key).ops, ['m', 'c']);
  h.log.gate = () => {};
  await h.take(key, ledgerKey(2));
  const answered = Promise.all([move(), credit()]);
  await h.clock.advanceAsync(2_000);
  t.same((await answered)[0], { value: { total: 1 } });
  t.same(h.state(key).ops, ['m', 'c']);
});
