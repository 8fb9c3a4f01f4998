import t from 'tap';
import type { Json } from '#base';
import {
  type EventFeedSubscriber,
  EventQueueCursor,
  RealmEventFeed,
  RecentLogEntryMemoryBudget,
  RecentMessageMemoryBudget,
  type SharedClientEvent,
  type TransientClientEvent,
} from '#delivery';
import { DirectoryReplica } from '#directory';
import {
  type EventAudience,
  type LogEntry,
  type LogItem,
  realmActorKey,
  streamActorKey,
  type TransientLogItem,
  toLogSeq,
  toRealmId,
  toStreamId,
} from '#model';
import type { DirectoryUser } from '#model/records';
import type { EventLogReader } from '#ports/log';
import { StoreUnavailableError } from '#ports/store';
import { LogRepeatDetector, MAX_LOG_REPEAT_DISTANCE } from '../../../src/delivery/repeat-detector.js';
import { decodeLogEntry, encodeLogEntry } from '../../../src/ports/log/entry-codec.js';
import { snapshotWith } from '../../support/directory.js';
import { FakeClock, settle } from '../../support/fake-clock.js';
import { Gate } from '../../support/gate.js';
import { MemoryLog } from '../../support/memory-log.js';
import { MemoryStore } from '../../support/memory-store.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);
const STREAM = streamActorKey(REALM, toStreamId(5));

class Queue implements EventFeedSubscriber {
  readonly got: string[] = [];
  readonly ids: number[] = [];
  readonly transient: string[] = [];
  readonly cursor: EventQueueCursor;
  isLive = false;
  isTrimmed = false;

  constructor(
    readonly user: number,
    readonly allPublic = false,
    snapshotVersions: Record<string, number> = {},
    position = 0,
  ) {
    this.cursor = new EventQueueCursor(toLogSeq(position), snapshotVersions);
  }

  static at(position: number): Queue {
    return new Queue(1, false, {}, position);
  }

  push(event: SharedClientEvent): void {
    this.ids.push(event.id);
    this.got.push(String((event.item as { event?: { type: string } }).event?.type));
  }

  pushTransient(event: TransientClientEvent): void {
    this.transient.push(event.type);
  }

  wentLive(): void {
    this.isLive = true;
  }

  trimmed(): void {
    this.isTrimmed = true;
  }
}

