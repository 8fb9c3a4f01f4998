/** Accounts that become full members by age, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { SYSTEM_GROUP_IDS } from '#domain/people';
import { FakeClock } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { startEmbedded } from '../../support/faces.js';
import { crowd, makeOrganization, type Person } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent } from '../../support/types.js';

const DAY_MS = 86_400_000;

export async function fullMembers(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['member', 'guest']);
  const { owner, member, guest } = org;

  let later = 0;

  const shown = async (): Promise<readonly number[]> => {
    const { user_groups } = await owner.api.ok<{ user_groups: { id: number; members: number[] }[] }>(
      'GET /user_groups',
    );
    return user_groups.find(({ id }) => id === SYSTEM_GROUP_IDS.fullmembers)!.members;
  };
  const isAdded = ({ op, group_id }: ApiEvent): boolean =>
    op === 'add_members' && group_id === SYSTEM_GROUP_IDS.fullmembers;
  /** Moves the clock to the next time at which a user becomes a full member. */
  const added = async (queue: Queue): Promise<unknown[]> =>
    (await queue.until((events) => events.some(isAdded))).filter(isAdded).map(({ user_ids }) => user_ids);
  const listen = (by: Person) =>
    Queue.register(by, { event_types: ['user_group'], fetch_event_types: [], queue_lifespan_secs: 604_800 });

  await t.test('a member who reaches the waiting period is published as a full member, then and once', async (t) => {
    await owner.api.ok('PATCH /realm', { waiting_period_threshold: 3 });
    t.same(await shown(), [], 'all are too young');
    const queue = await listen(guest);
    await clock.longAsync(DAY_MS);
    [later = 0] = await crowd(org, 1);
    await clock.longAsync(2 * DAY_MS - 120_000);
    t.same(await shown(), []);
    await clock.advanceAsync(120_000);
    t.same(await added(queue), [[member.id]]);
    t.same(await shown(), [member.id]);

    await server.restart();
    await clock.longAsync(DAY_MS);
    t.same(await added(queue), [[later]]);
    t.same(await shown(), [member.id, later]);
  });

  await t.test(
    'a longer waiting period takes full membership from young accounts; no waiting period gives it to all',
    async (t) => {
      await owner.api.ok('PATCH /realm', { waiting_period_threshold: 4 });
      t.same(await shown(), [member.id]);
      const queue = await listen(member);
      await owner.api.ok('PATCH /realm', { waiting_period_threshold: 0 });
      t.same(await added(queue), [[later]]);
      t.equal((await shown()).length, 2);
    },
  );

  await t.test('members that a clock which was ahead made full members are none once it is right', async (t) => {
    await owner.api.ok('PATCH /realm', { waiting_period_threshold: 30 });
    t.same(await shown(), []);
    clock.correctWallTime(365 * DAY_MS);
    await clock.longAsync(DAY_MS);
    await until('all are full members', async () => (await shown()).length === 2, 5_000);
    clock.correctWallTime(-365 * DAY_MS);
    await clock.longAsync(2 * DAY_MS);
    await until('none is', async () => (await shown()).length === 0, 5_000);
  });
}
