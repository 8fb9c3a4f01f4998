import t from 'tap';
import { toRealmId } from '#model';
import type { Store, StoredActorPart } from '#ports/store';
import { StreamMembershipCache } from '../../../src/delivery/memberships.js';

t.test('an account that joins again after its deactivation was suspended, also if no mark says so', async (t) => {
  const stay = { from: 1, to: 3, after: 0, until: 10 };
  const parts = [{ part: 'member/8', rev: 1, value: { stays: [stay] } }];
  const memberships = new StreamMembershipCache({ listParts: async () => parts } as unknown as Store, toRealmId(1));
  await memberships.loadUnlessAtVersion(5);
  memberships.applyLogChange({ t: 'members', stream: 5, mv: 4, last: 10, join: [8, 9], leave: [], resumed: true });
  const members = memberships.membersOfLoadedStream(5);
  const next = { from: 4, to: 0, after: 10, until: 0 };
  t.same(members?.get(8)?.stays, [{ ...stay, suspended: true }, next]);
  t.same(members?.get(9)?.stays, [next]);
});

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
