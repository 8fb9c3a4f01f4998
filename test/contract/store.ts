/**
 * Contract test of Store implementations (src/ports/store/store.ts). Realms are random, so a shared server can be used.
 */
import { randomInt } from 'node:crypto';
import type { Test } from 'tap';
import type { Json } from '#base';
import {
  type ActorKey,
  eventQueueActorKey,
  type Partition,
  partitionOfActor,
  type RealmId,
  realmActorKey,
  toEpoch,
  toEventQueueId,
  toPartition,
  toRealmId,
  toUserId,
  userActorKey,
} from '#model';
import type { MessageRecord } from '#model/records';
import type { ActorRoot, ActorRootWrite, Store } from '#ports/store';
import { messageFacts } from './store-messages.js';

export type Fact = (name: string, body: (t: Test) => Promise<void>) => void;

export const freshRealm = () => toRealmId(1 + randomInt(2 ** 40));
const freshKey = (): ActorKey => userActorKey(freshRealm(), toUserId(1 + randomInt(1e6)));

const write = (key: ActorKey, at: number, expected: number, more: Partial<ActorRootWrite> = {}): ActorRootWrite => ({
  key,
  epoch: toEpoch(at),
  expected,
  state: { n: expected + 1 },
  outbox: [],
  due: null,
  records: [],
  ...more,
});

/** Runs all tests on one shared store; the last test closes it. */
export function storeContract(t: Test, name: string, makeStore: () => Promise<Store>): Promise<unknown> {
  return t.test(name, async (t) => {
    const store = await makeStore();
    const fact: Fact = (title, body) => {
      t.test(title, body);
    };
    rootFacts(fact, store);
    valueFacts(fact, store);
    partFacts(fact, store);
    messageFacts(fact, store);
    wakingFacts(fact, store);
    realmRemovalFacts(fact, store);
    fact('a closed store rejects with StoreUnavailable', async (t) => {
      await store.ping();
      await store.close();
      await t.rejects(store.loadRoot(freshKey(), toEpoch(1)), { name: 'StoreUnavailableError' });
      await t.rejects(store.ping(), { name: 'StoreUnavailableError' });
    });
  });
}

