/** Snapshot + events = state while a user's role changes, and with it the streams, addresses and rights in sight. */
import { picked } from '../../../support/rounds.js';
import { makeOrganization, type Person, subscribe } from '../../support/organization.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const ROLES = [600, 400, 300, 200, 100] as const;

export const roleState: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, ['public', 'in it'], { principals: [owner, member] });
  await subscribe(owner, 'empty');
  await owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['empty'] });
  await subscribe(member, 'private', { invite_only: true, principals: [member, moderator] });
  await subscribe(member, 'shared', { invite_only: true, history_public_to_subscribers: true, principals: [member] });
  await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
  await subscribe(owner, 'open to the web', { is_web_public: true });
  await subscribe(owner, ['in it', 'left', 'public'], { principals: [other] });
  await subscribe(member, ['with him'], { invite_only: true, principals: [member, other] });
  await subscribe(member, ['left private'], { invite_only: true, principals: [member, other] });
  for (const stream of ['public', 'left', 'left private']) {
    await other.api.ok('PATCH /users/me/subscriptions/muted_topics', { stream, topic: `of ${stream}`, op: 'add' });
  }
  await other.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['left', 'left private'] });
  const { streams } = await owner.api.ok<{ streams: { stream_id: number; name: string }[] }>('GET /streams');
  const id = (name: string): number => streams.find((stream) => stream.name === name)!.stream_id;
  await owner.api.ok('POST /default_streams', { stream_id: id('public') });
  // Each of these users hides the own address from some others.
  for (const [person, visibility] of [
    [owner, 2],
    [admin, 3],
    [moderator, 5],
    [member, 4],
  ] as const) {
    await person.api.ok('PATCH /settings', { email_address_visibility: visibility });
  }
  const watchers: readonly Person[] = [other, owner, member, guest];
  const become = async (from: number, to: number): Promise<void> => {
    await owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, role: from });
    await t.test(`from ${from} to ${to}`, (t) =>
      verifyAction(t, `from ${from} to ${to}`, watchers, () =>
        owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, role: to }),
      ),
    );
  };
  const changes = ROLES.flatMap((from) => ROLES.filter((to) => to !== from).map((to) => ({ from, to })));
  // The roles are computed by the actors, which are the same on a cluster.
  const count = server.kind === 'cluster' ? changes.length / 3 : changes.length;
  for (const { from, to } of picked(changes, count, ({ from, to }) => `${from} ${to}`)) await become(from, to);

  await t.test('a user changes the own role and name', (t) =>
    verifyAction(t, 'his own', watchers, async () => {
      await owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, role: 100, full_name: 'An Owner' });
      await other.api.ok('PATCH /users/{user_id}', { user_id: other.id, role: 600, full_name: 'A Guest' });
    }),
  );

  await t.test('streams keep changing while a user becomes a guest, and a member again', (t) =>
    verifyAction(t, 'streams', watchers, async () => {
      await subscribe(member, 'made for members');
      await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: id('public'), description: 'changed' });
      await owner.api.ok('PATCH /users/{user_id}', { user_id: other.id, role: 400 });
      await subscribe(member, 'made after that', { principals: [member, guest] });
      await subscribe(guest, []).catch(() => undefined);
      await owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['public'], principals: [member.id] });
    }),
  );
};
