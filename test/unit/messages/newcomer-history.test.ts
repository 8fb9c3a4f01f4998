import t from 'tap';
import { findNewUserHistoryBounds, storeNameOfStreamConversation } from '#domain/messages';
import { toRealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { MemoryStore } from '../../support/memory-store.js';

const REALM = toRealmId(1);
const NOW = 1_700_000_000_000;
const DAY = 86_400;

/** A message of a stream. @param age seconds */
const message = (id: number, stream: number, age: number, home = stream): MessageRecord => ({
  id,
  conversation: storeNameOfStreamConversation(stream),
  topicKey: 't',
  sender: 8,
  participants: [],
  movedFrom: home === stream ? '' : storeNameOfStreamConversation(home),
  tags: [],
  body: { stream, sent: NOW / 1000 - age, rev: 1, moves: home === stream ? [] : [{ from: home, to: stream }] },
});

async function storeWith(messages: readonly MessageRecord[]): Promise<MemoryStore> {
  const store = new MemoryStore({ atomicRecords: true });
  await store.applyRecords(
    messages.map((value) => ({ type: 'message' as const, realm: REALM, id: value.id, rev: 1, value })),
  );
  return store;
}

t.test('without messages of the last seven days there is no history', async (t) => {
  t.equal(await findNewUserHistoryBounds(await storeWith([]), REALM, [1, 2], NOW), undefined);
  const old = [message(1, 1, 7 * DAY), message(2, 2, 8 * DAY)];
  t.equal(await findNewUserHistoryBounds(await storeWith(old), REALM, [1, 2], NOW), undefined);
  t.equal(
    await findNewUserHistoryBounds(await storeWith([message(3, 1, 1)]), REALM, [], NOW),
    undefined,
    'nor without streams',
  );
});

t.test('the history has messages of the last seven days that were sent to these streams', async (t) => {
  const store = await storeWith([
    message(1, 1, 7 * DAY),
    message(2, 1, 7 * DAY - 1),
    message(3, 9, 5),
    message(4, 2, 4),
    message(5, 2, 3, 9),
  ]);
  t.same(await findNewUserHistoryBounds(store, REALM, [1, 2], NOW), { after: 1, mark: 1 }, 'all of it unread');
});

t.test('the history has the newest 1,000 messages of all streams together, the newest 20 unread', async (t) => {
  const many = Array.from({ length: 1_500 }, (_, i) => message(i + 1, i % 2 ? 1 : 2, 1_500 - i));
  const store = await storeWith(many);
  t.same(await findNewUserHistoryBounds(store, REALM, [1, 2], NOW), { after: 500, mark: 1_480 });
  t.same(await findNewUserHistoryBounds(await storeWith(many.slice(0, 20)), REALM, [1, 2], NOW), { after: 0, mark: 0 });
  t.same(await findNewUserHistoryBounds(await storeWith(many.slice(0, 21)), REALM, [1, 2], NOW), { after: 0, mark: 1 });
});
