/** POST /realm/deactivate (realm.md), and the way back from the command line. */
import {
  createOneTimeSignInUrl,
  deactivateUserWithoutMail,
  listRealms,
  reactivateUser,
  setRealmActive,
  setUserManagesBilling,
  setUserRole,
} from '#app/admin';
import { refused } from '../../harness.js';
import { type Refusal, unauthorized } from '../../support/client.js';
import { linkIn, mailed, mailsTo } from '../../support/mails.js';
import { makeOrganization, PASSWORD } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiUser } from '../../support/types.js';
import type { Facts } from '../facts.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const OVER = unauthorized('This organization has been deactivated');

export const realmActivity: Facts = async (t, server) => {
  const { actors } = server;

  await t.test('a deactivated organization refuses all calls until it is reactivated', async (t) => {
    const org = await makeOrganization(server);
    const { owner, admin, member } = org;
    const host = `${org.subdomain}.localhost`;
    const login = () =>
      org.nobody.with({ host }).call('POST /fetch_api_key', { username: member.email, password: PASSWORD });
    const listed = async () => (await listRealms(actors)).find(({ id }) => id === org.realm)!.deactivated;
    const ownersOnly: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };
    for (const by of org.people.filter(({ role }) => role !== 'owner')) {
      await refused(t, by.api.call('POST /realm/deactivate'), ownersOnly, by.role);
    }
    t.equal((await org.nobody.call('POST /realm/deactivate')).status, 401);
    t.equal(await listed(), false);
    const [all, others] = [await Queue.register(admin), await Queue.register(member, { event_types: ['message'] })];
    const [told, waiting] = [
      all.poll(),
      member.api.call('GET /events', { queue_id: others.id, last_event_id: others.last }),
    ];
    t.equal((await owner.api.call('POST /realm/deactivate')).status, 200);
    t.same(
      (await told).map(({ id: _, ...event }) => event),
      [{ type: 'realm', op: 'deactivated', realm_id: org.realm }],
      'a poll that waits ends with the event',
    );
    await refused(t, waiting, OVER, 'one that does not want the event ends, too');
    for (const { api } of org.people) {
      await refused(t, api.call('GET /users/me'), OVER);
      await refused(t, api.call('POST /realm/deactivate'), OVER);
      await refused(t, api.call('POST /register', {}), OVER);
      await refused(t, api.call('POST /messages', { type: 'direct', to: [owner.id], content: 'x' }), OVER);
      await refused(t, api.call('GET /events', { queue_id: 'x' }), OVER);
    }
    await refused(t, login(), { ...OVER, code: 'REALM_DEACTIVATED' });
    t.equal((await org.nobody.with({ host }).call('GET /server_settings')).status, 200);
    t.equal(await listed(), true, 'the list of organizations says so');
    await setRealmActive(actors, org.realm, false);

    await setRealmActive(actors, org.realm, true);
    await setRealmActive(actors, org.realm, true);
    t.equal(await listed(), false);
    t.equal((await login()).status, 200);
    t.equal((await member.api.call('GET /users/me')).status, 200);
    t.equal((await owner.api.call('POST /messages', { type: 'direct', to: [member.id], content: 'back' })).status, 200);
    t.same(
      (await others.take(1)).map(({ type }) => type),
      ['message'],
      'queues are where they were',
    );
    t.equal((await makeOrganization(server, [])).owner.role, 'owner', 'others are not concerned');
  });

  await t.test('a deactivated organization makes no accounts, sets no passwords and begins no sessions', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { owner, member, realm } = org;
    await owner.api.ok('PATCH /realm', { invite_required: false });
    const nobody = org.nobody.with({ host: `${org.subdomain}.localhost` });
    const open = (path: string) => nobody.raw({ method: 'GET', path });
    const send = (path: string, fields: Record<string, string> = {}) =>
      nobody.raw({ method: 'POST', path, headers: FORM, body: new URLSearchParams(fields).toString() });
    const account = { full_name: 'New One', password: 'quietly-otter-ladder-27' };
    const address = (local: string): string => `${local}@${org.subdomain}.example.net`;
    const linkTo = async (email: string): Promise<string> => linkIn((await mailed(server, email)).at(-1)!);

    const reusable = new URL((await owner.api.ok<{ invite_link: string }>('POST /invites/multiuse')).invite_link);
    await owner.api.ok('POST /invites', { invitee_emails: address('invited'), stream_ids: [] });
    const invitation = await linkTo(address('invited'));
    await send('/signup', { email: address('confirmed') });
    const signUp = await linkTo(address('confirmed'));
    await member.api.ok('PATCH /settings', { email: address('moved') });
    const moved = await linkTo(address('moved'));
    await send('/accounts/password/reset', { email: member.email });
    const reset = await linkTo(member.email);
    const once = await createOneTimeSignInUrl(actors, server.secrets, realm, member.email, 'http://x');
    const before = await owner.api.ok('GET /users');
    await owner.api.ok('POST /realm/deactivate');

    for (const path of ['/signup', signUp, invitation, reusable.pathname, reset]) {
      t.ok((await open(path)).status >= 400, `GET ${path.slice(0, 12)}`);
    }
    for (const [path, fields] of [
      ['/signup', { email: address('late') }],
      [signUp, account],
      [invitation, account],
      [reusable.pathname, { email: address('late') }],
      [moved, {}],
      ['/accounts/password/reset', { email: owner.email }],
      [reset, { password: account.password, new_key: 'true' }],
    ] as const) {
      t.ok((await send(path, fields)).status >= 400, `POST ${path.slice(0, 12)}`);
    }
    t.ok((await open(`/accounts/login/subdomain/${once.split('/').at(-1)}`)).status >= 400);
    await setRealmActive(actors, realm, true);
    t.same(await owner.api.ok('GET /users'), before);
    await send('/signup', { email: address('in-time') });
    await mailed(server, address('in-time'));
    t.same([...mailsTo(server, address('late')), ...mailsTo(server, owner.email)], []);
    t.equal((await member.api.call('GET /users/me')).status, 200, 'the key is the same');
    t.equal((await open(reset)).status, 200, 'links stay valid until they expire');
  });

  await t.test('the command line changes roles, billing and activity of accounts', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const { owner, member } = org;
    const queue = await Queue.register(owner, { event_types: ['realm_user'] });
    const told = async () => (await queue.take(1)).map(({ op, person }) => [op, person])[0];
    await setUserManagesBilling(actors, org.realm, member.email.toUpperCase(), true);
    t.same(await told(), ['update', { user_id: member.id, is_billing_admin: true }]);
    await setUserManagesBilling(actors, org.realm, member.email, true);
    t.equal((await member.api.ok('POST /register', { fetch_event_types: ['realm_user'] })).is_billing_admin, true);
    await setUserManagesBilling(actors, org.realm, member.email, false);
    t.same(await told(), ['update', { user_id: member.id, is_billing_admin: false }], 'a repeat says nothing');
    await setUserRole(actors, org.realm, member.email, 100);
    t.same(await told(), ['update', { user_id: member.id, role: 100 }]);
    await deactivateUserWithoutMail(actors, org.realm, member.email);
    t.same((await told())![0], 'remove');
    await t.rejects(setUserRole(actors, org.realm, owner.email, 400), /only organization owner/);
    await t.rejects(deactivateUserWithoutMail(actors, org.realm, owner.email), /only organization owner/);
    await t.rejects(deactivateUserWithoutMail(actors, org.realm, 'nobody@example.com'), /there is no user/);
    await reactivateUser(actors, org.realm, member.email);
    t.same((await told())![0], 'add');
    const { members } = await owner.api.ok<{ members: ApiUser[] }>('GET /users');
    t.same(
      members.map(({ role, is_active }) => [role, is_active]),
      [
        [100, true],
        [100, true],
      ],
    );
  });
};