function rootFacts(fact: Fact, store: Store): void {
  fact('an actor without a root loads as null, and the load creates nothing', async (t) => {
    const key = freshKey();
    t.equal(await store.loadRoot(key, toEpoch(5)), null);
    t.equal(await store.commit(write(key, 1, 0)), 'ok', 'a smaller epoch can still create the root');
  });

  fact('a committed root reads back with its version, epoch, outbox and due time', async (t) => {
    const key = freshKey();
    t.equal(await store.commit(write(key, 3, 0, { outbox: [{ a: 1 }], due: 1_700_000_000_123 })), 'ok');
    const root = { key, epoch: 3, version: 1, state: { n: 1 }, outbox: [{ a: 1 }], due: 1_700_000_000_123 };
    t.strictSame(await store.loadRoot(key, toEpoch(3)), root);
    t.equal(await store.commit(write(key, 3, 1)), 'ok');
    t.strictSame(await store.loadRoot(key, toEpoch(3)), {
      ...root,
      version: 2,
      state: { n: 2 },
      outbox: [],
      due: null,
    });
  });

  fact('each of many commits in one tick gets its own result', async (t) => {
    const keys = Array.from({ length: 30 }, freshKey);
    await Promise.all(keys.map((key) => store.commit(write(key, 1, 0))));
    const [fenced, late, good] = [0, 1, 2].map((n) => keys.filter((_, i) => i % 3 === n)) as [
      ActorKey[],
      ActorKey[],
      ActorKey[],
    ];
    await Promise.all(fenced.map((key) => store.loadRoot(key, toEpoch(2))));
    // Commit by an earlier activation of the same owner, whose reply was lost: same epoch, same version.
    await Promise.all(late.map((key) => store.commit(write(key, 1, 1, { state: { lost: true } }))));
    const results = await Promise.all(keys.map((key) => store.commit(write(key, 1, 1))));
    t.strictSame(
      results,
      keys.map((key) => (good.includes(key) ? 'ok' : 'conflict')),
    );
    const [one, two, three] = [fenced[0]!, late[0]!, good[0]!].map((key) => store.loadRoot(key, toEpoch(3)));
    t.match(await one, { version: 1, state: { n: 1 } });
    t.match(await two, { version: 2, state: { lost: true } });
    t.match(await three, { version: 2, state: { n: 2 } });
    t.strictSame(
      await Promise.all(late.map((key) => store.commit(write(key, 1, 1)))),
      late.map(() => 'conflict'),
    );
  });

  fact('loading at a larger epoch fences the older owner, even if nothing is written', async (t) => {
    const key = freshKey();
    await store.commit(write(key, 1, 0));
    const loaded = await store.loadRoot(key, toEpoch(2));
    t.match(loaded, { epoch: 2, version: 1 });
    t.equal(await store.commit(write(key, 1, 1)), 'conflict');
    t.equal(await store.removeActor(key, toEpoch(1), 1), 'conflict');
    t.equal(await store.commit(write(key, 2, 1)), 'ok');
  });

  fact("loading at a smaller epoch returns 'fenced' and changes nothing", async (t) => {
    const key = freshKey();
    await store.commit(write(key, 7, 0));
    t.equal(await store.loadRoot(key, toEpoch(6)), 'fenced');
    t.equal(await store.commit(write(key, 7, 1)), 'ok');
  });

  fact('many actors are loaded at once, each at its own epoch', async (t) => {
    const keys = Array.from({ length: 300 }, freshKey);
    const [missing, fenced, removed, twice] = keys as [ActorKey, ActorKey, ActorKey, ActorKey];
    await Promise.all(
      keys.slice(1).map((key, i) => store.commit(write(key, key === fenced ? 9 : 1, 0, { state: { i } }))),
    );
    await store.removeActor(removed, toEpoch(1), 1);
    const [found, again] = await Promise.all([
      Promise.all(keys.map((key, i) => store.loadRoot(key, toEpoch(2 + (i % 3))))),
      store.loadRoot(twice, toEpoch(2)),
    ]);
    for (const [i, key] of keys.entries()) {
      if (key === missing || key === removed) t.equal(found[i], null);
      else if (key === fenced) t.equal(found[i], 'fenced');
      else t.match(found[i], { key, epoch: 2 + (i % 3), version: 1, state: { i: i - 1 }, outbox: [], due: null });
      if (key === missing || key === removed || key === fenced) continue;
      t.equal(await store.commit(write(key, 1, 1)), 'conflict', 'the former owner is fenced');
      t.equal(await store.commit(write(key, 2 + (i % 3), 1)), 'ok');
    }
    t.match(again, { key: twice, version: 1 });
    t.equal(await store.commit(write(fenced, 9, 1)), 'ok');
    t.equal(await store.commit(write(missing, 1, 0)), 'ok', 'the load created no root');
  });

  fact('a commit that expects no root creates it once', async (t) => {
    const key = freshKey();
    const results = await Promise.all([store.commit(write(key, 1, 0)), store.commit(write(key, 1, 0))]);
    t.strictSame(results.sort(), ['conflict', 'ok']);
    t.equal(await store.commit(write(key, 9, 0)), 'conflict', 'a second create conflicts at any epoch');
  });

  fact('exactly one of several concurrent commits at one version succeeds', async (t) => {
    const key = freshKey();
    await store.commit(write(key, 1, 0));
    for (let version = 1; version <= 5; version++) {
      const tries = Array.from({ length: 8 }, (_, i) =>
        store.commit(write(key, 1, version, { state: { i, version } })),
      );
      const results = await Promise.all(tries);
      t.equal(results.filter((r) => r === 'ok').length, 1);
      t.match(await store.loadRoot(key, toEpoch(1)), {
        version: version + 1,
        state: { i: results.indexOf('ok'), version },
      });
    }
  });

  fact('a commit at a wrong version or for a missing root conflicts', async (t) => {
    const key = freshKey();
    t.equal(await store.commit(write(key, 1, 4)), 'conflict');
    t.equal(await store.loadRoot(key, toEpoch(1)), null);
    await store.commit(write(key, 1, 0));
    t.equal(await store.commit(write(key, 1, 4)), 'conflict');
  });

  fact('a removed actor has no root and no parts, and may be created again', async (t) => {
    const key = freshKey();
    await store.commit(write(key, 1, 0, { due: 5, outbox: [1] }));
    await store.applyRecords([{ type: 'part', key, part: 'a', rev: 1, value: 1 }]);
    t.equal(await store.removeActor(key, toEpoch(1), 2), 'conflict');
    t.equal((await store.listParts(key, '')).length, 1);
    t.equal(await store.removeActor(key, toEpoch(1), 1), 'ok');
    t.equal(await store.loadRoot(key, toEpoch(1)), null);
    t.strictSame(await store.listParts(key, ''), []);
    t.notOk((await store.listActorsToWake([partitionOfActor(key)])).some((s) => s.key === key));
    t.equal(await store.commit(write(key, 1, 0)), 'ok');
  });

  if (store.atomicRecords) {
    fact('a commit applies its records, and a conflict applies none', async (t) => {
      const key = freshKey();
      const part = (rev: number): ActorRootWrite['records'] => [{ type: 'part', key, part: 'p', rev, value: rev }];
      await store.commit(write(key, 1, 0, { records: part(1) }));
      t.equal(await store.commit(write(key, 1, 0, { records: part(2) })), 'conflict');
      t.strictSame(await store.listParts(key, ''), [{ part: 'p', rev: 1, value: 1 }]);
      await store.commit(write(key, 1, 1, { records: part(3) }));
      t.strictSame(await store.listParts(key, ''), [{ part: 'p', rev: 3, value: 3 }]);
    });
  }

  if (store.admitsParticipants) {
    fact('a participant writes and settles within a commit, and does neither after a conflict', async (t) => {
      const key = freshKey();
      const calls: string[] = [];
      const participants = [
        { write: () => void calls.push('write'), settle: (done: boolean) => void calls.push(`settled ${done}`) },
      ];
      calls.push(await store.commit(write(key, 1, 0, { participants })));
      t.strictSame(calls.splice(0), ['write', 'settled true', 'ok']);
      calls.push(await store.commit(write(key, 1, 0, { participants })));
      t.strictSame(calls, ['conflict']);
    });
  }
}

