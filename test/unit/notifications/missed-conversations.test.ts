/** Ids of conversations with missed messages. */
import t from 'tap';
import { toRealmId } from '#model';
import { makeMissedConversationId } from '../../../actors/user/missed.js';

t.test('the receivers of a direct message share the hash of its participants', (t) => {
  let reads = 0;
  const participants = new Proxy(
    Array.from({ length: 1_000 }, (_, i) => i + 1),
    {
      get(list, name, receiver) {
        reads++;
        return Reflect.get(list, name, receiver);
      },
    },
  );
  const conversation = { stream: 0, topic: '', participants };
  const name = makeMissedConversationId(toRealmId(1), conversation);
  const readOnce = reads;
  t.equal(makeMissedConversationId(toRealmId(1), conversation), name);
  t.equal(reads, readOnce, 'the list is read for the first receiver alone');
  t.equal(makeMissedConversationId(toRealmId(1), { ...conversation, participants: [...participants] }), name);
  t.end();
});
