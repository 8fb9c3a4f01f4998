/** Conversations with missed messages: their ids, and the look at their messages. */
import t from 'tap';
import { presenceActorKind } from '#actors/presence';
import { userActorKind } from '#actors/user';
import { presenceActorKey, toEpoch, toRealmId, toUserId, userActorKey } from '#model';
import { makeMissedConversationId } from '../../../actors/user/missed.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';
import { Harness } from '../runtime/harness.js';

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

t.test('an organization that is just being made or deleted does not stop the mails of the others', async (t) => {
  const harness = new Harness({ user: userActorKind, presence: presenceActorKind }, true, (clock) => ({
    clock,
    random: () => 0.5,
  }));
  const [own, other] = [toRealmId(1), toRealmId(2)];
  const entries = [own, other].map((id) => ({ id, subdomain: `r${id}`, deactivated: false }));
  harness.directory = directoryWith({ users: [person(9)], realms: entries });
  harness.realmsWithoutActor.add(other);
  const key = userActorKey(own, toUserId(9));
  const due = harness.clock.now() + 120_000;
  const part = { stream: 5, topic: 'x', participants: [], first: 7, due, origin: 'https://chat.example.com' };
  await harness.store.commit({
    ...{ key, epoch: toEpoch(0), expected: 0, outbox: [], due },
    state: userActorKind.makeInitialState(key),
    records: [{ type: 'part', key, part: 'missed/5/x', rev: 1, value: part }],
  });
  await harness.take(key, presenceActorKey(own));
  await harness.clock.advanceAsync(121_000);
  t.equal(harness.root(key)?.due, null, 'the messages were looked at when they were due');
});