function valueFacts(fact: Fact, store: Store): void {
  const values: Record<string, Json> = {
    nothing: null,
    bytes: { empty: new Uint8Array(), some: new Uint8Array([0, 255, 128]) },
    integers: [0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1, -(2 ** 53) + 1, 1_700_000_000_123],
    fractions: [0.1, -1e300, 5e-324],
    nested: [[], {}, [[{ a: [null, { b: [true, false] }] }]]],
    text: ['', 'é', '😀', '\u0000', 'a\u0000b', 'x'.repeat(70_000), '\u{10ffff}', '漢字'],
    keys: { 'a.b': 1, $set: 2, '': 3, '$.': { '.$': 4 }, _id: 5, constructor: 6, é: 7, '1': 8 },
    wide: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
  };
  fact('values of every kind read back exactly, as roots, outboxes, parts and message bodies', async (t) => {
    const key = freshKey();
    const realm = freshRealm();
    await store.commit(write(key, 1, 0, { state: values, outbox: Object.values(values) }));
    await store.applyRecords(
      Object.entries(values).map(([part, value], i) => ({ type: 'part', key, part, rev: 1 + i, value: [value] })),
    );
    const record = {
      id: 1,
      conversation: 's1',
      topicKey: '',
      sender: 1,
      participants: [],
      movedFrom: '',
      tags: [],
      body: values,
    };
    await store.applyRecords([{ type: 'message', realm, id: 1, rev: 1, value: record }]);
    t.strictSame(await store.loadRoot(key, toEpoch(1)), {
      key,
      epoch: 1,
      version: 1,
      state: values,
      outbox: Object.values(values),
      due: null,
    });
    const parts = await store.getParts(Object.keys(values).map((part) => ({ key, part })));
    t.strictSame(
      parts.map((p) => p?.value),
      Object.values(values).map((v) => [v]),
    );
    t.strictSame(await store.getMessages(realm, [1]), [record]);
    const bytes = ((parts[1]!.value as Json[])[0] as { some: Uint8Array }).some;
    t.equal(bytes.constructor, Uint8Array, 'bytes are plain Uint8Arrays');
  });

  fact('undefined fields are dropped, and a lone surrogate becomes replacement characters', async (t) => {
    const key = freshKey();
    await store.commit(write(key, 1, 0, { state: { a: 1, b: undefined, c: 'x\ud800y' } }));
    const root = await store.loadRoot(key, toEpoch(1));
    const { c, ...rest } = (root as ActorRoot).state as { a: number; c: string };
    t.strictSame(rest, { a: 1 });
    t.match(c, /^x\ufffd+y$/);
  });

  fact('changes that the caller makes after the call are not stored', async (t) => {
    const key = freshKey();
    const state = { n: 1 };
    const value = { n: 1 };
    const writing = [
      store.commit(write(key, 1, 0, { state })),
      store.applyRecords([{ type: 'part', key, part: 'p', rev: 1, value }]),
    ];
    state.n = 2;
    value.n = 2;
    await Promise.all(writing);
    t.match(await store.loadRoot(key, toEpoch(1)), { state: { n: 1 } });
    t.match(await store.listParts(key, 'p'), [{ value: { n: 1 } }]);
  });
}

