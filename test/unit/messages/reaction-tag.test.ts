/** The search for messages with reactions: by their tag, and in data from before there was one (has:reaction). */
import t from 'tap';
import {
  type MessageBody,
  makeNarrowQueryPlan,
  makeViewerWithoutFlags,
  parseDistinctNarrowTerms,
  resolveNarrowTerms,
  type StoredMessage,
  toMessageRecord,
  UserMessageReader,
} from '#domain/messages';
import { toRealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageScan } from '#ports/store';
import { directoryWith } from '../../support/directory.js';
import { MemoryStore } from '../../support/memory-store.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);
const ME = 9;
const reaction = { user: 8, name: 'smile', code: '1f642', type: 'unicode_emoji' } as const;

/** A direct message between the users 8 and 9. */
function directMessage(id: number, reactions: MessageBody['reactions'] = []): MessageRecord {
  const body = { stream: 0, topic: '', content: 'x', html: '<p>x</p>', sent: 1, rev: 1, flags: {}, has: {}, reactions };
  const message = { id, originStream: 0, sender: 8, participants: [8, ME], body } as unknown as StoredMessage;
  return toMessageRecord(message, 'd8');
}

/** A memory store that counts the messages that it returns. */
class CountingStore extends MemoryStore {
  returned = 0;

  constructor(override readonly tagsReactions: boolean) {
    super({ atomicRecords: true });
  }

  override async scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    const found = await super.scanMessages(scan);
    this.returned += found.length;
    return found;
  }
}

const directory = directoryWith({ users: [person(8), person(ME)] });
const viewer = makeViewerWithoutFlags({
  realm: REALM,
  user: directory.user(ME as never)!,
  directory,
  subscribed: () => false,
});

async function idsWithReactions(store: MemoryStore, negated = false): Promise<number[]> {
  const narrow = JSON.stringify([{ operator: 'has', operand: 'reaction', negated }]);
  const terms = resolveNarrowTerms(parseDistinctNarrowTerms(narrow, 'current'), directory, ME, { dialect: 'current' });
  const found = await new UserMessageReader(store, viewer).scanNarrow(
    makeNarrowQueryPlan(terms, viewer),
    1_000,
    'older',
    10,
  );
  return found.map(({ message }) => message.id);
}

async function fill(store: MemoryStore, records: readonly MessageRecord[]): Promise<void> {
  await store.applyRecords(records.map((value) => ({ type: 'message', realm: REALM, id: value.id, rev: 1, value })));
}

t.test('a search for reactions reads only messages that have some', async (t) => {
  const store = new CountingStore(true);
  await fill(
    store,
    Array.from({ length: 300 }, (_, i) => directMessage(i + 1, i % 100 === 0 ? [reaction] : [])),
  );
  t.same(await idsWithReactions(store), [201, 101, 1]);
  t.equal(store.returned, 3);
  t.same((await idsWithReactions(store, true)).slice(0, 2), [300, 299], 'the others, too');
});

t.test('messages from before there was the tag are found', async (t) => {
  const store = new CountingStore(false);
  await fill(store, [{ ...directMessage(1, [reaction]), tags: [] }, directMessage(2), directMessage(3, [reaction])]);
  t.same(await idsWithReactions(store), [3, 1]);
});

t.test('a message has the tag while it has a reaction', async (t) => {
  t.same(directMessage(1, [reaction, { ...reaction, user: 9 }]).tags.filter((tag) => tag === 'has:reaction').length, 1);
  t.notOk(directMessage(1).tags.includes('has:reaction'));
});
