/** Users whom `@**topic**` mentions: docs/api/markdown.md § Mentions, docs/limits.md § Lists and dictionaries. */
import t from 'tap';
import { toRealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageScan, Store } from '#ports/store';
import { loadTopicParticipantIds } from '../../../actors/stream/topic-participants.js';

const record = (id: number, sender: number, reactors: readonly number[] = []): MessageRecord =>
  ({
    id,
    sender,
    participants: [],
    movedFrom: '',
    body: { stream: 5, topic: 'Tea', reactions: reactors.map((user) => ({ user })) },
  }) as unknown as MessageRecord;

t.test('authors, those who reacted, and the writer take part; the newest messages count', async (t) => {
  const scans: MessageScan[] = [];
  const store = {
    scanMessages: async (scan: MessageScan) => {
      scans.push(scan);
      return [record(3, 8, [9]), record(2, 7), record(1, 8)];
    },
  } as unknown as Store;
  const users = await loadTopicParticipantIds(store, toRealmId(1), { stream: 5, topic: 'TEA' }, 6);
  t.same(
    users.sort((a, b) => a - b),
    [6, 7, 8, 9],
  );
  t.match(scans, [{ index: { by: 'topic', conversation: 's5', topicKey: 'tea' }, direction: 'older', limit: 1_000 }]);
  t.equal(scans.length, 1);
});
