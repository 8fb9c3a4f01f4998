import t from 'tap';
import type { Json } from '#base';
import {
  type EventSink,
  type LivePosition,
  OverviewBudget,
  RealmFeed,
  RecentBudget,
  type SharedEvent,
  type TransientEvent,
} from '#delivery';
import { DirectoryReplica } from '#directory';
import type { Audience, LogItem } from '#model';
import { realmId, realmKey, type Seq, seq, streamId, streamKey } from '#model';
import type { FeedEnd } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { LogReader } from '#ports/log';
import { StoreUnavailable } from '#ports/store';
import { Past, REPEAT_DISTANCE } from '../../../src/delivery/past.js';
import { snapshotWith } from '../../support/directory.js';
import { FakeClock, settle } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { MemoryStore } from '../../support/memory-store.js';
import { person } from '../../support/person.js';

const REALM = realmId(1);
const STREAM = streamKey(REALM, streamId(5));

class Sink implements EventSink {
  readonly got: string[] = [];
  readonly ids: number[] = [];
  readonly transient: string[] = [];
  isLive = false;
  ended: FeedEnd | undefined;
  #own = seq(0);
  #follows: LivePosition | undefined;

  constructor(
    readonly user: number,
    readonly allPublic = false,
    readonly covers: Record<string, number> = {},
  ) {}

