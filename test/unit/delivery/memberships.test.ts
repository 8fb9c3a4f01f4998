import t from 'tap';
import { toRealmId } from '#model';
import type { Store, StoredActorPart } from '#ports/store';
import { StreamMembershipCache } from '../../../src/delivery/memberships.js';

t.test('a user who joins while a stream is being read is a member, though the read began earlier', async (t) => {
  let give: (parts: StoredActorPart[]) => void = () => {};
  const store = {
    listParts: () =>
      new Promise<StoredActorPart[]>((resolve) => {
        give = resolve;
      }),
  } as unknown as Store;
  const memberships = new StreamMembershipCache(store, toRealmId(1));
  const loading = memberships.loadUnlessAtVersion(5);
  memberships.applyLogChange({ t: 'members', stream: 5, mv: 2, last: 10, join: [9], leave: [8] });
  const stay = { from: 1, to: 0, after: 0, until: 0 };
  give([{ part: 'member/8', rev: 1, value: { stays: [stay] } }]);
  await loading;
  const members = memberships.membersOfLoadedStream(5);
  t.same(members?.get(9)?.stays, [{ from: 2, to: 0, after: 10, until: 0 }]);
  t.same(members?.get(8)?.stays, [{ from: 1, to: 2, after: 0, until: 10 }]);
  t.ok(memberships.hasReachedMembershipVersion(5, 2));
});