async function world(users: readonly DirectoryUser[] = [person(1), person(2), person(3, { role: 600 })]) {
  const log = new MemoryLog({});
  const readers: EventLogReader[] = [];
  const subscribe = log.subscribe.bind(log);
  log.subscribe = (realm, after, reader) => {
    readers.push(reader);
    return subscribe(realm, after, reader);
  };
  const away: { store: boolean | Promise<void> } = { store: false };
  const gate = async (): Promise<void> => {
    if (away.store === true) throw new StoreUnavailableError('away');
    await away.store;
  };
  const store = new MemoryStore({ atomicRecords: true, gate });
  const snapshot = snapshotWith({ users });
  const clock = new FakeClock();
  const host = async () => {
    const replica = await DirectoryReplica.openAndLoad(REALM, log, async () => snapshot, clock);
    const budgets = {
      recentEntries: new RecentLogEntryMemoryBudget(),
      recentMessages: new RecentMessageMemoryBudget(),
    };
    return new RealmEventFeed(REALM, replica, { log, store, clock, ...budgets });
  };
  const feed = await host();
  const append = (actor: string, v: number, ...items: LogItem[]) =>
    log.append(REALM, { actor, groups: [{ v, p: 0, items }] } as unknown as Json);
  // Records are applied before the events of their commit are appended.
  const stored = (user: number, rev: number, ...stays: { from: number; to: number }[]) =>
    store.applyRecords([
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

const event = (type: string, to: EventAudience): LogItem => ({ t: 'event', to, event: { type } });
const members = (mv: number, join: number[], leave: number[] = []): LogItem => ({
  t: 'members',
  stream: 5,
  mv,
  last: 0,
  join,
  leave,
});

t.test('an event reaches the members at its version, not the present ones', async (t) => {
  const { feed, append, stored } = await world();
  const [one, two] = [new Queue(1), new Queue(2)];
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

t.test('changes of a moved message reach the users who have it, by its stays in all its streams', async (t) => {
  const { feed, append, stored, store } = await world([1, 2, 3, 4].map((id) => person(id)));
  const queues = [1, 2, 3, 4].map((id) => new Queue(id));
  for (const queue of queues) feed.attach(queue);
  await settle();
  // Stream 5: 1 left before the move, 2 lost the message by the move, 3 has both streams. Stream 6: 4 joined and left.
  await stored(1, 1, { from: 1, to: 2 });
  await store.applyRecords([
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
  const other = streamActorKey(REALM, toStreamId(6));
  for (const [user, stay] of [
    [3, { from: 1, to: 0, after: 9, until: 0 }],
    [4, { from: 1, to: 3, after: 9, until: 9 }],
  ] as const) {
    await store.applyRecords([{ type: 'part', key: other, part: `member/${user}`, rev: 1, value: { stays: [stay] } }]);
  }
  const move = { from: 5, fromMv: 3, to: 6, toMv: 2 };
  const moved = (gained: boolean, closed?: boolean) => ({
    id: 7,
    home: 5,
    moves: [{ ...move, gained, ...(closed === undefined ? {} : { closed }) }],
  });
  await append(
    other,
    1,
    event('open', { stream: 6, moved: moved(false, false) }),
    event('private', { stream: 6, moved: moved(true, true) }),
    event('private, of an older version', { stream: 6, moved: moved(true) }),
    event('private with its history', { stream: 6, moved: moved(false, true) }),
    event('lost, open', { lostByMove: moved(false, false) }),
    event('lost, private', { lostByMove: moved(true, true) }),
  );
  await settle();
  t.same(
    queues.map(({ got }) => got),
    [
      ['open', 'lost, private'],
      ['lost, open', 'lost, private'],
      ['open', 'private', 'private, of an older version', 'private with its history'],
      ['private', 'private, of an older version'],
    ],
  );
});

t.test('a membership that the log does not show yet is read again', async (t) => {
  const { feed, append, stored } = await world();
  const queue = new Queue(1);
  feed.attach(queue);
  await append(STREAM, 1, event('before', { stream: 5, mv: 0 }));
  await settle();
  await stored(1, 2, { from: 4, to: 0 });
  const moves = [{ from: 9, fromMv: 0, to: 5, toMv: 4, gained: true }];
  await append('x', 1, event('moved', { stream: 5, moved: { id: 7, home: 9, moves } }));
  await settle();
  t.same(queue.got, ['moved']);
});

t.test('roles count as they were at the realm version of the event', async (t) => {
  const was = person(1, { role: 600, pastRoles: [[200, 7]] });
  const { feed, append } = await world([was]);
  const queue = new Queue(1);
  feed.attach(queue);
  await append(realmActorKey(REALM), 2, event('admins', { role: 200, rv: 6 }), event('later', { role: 200, rv: 7 }));
  await append(
    realmActorKey(REALM),
    3,
    event('all', { role: 600, rv: 9 }),
    event('not me', { role: 600, rv: 9, except: [1] }),
  );
  await settle();
  t.same(queue.got, ['admins', 'all']);
});

t.test('all_public_streams adds public streams, but not for guests', async (t) => {
  const { feed, append, stored } = await world();
  const [two, guest, plain] = [new Queue(2, true), new Queue(3, true), new Queue(1)];
  for (const queue of [two, guest, plain]) feed.attach(queue);
  await stored(3, 1, { from: 1, to: 0 });
  await append(STREAM, 1, members(1, [3]));
  await append(STREAM, 2, event('public', { stream: 5, mv: 1, publicStream: true, rv: 1 }));
  await append(STREAM, 3, event('private', { stream: 5, mv: 1, publicStream: false, rv: 1 }));
  await settle();
  t.same(two.got, ['public']);
  t.same(guest.got, ['public', 'private'], 'a member gets it once');
  t.same(plain.got, []);
});

t.test('a queue at an old position gets the whole past once and in order while new entries arrive', async (t) => {
  const { feed, append } = await world();
  for (let v = 1; v <= 300; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  const queues = [0, 17, 299, 300].map((position) => Queue.at(position));
  for (const queue of queues) feed.attach(queue);
  for (let v = 301; v <= 320; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(400);
  for (const [i, queue] of queues.entries()) {
    const from = [0, 17, 299, 300][i]!;
    t.ok(queue.isLive);
    t.same(
      queue.got,
      Array.from({ length: 320 - from }, (_, n) => `e${from + n + 1}`),
      `from ${from}`,
    );
    t.same(
      queue.ids,
      [...queue.ids].sort((a, b) => a - b),
    );
    t.equal(new Set(queue.ids).size, queue.ids.length);
  }
});

t.test('a commit that is in the log twice is delivered once, live and after a rebuild', async (t) => {
  const { feed, append } = await world();
  const live = new Queue(1);
  feed.attach(live);
  await append('x', 1, event('a', { users: [1] }));
  await append('x', 2, event('b', { users: [1] }));
  await append('x', 1, event('a', { users: [1] }));
  await append('x', 3, event('c', { users: [1] }));
  await settle(20);
  t.same(live.got, ['a', 'b', 'c']);
  const rebuilt = Queue.at(2);
  feed.attach(rebuilt);
  await settle(20);
  t.same(rebuilt.got, ['c'], 'the repeat lies above its position, what it repeats below');
});

t.test('a host that started between a commit and its repeat recognises the repeat', async (t) => {
  const { append, host } = await world();
  await append('x', 1, event('a', { users: [1] }));
  await append('x', 2, event('b', { users: [1] }));
  const feed = await host();
  const queue = new Queue(1);
  feed.attach(queue);
  await settle(20);
  t.ok(queue.isLive);
  await append('x', 2, event('b', { users: [1] }));
  await append('x', 3, event('c', { users: [1] }));
  await settle(20);
  t.same(queue.got, ['a', 'b', 'c']);
});

t.test('a Store outage during catch-up loses no event', async (t) => {
  const { feed, append, stored, away, clock } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  await append(STREAM, 1, members(1, [1]), event('first', { stream: 5, mv: 1 }));
  await append(STREAM, 2, event('second', { stream: 5, mv: 1 }));
  away.store = true;
  const queue = new Queue(1);
  feed.attach(queue);
  await settle(20);
  t.same(queue.got, []);
  await clock.advanceAsync(5_000);
  t.notOk(queue.isLive, 'it waits for the Store');
  away.store = false;
  await clock.advanceAsync(5_000);
  await settle(20);
  t.same(queue.got, ['first', 'second']);
  await append(STREAM, 3, event('third', { stream: 5, mv: 1 }));
  await settle(20);
  t.same(queue.got, ['first', 'second', 'third']);
});

t.test('a gap during a membership read loses no event that the log still has', async (t) => {
  const { feed, append, stored, away, clock, readers } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  const queue = new Queue(1);
  feed.attach(queue);
  await settle(20);
  const gate = new Gate();
  away.store = gate.opened;
  for (let v = 1; v <= 3; v++) await append(STREAM, v, event(`e${v}`, { stream: 5, mv: 1 }));
  await settle(20);
  // A gap reported to the feed does not affect this queue's position.
  readers[0]!.onGap(toLogSeq(1));
  gate.open();
  away.store = false;
  await clock.advanceAsync(5_000);
  const next = Queue.at(2);
  feed.attach(next);
  await settle(20);
  await append(STREAM, 4, event('e4', { stream: 5, mv: 1 }));
  await clock.advanceAsync(5_000);
  t.same(queue.got, ['e1', 'e2', 'e3', 'e4']);
  t.same(next.got, ['e3', 'e4'], 'what was being read before the gap does not say how far it is');
});

t.test("live queues are at the feed's position; a detached queue stays at its own", async (t) => {
  const { feed, append } = await world();
  const [one, other] = [new Queue(1), new Queue(2)];
  feed.attach(one);
  feed.attach(other);
  await settle();
  for (let v = 1; v <= 3; v++) await append('x', v, event('told', { users: [1] }));
  await settle();
  t.same([one.cursor.position, other.cursor.position], [feed.position, feed.position]);
  const before = other.cursor.position;
  feed.detach(other);
  await append('x', 4, event('missed', { users: [1, 2] }));
  await settle();
  t.equal(other.cursor.position, before);
  feed.attach(other);
  await settle();
  t.same(other.got, ['missed']);
});

t.test("entries contained in a queue's snapshot are left out", async (t) => {
  const { feed, append } = await world();
  const queue = new Queue(1, false, { x: 2 });
  feed.attach(queue);
  await append('x', 1, event('update_message_flags', { users: [1] }));
  await append('x', 2, event('covered', { users: [1] }));
  await append('y', 1, event('other', { users: [1] }));
  await append('x', 3, event('new', { users: [1] }));
  await settle();
  const flags = 'update_message_flags';
  t.same(queue.got, [flags, 'other', 'new'], 'but changes of flags: messages told before may lack them');
});

t.test('a queue whose past is no longer kept ends; the others continue', async (t) => {
  const { append, log, host } = await world();
  for (let v = 1; v <= 300; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  log.contents.trim(REALM, 290);
  const feed = await host();
  const [old, young] = [5, 295].map((position) => Queue.at(position));
  feed.attach(old!);
  feed.attach(young!);
  await settle(100);
  t.equal(old!.isTrimmed, true);
  t.equal(young!.isTrimmed, false);
  t.same(young!.got, ['e296', 'e297', 'e298', 'e299', 'e300']);
});

t.test('entries that a host has read are not read again, and outlive their removal from the log', async (t) => {
  const { feed, append, log, readers, host } = await world();
  for (let v = 1; v <= 600; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  const fresh = await host();
  await settle(100);
  const before = readers.length;
  log.contents.trim(REALM, 590);
  for (const one of [feed, fresh]) {
    const queues = [300, 5, 599, 600].map((position) => Queue.at(position));
    for (const queue of queues) {
      one.attach(queue);
      await settle(20);
    }
    for (const queue of queues) {
      t.ok(queue.isLive);
      t.equal(queue.isTrimmed, false);
    }
    t.same(
      queues.map(({ got }) => [got.length, got.at(-1)]),
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

t.test('after a gap, entries read before it are not used', async (t) => {
  const { feed, append, readers, log } = await world();
  for (let v = 1; v <= 10; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await settle(20);
  // The log reports a gap to the feed.
  readers[0]!.onGap(toLogSeq(8));
  const before = readers.length;
  const queue = Queue.at(4);
  feed.attach(queue);
  await settle(20);
  t.equal(readers.length, before + 1, 'the log is asked');
  t.same(queue.got, ['e5', 'e6', 'e7', 'e8', 'e9', 'e10']);
  log.contents.trim(REALM, 9);
  const late = Queue.at(4);
  feed.attach(late);
  await settle(20);
  t.equal(late.isTrimmed, true);
});

t.test('transient events reach their queues', async (t) => {
  const { log, feed, append, stored } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  await stored(2, 2, { from: 2, to: 3 });
  const queues = [new Queue(1), new Queue(2), new Queue(3)];
  for (const queue of queues) feed.attach(queue);
  await settle();
  const publish = async (type: string, to: EventAudience) => {
    log.publishTransient(REALM, event(type, to) as unknown as Json);
    await settle();
  };
  await publish('a', { users: [1, 3] });
  await publish('b', { stream: 5, mv: 3 });
  await publish('c', { stream: 5, mv: 2, users: [1] });
  t.same(
    queues.map((queue) => queue.transient),
    [['a', 'b', 'c'], ['c'], ['a']],
    'go to those who are meant, once to each',
  );
  await publish('d', { stream: 5, mv: 4 });
  await publish('e', { role: 600, rv: 2 });
  t.same(queues[0]!.transient, ['a', 'b', 'c'], 'are lost where the right to them is not known yet');
  await append(STREAM, 4, members(4, [2], [1]));
  await settle();
  await publish('f', { stream: 5, mv: 4 });
  t.same(
    queues.map((queue) => queue.transient),
    [['a', 'b', 'c'], ['c', 'f'], ['a']],
  );
  t.same(queues[0]!.got, [], 'and are in no log');
});

t.test('a listening queue gets transient events before its past was read', async (t) => {
  const { log, feed } = await world();
  const [early, deaf] = [new Queue(1), new Queue(1)];
  feed.addTransientListener(early);
  const publish = async (type: string) => {
    log.publishTransient(REALM, event(type, { users: [1] }) as unknown as Json);
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

t.test('a queue that catches up ahead of the live feed learns repeats from it', async (t) => {
  const { feed, append, stored, away } = await world();
  await stored(1, 1, { from: 1, to: 0 });
  const live = new Queue(2);
  feed.attach(live);
  await settle(20);
  const other = streamActorKey(REALM, toStreamId(6));
  await append(other, 7, event('once', { users: [1] }));
  await settle(20);
  const gate = new Gate();
  away.store = gate.opened;
  await append(STREAM, 1, event('waits', { stream: 5, mv: 1 }));
  // More entries than a catch-up looks back.
  for (let v = 2; v <= 301; v++) await append(STREAM, v, event(`e${v}`, { users: [2] }));
  await settle(20);
  // The queue got 'once' from the previous owner, which left the entry to be repeated.
  const late = Queue.at(302);
  feed.attach(late);
  await append(other, 7, event('once', { users: [1] }));
  await append(STREAM, 302, event('after', { users: [1] }));
  await settle(20);
  gate.open();
  away.store = false;
  await settle(40);
  t.same(late.got, ['after']);
  t.same(late.isLive, true);
});

t.test('a resumed queue gets the entries that it missed, including those that the feed missed', async (t) => {
  const { feed, append, readers } = await world();
  const live = new Queue(1);
  feed.attach(live);
  for (let v = 1; v <= 600; v++) await append('x', v, event(`e${v}`, { users: [1] }));
  await append('x', 300, event('e300', { users: [1] }));
  await settle(40);
  const back = Queue.at(598);
  feed.attach(back);
  await settle(40);
  t.same(back.got, ['e599', 'e600'], 'without the repeat of what it has had');
  readers[0]!.onGap(toLogSeq(601));
  await settle(40);
  const later = Queue.at(590);
  feed.attach(later);
  await settle(40);
  t.same(
    later.got,
    Array.from({ length: 10 }, (_, i) => `e${591 + i}`),
  );
});

t.test('the feed knows the position from which it recognises every repeat', async (t) => {
  const repeats = new LogRepeatDetector(new MemoryLog({}), REALM, toLogSeq(10_000), new FakeClock());
  const first = repeats.readFromPosition + MAX_LOG_REPEAT_DISTANCE;
  t.equal(repeats.recognizesAllRepeatsAfter(toLogSeq(first - 1)), false, 'what it repeats may lie below what was read');
  t.equal(repeats.recognizesAllRepeatsAfter(toLogSeq(first)), true);
  repeats.markMissedUpTo(toLogSeq(9_000));
  t.equal(repeats.recognizesAllRepeatsAfter(toLogSeq(8_999)), false);
  t.equal(repeats.recognizesAllRepeatsAfter(toLogSeq(9_000)), true);
  t.equal(
    new LogRepeatDetector(new MemoryLog({}), REALM, toLogSeq(0), new FakeClock()).recognizesAllRepeatsAfter(
      toLogSeq(0),
    ),
    true,
    'nothing was before',
  );
});

t.test('an entry that no queue here needs moves the queues on, and its items stay encoded', async (t) => {
  const { log, feed, stored, append } = await world([person(1), person(2), person(9)]);
  await stored(2, 1, { from: 1, to: 0 });
  await append(STREAM, 1, members(1, [2]));
  const queue = new Queue(9);
  feed.attach(queue);
  await settle();
  const decoded: string[] = [];
  const encodedEntry = (v: number, name: string, to: EventAudience): Json => {
    const entry = decodeLogEntry(
      encodeLogEntry({ actor: STREAM, groups: [{ v, p: 0, items: [event(name, to)] }] } as unknown as Json),
    ) as unknown as LogEntry;
    const [group] = entry.groups;
    const watched = {
      v,
      p: 0,
      get items() {
        decoded.push(name);
        return group!.items;
      },
    };
    const { actor, head, encodedBytes } = entry;
    return { actor, head, encodedBytes, groups: [watched] } as unknown as Json;
  };
  const send = (...of: Parameters<typeof encodedEntry>): void => {
    const contents = log.contents.realm(REALM);
    contents.end++;
    contents.entries.push({ seq: contents.end, value: encodedEntry(...of), bytes: 1, at: 0 });
    log.contents.wake(REALM);
  };
  send(2, 'of the members', { stream: 5, mv: 1 });
  await settle();
  t.ok(decoded.splice(0).length > 0, 'the members are read for the first entry');
  send(3, 'of the members again', { stream: 5, mv: 1 });
  send(4, 'of another user', { users: [1] });
  await settle();
  t.same([decoded, queue.got], [[], []]);
  t.equal(queue.cursor.position, feed.position);
  send(5, 'of this user', { users: [9] });
  const second = new Queue(2);
  feed.attach(second);
  await settle();
  send(6, 'of the members, one of them here now', { stream: 5, mv: 1 });
  await settle();
  t.same(queue.got, ['of this user']);
  t.equal(second.got.at(-1), 'of the members, one of them here now');
});

t.test('a transient event that no queue here needs stays encoded', async (t) => {
  const { log, feed, stored } = await world();
  await stored(2, 1, { from: 1, to: 0 });
  const queue = new Queue(1);
  feed.attach(queue);
  await settle();
  const decoded: string[] = [];
  const publish = async (name: string, to: EventAudience): Promise<void> => {
    const { head } = decodeLogEntry(encodeLogEntry(event(name, to) as unknown as Json)) as unknown as TransientLogItem;
    const value = {
      t: 'event',
      head,
      get to() {
        decoded.push(name);
        return to;
      },
      event: { type: name },
    };
    for (const subscription of log.contents.subscriptions) subscription.transient(value as unknown as Json);
    await settle();
  };
  await publish('members are read for it', { stream: 5, mv: 1 });
  t.ok(decoded.splice(0).length > 0);
  await publish('of a member elsewhere', { stream: 5, mv: 1 });
  await publish('of others', { users: [2, 3] });
  t.same(decoded, []);
  await publish('of this user', { users: [1, 2] });
  await publish('of a role', { role: 600, rv: 1 });
  t.same(queue.transient, ['of this user', 'of a role']);
});