function partFacts(fact: Fact, store: Store): void {
  const put = (key: ActorKey, part: string, rev: number, value: Json) =>
    store.applyRecords([{ type: 'part', key, part, rev, value }]);

  fact('a part is replaced only by a larger rev; repeats are harmless', async (t) => {
    const key = freshKey();
    await put(key, 'p', 5, 'five');
    await put(key, 'p', 4, 'four');
    await put(key, 'p', 5, 'again');
    t.strictSame(await store.listParts(key, 'p'), [{ part: 'p', rev: 5, value: 'five' }]);
    await put(key, 'p', 6, 'six');
    t.strictSame(await store.getParts([{ key, part: 'p' }]), [{ part: 'p', rev: 6, value: 'six' }]);
  });

  fact('the largest rev wins among concurrent and repeated writes of one part', async (t) => {
    const key = freshKey();
    const revs = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9];
    await Promise.all([
      ...revs.map((rev) => put(key, 'p', rev, rev)),
      store.applyRecords(revs.map((rev) => ({ type: 'part', key, part: 'q', rev, value: rev }))),
    ]);
    t.match(await store.listParts(key, ''), [
      { part: 'p', rev: 9, value: 9 },
      { part: 'q', rev: 9, value: 9 },
    ]);
  });

  fact('a tombstone hides a part, and an older write does not bring it back', async (t) => {
    const key = freshKey();
    await put(key, 'p', 1, 'one');
    await put(key, 'p', 3, null);
    await put(key, 'p', 2, 'late');
    t.strictSame(await store.listParts(key, ''), []);
    t.strictSame(await store.getParts([{ key, part: 'p' }]), [null]);
    await put(key, 'p', 4, 'new');
    await put(key, 'p', 3, null);
    t.strictSame(await store.listParts(key, ''), [{ part: 'p', rev: 4, value: 'new' }]);
    await put(key, 'never', 2, null);
    await put(key, 'never', 1, 'late');
    t.strictSame(await store.listParts(key, 'never'), [], 'a tombstone also hides a part that never existed');
  });

  fact('parts are found by prefix, in order of code units, and never another actor’s', async (t) => {
    const realm = freshRealm();
    const key = userActorKey(realm, toUserId(1));
    const names = ['a', 'a/1', 'a/10', 'a/2', 'a0', 'b', 'a/\u{1f600}', 'a/\ufb00', 'a/.$'];
    await store.applyRecords(names.map((part) => ({ type: 'part', key, part, rev: 1, value: part })));
    await put(userActorKey(realm, toUserId(10)), 'a/other', 1, 1);
    await put(eventQueueActorKey(realm, toUserId(1), toEventQueueId('q')), 'a/other', 1, 1);
    t.strictSame(
      (await store.listParts(key, 'a/')).map((p) => p.part),
      names.filter((n) => n.startsWith('a/')).sort(),
    );
    t.strictSame(
      (await store.listParts(key, '')).map((p) => p.part),
      [...names].sort(),
    );
  });

  fact('named parts of several actors are returned in the order of the request', async (t) => {
    const [a, b] = [freshKey(), freshKey()];
    await Promise.all([put(a, 'x', 1, 'ax'), put(b, 'x', 2, 'bx'), put(b, 'y', 3, 'by')]);
    const wanted = [
      { key: b, part: 'y' },
      { key: a, part: 'none' },
      { key: a, part: 'x' },
      { key: b, part: 'x' },
      { key: b, part: 'y' },
    ];
    const found = await store.getParts(wanted);
    t.strictSame(
      found.map((p) => p?.value ?? null),
      ['by', null, 'ax', 'bx', 'by'],
    );
    t.strictSame(await store.getParts([]), []);
  });
}

