/** Rows of the list of messages: days, recipients, senders, the mark of unread messages, and rows that are reused. */
import { signal } from '@preact/signals-core';
import t from 'tap';
import type { Message } from '../../../web/src/contract/index.js';
import { MessageStore, type WindowListChange } from '../../../web/src/core/index.js';
import { UnreadMarker } from '../../../web/src/messages/marker.js';
import { type MessageRow, makeMessageRows } from '../../../web/src/messages/rows.js';
import { setDisplayZoneByName } from '../../../web/src/text/index.js';

const ME = 1;
/** Noon of a day in the zone of the test. */
const NOON = Math.floor(new Date(2026, 4, 28, 12).getTime() / 1000);
const DAY_S = 86_400;

interface Facts {
  readonly id: number;
  readonly at?: number;
  readonly sender?: number;
  readonly topic?: string;
  readonly users?: readonly number[];
  readonly me?: boolean;
}

const messageOf = ({ id, at = 0, sender = 2, topic = 'plans', users, me = false }: Facts): Message =>
  ({
    ...{ id, sender_id: sender, timestamp: NOON + at, is_me_message: me },
    ...(users
      ? { type: 'private', display_recipient: users.map((user) => ({ id: user })), subject: '' }
      : { type: 'stream', stream_id: 7, display_recipient: 'general', subject: topic }),
  }) as Partial<Message> as Message;

function rows(list: readonly Facts[], marked?: number, known: readonly MessageRow[] = []): readonly MessageRow[] {
  const messages = new Map(list.map((of) => [of.id, messageOf(of)]));
  const ids = list.map(({ id }) => id);
  return makeMessageRows(ids, (id) => messages.get(id), ME, marked, new Map(known.map((row) => [row.id, row])));
}

const leads = (list: readonly Facts[], marked?: number): readonly number[] =>
  rows(list, marked)
    .filter(({ showsSender }) => showsSender)
    .map(({ id }) => id);

t.test('the first row has day, recipient and sender', async (t) => {
  t.strictSame(rows([{ id: 1 }]), [
    { id: 1, startsDay: true, isFirstUnread: false, showsSender: true, newConversation: { stream: 7, topic: 'plans' } },
  ]);
  t.strictSame(rows([]), []);
});

t.test('messages of one sender stand together for ten minutes', async (t) => {
  t.strictSame(leads([{ id: 1 }, { id: 2, at: 600 }]), [1]);
  t.strictSame(leads([{ id: 1 }, { id: 2, at: 601 }]), [1, 2]);
  t.strictSame(leads([{ id: 1 }, { id: 2, at: 500 }, { id: 3, at: 1_000 }]), [1], 'counted from the message above');
  t.strictSame(leads([{ id: 1 }, { id: 2, sender: 3 }, { id: 3 }]), [1, 2, 3]);
});

t.test('a message about oneself (/me) stands alone', async (t) => {
  t.strictSame(leads([{ id: 1 }, { id: 2, me: true }, { id: 3 }]), [1, 2, 3]);
});

t.test(
  'another topic, stream or group of people shows the recipient; another spelling of the topic does not',
  async (t) => {
    const shown = (list: readonly Facts[]): readonly number[] =>
      rows(list)
        .filter(({ newConversation }) => newConversation !== undefined)
        .map(({ id }) => id);
    t.strictSame(shown([{ id: 1 }, { id: 2, topic: 'lunch' }, { id: 3, topic: 'Lunch' }, { id: 4 }]), [1, 2, 4]);
    t.strictSame(
      shown([
        { id: 1, users: [ME, 2] },
        { id: 2, users: [2, ME] },
        { id: 3, users: [ME, 2, 3] },
      ]),
      [1, 3],
    );
  },
);

t.test('a view of one conversation names it in no row, and has its days and senders', async (t) => {
  const list = [{ id: 1 }, { id: 2, at: DAY_S }];
  const messages = new Map(list.map((of) => [of.id, messageOf(of)]));
  const make = (known: readonly MessageRow[]) =>
    makeMessageRows([1, 2], (id) => messages.get(id), ME, undefined, new Map(known.map((row) => [row.id, row])), true);
  const found = make([]);
  t.match(found, [
    { startsDay: true, showsSender: true, newConversation: undefined },
    { startsDay: true, showsSender: true, newConversation: undefined },
  ]);
  const again = make(found);
  t.ok(found.every((row, n) => row === again[n]));
});

t.test('a new day repeats recipient and sender', async (t) => {
  const [, next] = rows([{ id: 1 }, { id: 2, at: DAY_S }]);
  t.match(next, { startsDay: true, showsSender: true, newConversation: { stream: 7, topic: 'plans' } });
  const midnight = DAY_S / 2;
  t.match(
    rows([
      { id: 1, at: midnight - 1 },
      { id: 2, at: midnight },
    ])[1],
    { startsDay: true },
  );
  t.match(
    rows([
      { id: 1, at: midnight - 2 },
      { id: 2, at: midnight - 1 },
    ])[1],
    { startsDay: false },
  );
});

t.test('a day begins at midnight of the zone that was chosen, whatever zone the browser has', async (t) => {
  t.teardown(() => setDisplayZoneByName(''));
  const at = (...time: [hour: number, minute: number]): number => Date.UTC(2026, 4, 28, ...time) / 1000 - NOON;
  const list = [at(9, 50), at(10, 10), at(14, 50), at(15, 10)].map((time, id) => ({ id, at: time }));
  const days = (zone: string): readonly number[] => {
    setDisplayZoneByName(zone);
    return rows(list)
      .filter(({ startsDay }) => startsDay)
      .map(({ id }) => id);
  };
  t.strictSame(days('Pacific/Kiritimati'), [0, 1], 'midnight is at 10:00 UTC');
  t.strictSame(days('Asia/Tokyo'), [0, 3], 'midnight is at 15:00 UTC');
});

