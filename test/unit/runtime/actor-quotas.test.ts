import t from 'tap';
import { type ActorKey, eventQueueActorKey, toEventQueueId, toRealmId, toUserId, userActorKey } from '#model';
import { accountPrefixOfEventQueueKey } from '../../../actors/event-queue/kind.js';
import { ActorQuotas } from '../../../src/runtime/actor-quotas.js';

const queue = (id: string, user = 8, realm = 1): ActorKey =>
  eventQueueActorKey(toRealmId(realm), toUserId(user), toEventQueueId(id));

function crowds(most: number) {
  const ended: ActorKey[] = [];
  const busy = new Set<ActorKey>();
  let over: Promise<void> = new Promise(() => {});
  const end = (key: ActorKey): Promise<void> => {
    ended.push(key);
    return over;
  };
  const fail = (): void => {
    over = Promise.reject(new Error('away'));
  };
  const of = new ActorQuotas({
    quotaOf: (key) => (key.startsWith('queue/') ? { limit: most, ownerOf: accountPrefixOfEventQueueKey } : undefined),
    isBusy: (key) => busy.has(key),
    endActor: end,
  });
  const seen = (...ids: string[]): void => {
    for (const id of ids) of.recordWrite(queue(id));
  };
  return { of, ended, busy, fail, seen };
}

t.test("an actor above an account's quota ends the one idle for longest", async (t) => {
  const { ended, seen } = crowds(3);
  seen('a', 'b', 'c');
  t.same(ended, []);
  seen('a', 'd');
  t.same(ended, [queue('b')], 'a was heard of since');
  seen('e');
  t.same(ended, [queue('b'), queue('c')], 'one for each');
});

t.test('a queue whose poll waits is ended last, the newest never', async (t) => {
  const { ended, busy, seen } = crowds(2);
  seen('a', 'b');
  busy.add(queue('a'));
  seen('c');
  t.same(ended, [queue('b')]);
  busy.add(queue('c'));
  seen('d');
  t.same(ended, [queue('b'), queue('a')], 'if polls wait at all others');
});

t.test('actors that ended by themselves, or moved away, do not count', async (t) => {
  const { of, ended, seen } = crowds(2);
  seen('a', 'b');
  of.forgetEndedActor(queue('a'));
  of.forgetEndedActor(queue('never there'));
  seen('c');
  t.same(ended, []);
  of.forgetActorsWhere((key) => key === queue('b'));
  seen('d');
  t.same(ended, []);
  seen('e');
  t.same(ended, [queue('c')]);
});

t.test('accounts and realms are counted apart, and only queues are counted', async (t) => {
  const { of, ended } = crowds(1);
  of.recordWrite(queue('a', 8));
  of.recordWrite(queue('b', 9));
  of.recordWrite(queue('c', 8, 2));
  of.recordWrite(userActorKey(toRealmId(1), toUserId(8)));
  of.recordWrite(userActorKey(toRealmId(1), toUserId(9)));
  of.forgetEndedActor(userActorKey(toRealmId(1), toUserId(9)));
  t.same(ended, []);
});

t.test('an actor being ended may be written once more, and ends no other in its place', async (t) => {
  const { ended, seen } = crowds(2);
  seen('a', 'b', 'c', 'a');
  t.same(ended, [queue('a')]);
});

t.test('an actor that could not be ended counts again at its next sign of life', async (t) => {
  const { ended, fail, seen } = crowds(2);
  fail();
  seen('a', 'b', 'c');
  await new Promise((resolve) => setImmediate(resolve));
  seen('a');
  t.same(ended, [queue('a'), queue('b')]);
});
