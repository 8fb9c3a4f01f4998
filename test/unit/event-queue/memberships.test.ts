/** A registration while a user joins or leaves, and the stream does not learn of it for long. */
import t from 'tap';
import type { RealmEventFeed } from '#delivery';
import { type ActorKey, toRealmId, toUserId } from '#model';
import { readOwnStateAndSubscribers } from '../../../actors/event-queue/snapshot/memberships.js';
import type { ActorInputSources } from '../../../actors/services.js';

const REALM = toRealmId(1);
const USER = toUserId(9);

/** @param members of stream 5, as the feed knows them when asked for the nth time */
async function read(active: boolean, members: (asked: number) => readonly number[]) {
  let asked = 0;
  const sources = {
    loadDirectory: async () => ({ version: 3, user: () => ({ isActive: true }), streams: () => [{ id: 5 }] }),
    services: { clock: { setTimeout: (fn: () => void) => setImmediate(fn) } },
  } as unknown as ActorInputSources;
  const feed = {
    readSubscribersAtPosition: async (streams: () => readonly number[]) => {
      asked++;
      return { position: asked, of: new Map(streams().map((stream) => [stream, members(asked)])) };
    },
  } as unknown as RealmEventFeed;
  const own = { version: 7, subscriptions: [{ stream: 5, active }] } as never;
  const versions: Record<ActorKey, number> = {};
  const { subscribers } = await readOwnStateAndSubscribers(REALM, USER, true, async () => own, feed, sources, versions);
  return { position: subscribers.position, list: subscribers.of.get(5), versions };
}

t.test("a snapshot waits until the stream knows of the user's membership", async (t) => {
  const { position, list, versions } = await read(true, (n) => (n < 4 ? [8] : [8, 9, 12]));
  t.same([position, list], [4, [8, 9, 12]]);
  t.same(Object.values(versions), [7], 'events of a stream are covered by position');
});

t.test('the wait is bounded: memberships that no event will bring are in the list', async (t) => {
  t.same((await read(true, () => [8, 12])).list, [8, 9, 12]);
  t.same((await read(false, () => [8, 9, 12])).list, [8, 12]);
});