t.test('the first unread message is marked, with its sender', async (t) => {
  t.strictSame(leads([{ id: 1 }, { id: 2 }, { id: 3 }], 2), [1, 2]);
  t.strictSame(
    rows([{ id: 1 }, { id: 2 }], 2).map(({ isFirstUnread }) => isFirstUnread),
    [false, true],
  );
});

t.test('rows that say the same are the same objects, so that nothing renders again', async (t) => {
  const list = [{ id: 1 }, { id: 2 }, { id: 3, topic: 'lunch' }];
  const before = rows(list);
  const after = rows([...list, { id: 4, topic: 'lunch' }], undefined, before);
  t.ok(before.every((row, n) => row === after[n]));
  const prepended = rows([{ id: 0 }, ...list], undefined, after);
  t.not(prepended[1], before[0], 'the first row is no longer the first one of its day');
  t.equal(prepended[2], before[1]);
  const moved = rows([{ id: 1, topic: 'lunch' }, { id: 2 }, { id: 3, topic: 'lunch' }], undefined, before);
  t.not(moved[0], before[0]);
  t.match(moved[0], { newConversation: { topic: 'lunch' } });
});

t.test('an id without a message has no row', async (t) => {
  const one = messageOf({ id: 1 });
  t.strictSame(
    makeMessageRows([1, 2], (id) => (id === 1 ? one : undefined), ME, undefined, new Map()).map(({ id }) => id),
    [1],
  );
});

/** The line "New" over a list of unread messages. */
function makeMarker(list: readonly Facts[]) {
  const store = new MessageStore();
  const messageIds = signal<readonly number[]>([]);
  const lastListChange = signal<WindowListChange>({ kind: 'loaded', rowCount: 0 });
  const [pendingItems, isPageFocused] = [signal<readonly unknown[]>([]), signal(true)];
  const add = (of: Facts, flags: string[] = [], kind: WindowListChange['kind'] = 'arrived'): void => {
    store.addArrivedMessage({ ...messageOf(of), flags });
    messageIds.value = [...messageIds.peek(), of.id];
    lastListChange.value = { kind, rowCount: 1 };
  };
  for (const of of list) add(of);
  const window = {
    messageIds,
    lastListChange,
    get lastMessageId() {
      return messageIds.peek().at(-1);
    },
  };
  const marker = new UnreadMarker({ window, store, pendingItems, isPageFocused, ownUserId: ME });
  marker.markFirstUnread();
  marker.follow();
  const read = (id: number): void => store.changeMessage(id, (message) => ({ ...message, flags: ['read'] }));
  return { marker, add, read, pendingItems, isPageFocused };
}

t.test('the line "New" never stands above a message of the reader', async (t) => {
  const { marker } = makeMarker([{ id: 1, sender: ME }, { id: 2 }, { id: 3, sender: ME }]);
  t.equal(marker.messageId.value, undefined, 'the last one is an answer');
  const other = makeMarker([{ id: 1, sender: ME }, { id: 2 }, { id: 3 }]);
  t.equal(other.marker.messageId.value, 2);
});

t.test('a message that the reader sends ends the line, at once or when it comes from elsewhere', async (t) => {
  const { marker, pendingItems, add } = makeMarker([{ id: 1 }]);
  t.equal(marker.messageId.value, 1);
  pendingItems.value = ['on its way'];
  t.equal(marker.messageId.value, undefined);
  pendingItems.value = [];
  add({ id: 2, sender: ME }, ['read']);
  t.equal(marker.messageId.value, undefined);
  const other = makeMarker([{ id: 1 }]);
  other.add({ id: 2, sender: ME }, ['read']);
  t.equal(other.marker.messageId.value, undefined);
});

t.test('the first message that comes while the reader is away gets the line, unless it is an own one', async (t) => {
  const { marker, isPageFocused, add, read } = makeMarker([]);
  isPageFocused.value = false;
  add({ id: 1, sender: ME });
  t.equal(marker.messageId.value, undefined);
  add({ id: 2 });
  add({ id: 3 });
  t.equal(marker.messageId.value, 2);
  read(2);
  add({ id: 4 });
  t.equal(marker.messageId.value, 2, 'messages that are read on a second screen move no line');
  add({ id: 5, sender: ME });
  add({ id: 6 });
  t.equal(marker.messageId.value, 6, 'an answer from another device ends the line');
});

t.test('the line stands above the first unread message if more came while the reader was away', async (t) => {
  const { marker, isPageFocused, add, read } = makeMarker([{ id: 1 }]);
  read(1);
  add({ id: 2 });
  t.equal(marker.messageId.value, 1, 'the reader looks on');
  isPageFocused.value = false;
  t.equal(marker.messageId.value, 1, 'nothing has come');
  add({ id: 3 });
  t.equal(marker.messageId.value, 2);
});

t.test('a message that arrives after the return of the reader moves no line', async (t) => {
  const { marker, isPageFocused, add, read } = makeMarker([]);
  isPageFocused.value = false;
  isPageFocused.value = true;
  add({ id: 1 });
  t.equal(marker.messageId.value, undefined);
  read(1);
  isPageFocused.value = false;
  add({ id: 2 });
  isPageFocused.value = true;
  read(2);
  add({ id: 3 });
  t.equal(marker.messageId.value, 2);
});

t.test('messages whose events were lost get the line, also while the reader looks', async (t) => {
  const { marker, add } = makeMarker([]);
  add({ id: 1 }, ['read'], 'refreshed');
  t.equal(marker.messageId.value, undefined);
  add({ id: 2 }, [], 'refreshed');
  t.equal(marker.messageId.value, 2);
});