function wakingFacts(fact: Fact, store: Store): void {
  fact('a root with an outbox or a due time is a sleeper of its partition until it has neither', async (t) => {
    const key = freshKey();
    const of = (p: Partition) => store.listActorsToWake([p]).then((all) => all.filter((s) => s.key === key));
    const mine = partitionOfActor(key);
    await store.commit(write(key, 1, 0));
    t.strictSame(await of(mine), []);
    await store.commit(write(key, 1, 1, { due: 1234 }));
    t.strictSame(await of(mine), [{ key, due: 1234, pending: false }]);
    await store.loadRoot(key, toEpoch(2));
    await store.commit(write(key, 2, 2, { due: 99, outbox: ['x'] }));
    t.strictSame(await of(mine), [{ key, due: 99, pending: true }]);
    t.strictSame(await of(toPartition((mine + 1) % 256)), []);
    await store.commit(write(key, 2, 3, { outbox: ['x'] }));
    t.strictSame(await of(mine), [{ key, due: null, pending: true }]);
    await store.commit(write(key, 2, 4));
    t.strictSame(await of(mine), []);
  });

  fact('epochs of a partition only grow and are given to one caller each', async (t) => {
    const p = toPartition(1000 + randomInt(1e6));
    const first = await store.raiseEpoch(p, 0);
    const jumped = await store.raiseEpoch(p, first + 40);
    t.equal(jumped, first + 41);
    const many = await Promise.all(Array.from({ length: 8 }, () => store.raiseEpoch(p, 0)));
    t.equal(new Set(many).size, 8);
    t.ok(many.every((e) => e > jumped));
    t.equal(await store.raiseEpoch(p, 3), Math.max(...many) + 1);
  });

  fact('epochs of many partitions are raised at once, and given to one caller each', async (t) => {
    const from = 1000 + randomInt(1e6);
    const some = Array.from({ length: 30 }, (_, i) => toPartition(from + i));
    const raise = (atLeast: number) => store.raiseEpochs(new Map(some.map((p) => [p, atLeast + p - from])));
    const first = await raise(0);
    t.strictSame([...first], some.map((p) => [p, p - from + 1] as [typeof p, number]) as never);
    const second = await store.raiseEpochs(new Map(some.map((p) => [p, 0])));
    t.ok(some.every((p) => second.get(p) === first.get(p)! + 1));
    const many = await Promise.all([...Array.from({ length: 6 }, () => raise(0)), store.raiseEpoch(some[4]!, 0)]);
    const given = many.slice(0, 6) as Map<(typeof some)[number], number>[];
    for (const p of some) t.equal(new Set(given.map((of) => of.get(p))).size, 6);
    t.ok(given.every((of) => of.get(some[4]!) !== many[6]));
    t.equal((await store.raiseEpochs(new Map())).size, 0);
  });
}