  get position(): Seq {
    return seq(Math.max(this.#own, this.#follows?.at ?? 0));
  }

  set position(position: Seq) {
    this.#own = position;
    this.#follows = undefined;
  }

  covered(actor: string, version: number): boolean {
    return version <= (this.covers[actor] ?? -1);
  }

  push(event: SharedEvent): void {
    this.ids.push(event.id);
    this.got.push(String((event.item as { event?: { type: string } }).event?.type));
  }

  pushTransient(event: TransientEvent): void {
    this.transient.push(event.type);
  }

  live(position: LivePosition): void {
    this.#follows = position;
    this.isLive = true;
  }

  end(reason: FeedEnd): void {
    this.ended = reason;
  }
}

async function world(users: readonly DirectoryUser[] = [person(1), person(2), person(3, { role: 600 })]) {
  const log = new MemoryLog({});
  const readers: LogReader[] = [];
  const subscribe = log.subscribe.bind(log);
  log.subscribe = (realm, after, reader) => {
    readers.push(reader);
    return subscribe(realm, after, reader);
  };
  const away: { store: boolean | Promise<void> } = { store: false };
  const gate = async (): Promise<void> => {
    if (away.store === true) throw new StoreUnavailable('away');
    await away.store;
  };
  const store = new MemoryStore({ atomicRecords: true, gate });
  const snapshot = snapshotWith({ users });
  const clock = new FakeClock();
  const host = async () => {
    const replica = await DirectoryReplica.open(REALM, log, async () => snapshot, clock);
    return new RealmFeed(REALM, replica, log, store, clock, new RecentBudget(), new OverviewBudget());
  };
  const feed = await host();
  const append = (actor: string, v: number, ...items: LogItem[]) =>
    log.append(REALM, { actor, groups: [{ v, p: 0, items }] } as unknown as Json);
  // Records are applied before the events of their commit are appended.
  const stored = (user: number, rev: number, ...stays: { from: number; to: number }[]) =>
    store.apply([
      {
        type: 'part',
        key: STREAM,
        part: `member/${user}`,
        rev,
        value: { stays: stays.map((stay) => ({ ...stay, after: 0, until: 0 })) },
      },
    ]);
  return { log, store, feed, append, stored, host, clock, away, readers };
}

const event = (type: string, to: Audience): LogItem => ({ t: 'event', to, event: { type } });
const members = (mv: number, join: number[], leave: number[] = []): LogItem => ({
  t: 'members',
  stream: 5,
  mv,
  last: 0,
  join,
  leave,
});

t.test('an event reaches those who were members at its version, whoever is one now', async (t) => {
  const { feed, append, stored } = await world();
  const [one, two] = [new Sink(1), new Sink(2)];
  feed.attach(one);
  feed.attach(two);
  await settle();
  await stored(1, 1, { from: 1, to: 0 });
  await append(STREAM, 1, members(1, [1]));
  await append(STREAM, 2, event('first', { stream: 5, mv: 1 }));
  await stored(1, 3, { from: 1, to: 2 });
  await stored(2, 3, { from: 2, to: 0 });
  await append(STREAM, 3, members(2, [2], [1]));
  await append(STREAM, 4, event('second', { stream: 5, mv: 2 }), event('late', { stream: 5, mv: 1 }));
  await settle();
  t.same(one.got, ['first', 'late']);
  t.same(two.got, ['second']);
});

t.test(
  'changes of a message that was moved reach those who have it, by their stays in all of its streams',
  async (t) => {
    const { feed, append, stored, store } = await world([1, 2, 3, 4].map((id) => person(id)));
    const sinks = [1, 2, 3, 4].map((id) => new Sink(id));
    for (const sink of sinks) feed.attach(sink);
    await settle();
    // Home 5: 1 left before the move, 2 lost the message by it, 3 went with it. Stream 6: 4 gained it and has left.
    await stored(1, 1, { from: 1, to: 2 });
    await store.apply([
      {
        type: 'part',
        key: STREAM,
        part: 'member/1',
        rev: 2,
        value: { stays: [{ from: 1, to: 2, after: 0, until: 7 }] },
      },
    ]);
    await stored(2, 1, { from: 1, to: 0 });
    await stored(3, 1, { from: 1, to: 0 });
    const other = streamKey(REALM, streamId(6));
    for (const [user, stay] of [
      [3, { from: 1, to: 0, after: 9, until: 0 }],
      [4, { from: 1, to: 3, after: 9, until: 9 }],
    ] as const) {
      await store.apply([{ type: 'part', key: other, part: `member/${user}`, rev: 1, value: { stays: [stay] } }]);
    }
    const move = { from: 5, fromMv: 3, to: 6, toMv: 2 };
    const to = (gained: boolean) => ({ stream: 6, moved: { id: 7, home: 5, moves: [{ ...move, gained }] } });
    await append(other, 1, event('gained', to(true)), event('not gained', to(false)));
    await settle();
    t.same(
      sinks.map(({ got }) => got),
      [['gained', 'not gained'], [], ['gained', 'not gained'], ['gained']],
    );
  },
);

t.test('a membership that the log does not show yet is read again', async (t) => {
  const { feed, append, stored } = await world();
  const sink = new Sink(1);
  feed.attach(sink);
  await append(STREAM, 1, event('before', { stream: 5, mv: 0 }));
  await settle();
  await stored(1, 2, { from: 4, to: 0 });
  const moves = [{ from: 9, fromMv: 0, to: 5, toMv: 4, gained: true }];
  await append('x', 1, event('moved', { stream: 5, moved: { id: 7, home: 9, moves } }));
  await settle();
  t.same(sink.got, ['moved']);
});

t.test('roles count as they were at the realm version of the event', async (t) => {
  const was = person(1, { role: 600, pastRoles: [[200, 7]] });
  const { feed, append } = await world([was]);
  const sink = new Sink(1);
  feed.attach(sink);
  await append(realmKey(REALM), 2, event('admins', { role: 200, rv: 6 }), event('later', { role: 200, rv: 7 }));
  await append(
    realmKey(REALM),
    3,
    event('all', { role: 600, rv: 9 }),
    event('not me', { role: 600, rv: 9, except: [1] }),
  );
  await settle();
  t.same(sink.got, ['admins', 'all']);
});

t.test('all_public_streams widens public streams, for no guest', async (t) => {
  const { feed, append, stored } = await world();
  const [two, guest, plain] = [new Sink(2, true), new Sink(3, true), new Sink(1)];
  for (const sink of [two, guest, plain]) feed.attach(sink);
  await stored(3, 1, { from: 1, to: 0 });
  await append(STREAM, 1, members(1, [3]));
  await append(STREAM, 2, event('public', { stream: 5, mv: 1, publicStream: true, rv: 1 }));
  await append(STREAM, 3, event('private', { stream: 5, mv: 1, publicStream: false, rv: 1 }));
  await settle();
  t.same(two.got, ['public']);
  t.same(guest.got, ['public', 'private'], 'a member gets it once');
  t.same(plain.got, []);
});

t.test('a queue at an old position gets all of the past once and in order while new entries come', async (t) => {
  const { feed, append } = await world();
  for (let v = 1; v <= 300; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  const sinks = [0, 17, 299, 300].map((position) => Object.assign(new Sink(1), { position: seq(position) }));
  for (const sink of sinks) feed.attach(sink);
  for (let v = 301; v <= 320; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(400);
  for (const [i, sink] of sinks.entries()) {
    const from = [0, 17, 299, 300][i]!;
    t.ok(sink.isLive);
    t.same(
      sink.got,
      Array.from({ length: 320 - from }, (_, n) => `e${from + n + 1}`),
      `from ${from}`,
    );
    t.same(
      sink.ids,
      [...sink.ids].sort((a, b) => a - b),
    );
    t.equal(new Set(sink.ids).size, sink.ids.length);
  }
});

t.test('a commit that is in the log twice is delivered once, live and after a rebuild', async (t) => {
  const { feed, append } = await world();
  const live = new Sink(1);
  feed.attach(live);
  await append('x', 1, event('a', { users: [1] }));
  await append('x', 2, event('b', { users: [1] }));
  await append('x', 1, event('a', { users: [1] }));
  await append('x', 3, event('c', { users: [1] }));
  await settle(20);
  t.same(live.got, ['a', 'b', 'c']);
  const rebuilt = Object.assign(new Sink(1), { position: seq(2) });
  feed.attach(rebuilt);
  await settle(20);
  t.same(rebuilt.got, ['c'], 'the repeat lies above its position, what it repeats below');
});

t.test('a host that came between a commit and its repeat knows it for one', async (t) => {
  const { append, host } = await world();
  await append('x', 1, event('a', { users: [1] }));
  await append('x', 2, event('b', { users: [1] }));
  const feed = await host();
  const sink = new Sink(1);
  feed.attach(sink);
  await settle(20);
  t.ok(sink.isLive);
  await append('x', 2, event('b', { users: [1] }));
  await append('x', 3, event('c', { users: [1] }));
  await settle(20);
  t.same(sink.got, ['a', 'b', 'c']);
});

t.test('a Store that is away while the past is read costs no event', async (t) => {
  const { feed, append, stored, away, clock } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  await append(STREAM, 1, members(1, [1]), event('first', { stream: 5, mv: 1 }));
  await append(STREAM, 2, event('second', { stream: 5, mv: 1 }));
  away.store = true;
  const sink = new Sink(1);
  feed.attach(sink);
  await settle(20);
  t.same(sink.got, []);
  await clock.advanceAsync(5_000);
  t.notOk(sink.isLive, 'it waits for the Store');
  away.store = false;
  await clock.advanceAsync(5_000);
  await settle(20);
  t.same(sink.got, ['first', 'second']);
  await append(STREAM, 3, event('third', { stream: 5, mv: 1 }));
  await settle(20);
  t.same(sink.got, ['first', 'second', 'third']);
});

t.test('a gap while a membership is being read costs live queues nothing that the log still has', async (t) => {
  const { feed, append, stored, away, clock, readers } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  const sink = new Sink(1);
  feed.attach(sink);
  await settle(20);
  let read = (): void => {};
  away.store = new Promise((resolve) => {
    read = resolve;
  });
  for (let v = 1; v <= 3; v++) await append(STREAM, v, event(`e${v}`, { stream: 5, mv: 1 }));
  await settle(20);
  // What the feed was told is trimmed is not what this queue lacks.
  readers[0]!.gap(seq(1));
  read();
  away.store = false;
  await clock.advanceAsync(5_000);
  const next = Object.assign(new Sink(1), { position: seq(2) });
  feed.attach(next);
  await settle(20);
  await append(STREAM, 4, event('e4', { stream: 5, mv: 1 }));
  await clock.advanceAsync(5_000);
  t.same(sink.got, ['e1', 'e2', 'e3', 'e4']);
  t.same(next.got, ['e3', 'e4'], 'what was being read before the gap does not say how far it is');
});

t.test('live queues are as far as the feed is; one that has gone stays where it was', async (t) => {
  const { feed, append } = await world();
  const [one, other] = [new Sink(1), new Sink(2)];
  feed.attach(one);
  feed.attach(other);
  await settle();
  for (let v = 1; v <= 3; v++) await append('x', v, event('told', { users: [1] }));
  await settle();
  t.same([one.position, other.position], [feed.position, feed.position]);
  const before = other.position;
  feed.detach(other);
  await append('x', 4, event('missed', { users: [1, 2] }));
  await settle();
  t.equal(other.position, before);
  feed.attach(other);
  await settle();
  t.same(other.got, ['missed']);
});

t.test('what the snapshot of a queue contains is left out', async (t) => {
  const { feed, append } = await world();
  const sink = new Sink(1, false, { x: 2 });
  feed.attach(sink);
  await append('x', 1, event('update_message_flags', { users: [1] }));
  await append('x', 2, event('covered', { users: [1] }));
  await append('y', 1, event('other', { users: [1] }));
  await append('x', 3, event('new', { users: [1] }));
  await settle();
  const flags = 'update_message_flags';
  t.same(sink.got, [flags, 'other', 'new'], 'but changes of flags: messages told before may lack them');
});

t.test('a queue whose past is no longer kept is ended, the others go on', async (t) => {
  const { append, log, host } = await world();
  for (let v = 1; v <= 300; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  log.contents.trim(REALM, 290);
  const feed = await host();
  const [old, young] = [5, 295].map((position) => Object.assign(new Sink(1), { position: seq(position) }));
  feed.attach(old!);
  feed.attach(young!);
  await settle(100);
  t.equal(old!.ended, 'trimmed');
  t.equal(young!.ended, undefined);
  t.same(young!.got, ['e296', 'e297', 'e298', 'e299', 'e300']);
});

t.test('what a host has read is not read again, and is there even when the log no longer has it', async (t) => {
  const { feed, append, log, readers, host } = await world();
  for (let v = 1; v <= 600; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  const fresh = await host();
  await settle(100);
  const before = readers.length;
  log.contents.trim(REALM, 590);
  for (const one of [feed, fresh]) {
    const sinks = [300, 5, 599, 600].map((position) => Object.assign(new Sink(1), { position: seq(position) }));
    for (const sink of sinks) {
      one.attach(sink);
      await settle(20);
    }
    for (const sink of sinks) {
      t.ok(sink.isLive);
      t.equal(sink.ended, undefined);
    }
    t.same(
      sinks.map(({ got }) => [got.length, got.at(-1)]),
      [
        [300, 'e600'],
        [595, 'e600'],
        [1, 'e600'],
        [0, undefined],
      ],
    );
  }
  t.equal(readers.length, before);
});

t.test('after a gap what was read before it is no help', async (t) => {
  const { feed, append, readers, log } = await world();
  for (let v = 1; v <= 10; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  // The feed is told that something is missing to it.
  readers[0]!.gap(seq(8));
  const before = readers.length;
  const sink = Object.assign(new Sink(1), { position: seq(4) });
  feed.attach(sink);
  await settle(20);
  t.equal(readers.length, before + 1, 'the log is asked');
  t.same(sink.got, ['e5', 'e6', 'e7', 'e8', 'e9', 'e10']);
  log.contents.trim(REALM, 9);
  const late = Object.assign(new Sink(1), { position: seq(4) });
  feed.attach(late);
  await settle(20);
  t.equal(late.ended, 'trimmed');
});

t.test('transient events', async (t) => {
  const { log, feed, append, stored } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  await stored(2, 2, { from: 2, to: 3 });
  const sinks = [new Sink(1), new Sink(2), new Sink(3)];
  for (const sink of sinks) feed.attach(sink);
  await settle();
  const publish = async (type: string, to: Audience) => {
    log.publish(REALM, event(type, to) as unknown as Json);
    await settle();
  };
  await publish('a', { users: [1, 3] });
  await publish('b', { stream: 5, mv: 3 });
  await publish('c', { stream: 5, mv: 2, users: [1] });
  t.same(
    sinks.map((sink) => sink.transient),
    [['a', 'b', 'c'], ['c'], ['a']],
    'go to those who are meant, once to each',
  );
  await publish('d', { stream: 5, mv: 4 });
  await publish('e', { role: 600, rv: 2 });
  t.same(sinks[0]!.transient, ['a', 'b', 'c'], 'are lost where the right to them is not known yet');
  await append(STREAM, 4, members(4, [2], [1]));
  await settle();
  await publish('f', { stream: 5, mv: 4 });
  t.same(
    sinks.map((sink) => sink.transient),
    [['a', 'b', 'c'], ['c', 'f'], ['a']],
  );
  t.same(sinks[0]!.got, [], 'and are in no log');
});

t.test('a queue that listens has transient events before its past was read', async (t) => {
  const { log, feed } = await world();
  const [early, deaf] = [new Sink(1), new Sink(1)];
  feed.listen(early);
  const publish = async (type: string) => {
    log.publish(REALM, event(type, { users: [1] }) as unknown as Json);
    await settle();
  };
  await publish('a');
  t.same([early.transient, deaf.transient, early.isLive], [['a'], [], false]);
  feed.attach(early);
  await settle();
  await publish('b');
  t.same(early.transient, ['a', 'b'], 'each once, also when it is live');
  feed.detach(early);
  await publish('c');
  t.same(early.transient, ['a', 'b'], 'and none when it is gone');
});

t.test('a queue that catches up ahead of the live feed learns of repeats from it', async (t) => {
  const { feed, append, stored, away } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  const live = new Sink(2);
  feed.attach(live);
  await settle(20);
  const other = streamKey(REALM, streamId(6));
  await append(other, 7, event('once', { users: [1] }));
  await settle(20);
  let read = (): void => {};
  away.store = new Promise((resolve) => {
    read = resolve;
  });
  await append(STREAM, 1, event('waits', { stream: 5, mv: 1 }));
  // More than a catch-up looks back.
  for (let v = 2; v <= 301; v++) await append(STREAM, v, event(`e${v}`, { users: [2] }));
  await settle(20);
  // It had 'once' from a former owner, which left the entry to be repeated.
  const late = Object.assign(new Sink(1), { position: seq(302) });
  feed.attach(late);
  await append(other, 7, event('once', { users: [1] }));
  await append(STREAM, 302, event('after', { users: [1] }));
  await settle(20);
  read();
  away.store = false;
  await settle(40);
  t.same(late.got, ['after']);
  t.same(late.isLive, true);
});

t.test('a queue that comes back gets what it has missed, also what the feed itself did not see come', async (t) => {
  const { feed, append, readers } = await world();
  const live = new Sink(1);
  feed.attach(live);
  for (let v = 1; v <= 600; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await append('x', 300, event('e300', { users: [1] }));
  await settle(40);
  const back = Object.assign(new Sink(1), { position: seq(598) });
  feed.attach(back);
  await settle(40);
  t.same(back.got, ['e599', 'e600'], 'without the repeat of what it has had');
  readers[0]!.gap(seq(601));
  await settle(40);
  const later = Object.assign(new Sink(1), { position: seq(590) });
  feed.attach(later);
  await settle(40);
  t.same(
    later.got,
    Array.from({ length: 10 }, (_, i) => `e${591 + i}`),
  );
});

t.test('from where a feed can tell every repeat', async (t) => {
  const past = new Past(new MemoryLog({}), REALM, seq(10_000), new FakeClock());
  const first = past.from + REPEAT_DISTANCE;
  t.equal(past.knowsFrom(seq(first - 1)), false, 'what it repeats may lie below what was read');
  t.equal(past.knowsFrom(seq(first)), true);
  past.missed(seq(9_000));
  t.equal(past.knowsFrom(seq(8_999)), false);
  t.equal(past.knowsFrom(seq(9_000)), true);
  t.equal(new Past(new MemoryLog({}), REALM, seq(0), new FakeClock()).knowsFrom(seq(0)), true, 'nothing was before');
});