/** Number of parts that is too large for one transaction of any implementation. */
const MANY_PARTS = 2_500;

function realmRemovalFacts(fact: Fact, store: Store): void {
  fact('a removed realm leaves no roots, parts, messages and sleepers, and other realms keep theirs', async (t) => {
    const realm = freshRealm();
    // A realm whose number begins with that of the removed one, such as 120 beside 12.
    const longer = toRealmId(Number(`${realm}0`));
    const keysOf = (of: RealmId): ActorKey[] => [
      realmActorKey(of),
      userActorKey(of, toUserId(1)),
      eventQueueActorKey(of, toUserId(1), toEventQueueId('q')),
    ];
    const messageOf = (id: number): MessageRecord => ({
      id,
      conversation: 's1',
      topicKey: 'topic',
      sender: 5,
      participants: [6],
      movedFrom: 's2',
      tags: ['=word'],
      body: {},
    });
    for (const of of [realm, longer]) {
      for (const key of keysOf(of)) {
        await store.commit(write(key, 1, 0, { due: 5 }));
        await store.applyRecords([{ type: 'part', key, part: 'p', rev: 1, value: 1 }]);
      }
      const loader = store.makeMessageBulkLoader?.(of, userActorKey(of, toUserId(2)));
      await loader?.addMessages([1, 2].map(messageOf));
      await loader?.flush();
      await store.applyRecords(
        [3, 4].map((id) => ({ type: 'message', realm: of, id, rev: 1, value: messageOf(id) }) as const),
      );
    }
    const key = realmActorKey(realm);
    const parts = Array.from({ length: MANY_PARTS }, (_, i) => `many/${i}`);
    await store.applyRecords(parts.map((part) => ({ type: 'part', key, part, rev: 1, value: 1 })));

    t.ok((await store.removeRealm(realm)) > MANY_PARTS, 'each removed row is counted');
    t.equal(await store.removeRealm(realm), 0, 'nothing is left');
    const indexes = [
      { by: 'realm' },
      { by: 'conversation', conversation: 's1' },
      { by: 'topic', conversation: 's1', topicKey: 'topic' },
      { by: 'sender', sender: 5 },
      { by: 'participant', user: 6 },
      { by: 'tag', tag: '=word' },
      { by: 'moved', from: 's2' },
    ] as const;
    const countOf = async (of: RealmId): Promise<number[]> => {
      const scans = indexes.map((index) =>
        store.scanMessages({ realm: of, index, from: 0, direction: 'newer', limit: 9 }),
      );
      return (await Promise.all(scans)).map(({ length }) => length);
    };
    for (const of of keysOf(realm)) {
      t.strictSame(await store.listParts(of, ''), []);
      t.equal(await store.loadRoot(of, toEpoch(9)), null);
    }
    t.strictSame(await countOf(realm), [0, 0, 0, 0, 0, 0, 0]);
    const kept = store.makeMessageBulkLoader ? 4 : 2;
    t.strictSame(await countOf(longer), [kept, kept, kept, kept, kept, kept, kept]);
    const partitions = [realm, longer].flatMap((of) => keysOf(of).map(partitionOfActor));
    const awake = new Set((await store.listActorsToWake(partitions)).map((one) => one.key));
    for (const of of keysOf(longer)) {
      t.ok(awake.has(of));
      t.strictSame(await store.listParts(of, ''), [{ part: 'p', rev: 1, value: 1 }]);
    }
    for (const of of keysOf(realm)) t.notOk(awake.has(of));
    t.equal(await store.commit(write(key, 1, 1)), 'conflict', 'a commit of an actor that was active is refused');
  });
}
