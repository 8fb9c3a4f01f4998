/** Presence: users.md § Presence. Its timed changes are in presence-time.ts. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeBot, makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export interface Reported {
  readonly client?: string;
  readonly status: string;
  readonly timestamp: number;
  readonly pushable?: boolean;
}
export type Legacy = Record<string, { readonly aggregated: Reported; readonly website: Reported }>;
export type Slim = Record<string, { readonly active_timestamp: number; readonly idle_timestamp: number }>;

/** Events reach a queue that has answered once; presence events before that are lost. */
export async function listenToPresence(by: Person, params: Params = {}): Promise<Queue> {
  const given = { event_types: ['presence', 'message'], fetch_event_types: [], ...params };
  const queue = await Queue.register(by, given);
  await queue.now();
  return queue;
}

export const presencesOf = async (queue: Queue): Promise<Fields[]> =>
  (await settled(queue)).filter((event) => event.type === 'presence');

const NO_BOTS = bad('This endpoint does not accept bot requests.');

export const presence: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, moderator, member, other, guest } = org;
  const report = (by: Person, params: Params = {}) =>
    by.api.ok<{ presences: Legacy; server_timestamp: number }>('POST /users/me/presence', {
      status: 'active',
      ...params,
    });
  const all = async (by: Person = owner) => (await by.api.ok<{ presences: Legacy }>('GET /realm/presence')).presences;
  const one = (who: unknown, by: Person = owner) =>
    by.api.call('GET /users/{user_id_or_email}/presence', { user_id_or_email: who });

  await t.test('a user who reports presence is in every list, in both forms', async (t) => {
    t.same(await all(), {}, 'nobody yet');
    const { presences, server_timestamp } = await report(member);
    t.same(Object.keys(presences), [member.email]);
    const { aggregated, website } = presences[member.email]!;
    const { timestamp } = website;
    t.same(website, { client: 'website', status: 'active', timestamp, pushable: false });
    t.same(aggregated, { client: 'website', status: 'active', timestamp });
    t.ok(Number.isInteger(timestamp) && timestamp <= server_timestamp, 'whole seconds, by the same clock');
    t.same(await all(guest), presences, 'guests see what members see');

    const slim = await member.api.ok<{ presences: Slim }>('POST /users/me/presence', {
      status: 'active',
      slim_presence: true,
    });
    t.same(slim.presences, { [member.id]: { active_timestamp: timestamp, idle_timestamp: timestamp } });
    const state = await other.api.ok<{ presences: Legacy; server_timestamp: number }>('POST /register', {
      fetch_event_types: ['presence'],
    });
    t.same(state.presences, presences);
    t.ok(state.server_timestamp >= server_timestamp);
    const slimState = await other.api.ok('POST /register', { fetch_event_types: ['presence'], slim_presence: true });
    t.same(slimState.presences, slim.presences);
    t.notOk('presences' in (await other.api.ok('POST /register', { fetch_event_types: ['message'] })));
  });

  await t.test('ping_only leaves the list out', async (t) => {
    const body = await member.api.ok('POST /users/me/presence', { status: 'active', ping_only: true });
    t.same(body, { result: 'success', msg: '' });
    t.same(await member.api.ok('POST /users/me/presence', { status: 'idle', ping_only: true, new_user_input: true }), {
      result: 'success',
      msg: '',
    });
  });

  await t.test('presence of one user is found by id and by API e-mail', async (t) => {
    const { website } = (await all())[member.email]!;
    const expected = { status: 'active', timestamp: website.timestamp };
    for (const who of [member.id, member.email, member.email.toUpperCase()]) {
      t.same((await one(who)).body.presence, { aggregated: expected, website: expected }, String(who));
    }
    t.same((await one(member.id, guest)).status, 200);
  });

  await t.test('a lookup of a user without presence, or of an unknown user, is refused', async (t) => {
    await refused(t, one(admin.id), bad(`No presence data for ${admin.id}`));
    await refused(t, one(admin.email), bad(`No presence data for ${admin.email}`));
    for (const who of [999_999, 'nobody@example.com', elsewhere.member.id + 1_000, elsewhere.member.email, 1, '１'])
      await refused(t, one(who), bad('No such user'), String(who));
    await member.api.ok('PATCH /settings', { email_address_visibility: 4 });
    await refused(t, one(member.email), bad('No such user'), 'a hidden address names nobody');
    await member.api.ok('PATCH /settings', { email_address_visibility: 1 });
  });

  await t.test('bots have no presence, but may read that of others', async (t) => {
    const bot = await makeBot(member);
    await refused(t, one(bot.id), bad('Presence is not supported for bot users.'));
    await refused(t, one(bot.email), bad('Presence is not supported for bot users.'));
    await refused(t, bot.api.call('POST /users/me/presence', { status: 'active' }), NO_BOTS);
    t.same(await all(bot), await all(), 'GET /realm/presence');
    t.equal((await one(member.id, bot)).status, 200);
  });

  await t.test('wrong parameters are refused', async (t) => {
    const call = (params: Params) => member.api.call('POST /users/me/presence', params);
    await refused(t, call({}), missing('status'));
    for (const status of ['bogus', '', 'Active', 'offline'])
      await refused(t, call({ status }), bad(`Invalid status: ${status}`), status);
    await refused(t, call({ status: 'active', ping_only: 'x' }), bad('Argument "ping_only" is not valid JSON.'));
    await refused(t, call({ status: 'active', slim_presence: 1 }), bad('slim_presence is not a boolean'));
  });

  await t.test('the first report is published to all users; slim queues get no e-mail', async (t) => {
    const far = await listenToPresence(elsewhere.member);
    const queues = await Promise.all([owner, guest].map((by) => listenToPresence(by)));
    const slim = await listenToPresence(other, { slim_presence: true });
    const { server_timestamp } = await report(moderator);
    for (const queue of [...queues, slim]) {
      const [event] = await queue.take(1);
      const { id: _, server_timestamp: at, ...told } = event!;
      const { website } = (await all())[moderator.email]!;
      const expected = { type: 'presence', user_id: moderator.id, presence: { website } };
      t.same(told, queue === slim ? expected : { ...expected, email: moderator.email });
      t.ok(Number(at) <= server_timestamp);
    }
    await report(moderator);
    await report(moderator, { status: 'idle' });
    for (const queue of queues) t.same(await presencesOf(queue), [], 'the next is no news');
    t.same(await presencesOf(far), []);
    t.same((await report(elsewhere.member)).presences[moderator.email], undefined, 'nor is it seen from elsewhere');
  });

  await t.test('a user who was never active counts as active since the account was made', async (t) => {
    const queue = await listenToPresence(owner);
    await report(guest, { status: 'idle' });
    const [event] = await queue.take(1);
    t.match(event, { user_id: guest.id, presence: { website: { status: 'active' } } }, 'it is new');
    const { date_joined } = await guest.api.ok<{ date_joined: string }>('GET /users/me');
    const { presences } = await owner.api.ok<{ presences: Slim }>('POST /users/me/presence', {
      status: 'active',
      slim_presence: true,
    });
    t.equal(presences[guest.id]!.active_timestamp, Math.floor(Date.parse(date_joined) / 1000));
    t.ok(presences[guest.id]!.idle_timestamp >= presences[guest.id]!.active_timestamp);
  });

  await t.test('a user who hides goes offline at once, and comes back at once', async (t) => {
    await report(member);
    const queue = await listenToPresence(owner, { event_types: ['presence', 'message', 'user_settings'] });
    const own = await listenToPresence(member, { event_types: ['presence', 'message', 'user_settings'] });
    await member.api.ok('PATCH /settings', { presence_enabled: false });
    const [event] = await queue.take(1);
    const { website } = event!.presence as { website: Reported };
    t.match(event, { type: 'presence', user_id: member.id, email: member.email });
    t.match(website, { client: 'website', status: 'idle', pushable: false });
    t.equal(Math.floor(Number(event!.server_timestamp)) - website.timestamp, 320);
    t.same(
      (await own.take(2)).map((one) => one.type),
      ['user_settings', 'presence'],
    );
    const unseen = async (title: string) => {
      t.notOk(member.email in (await all()), title);
      const state = await owner.api.ok<{ presences: Legacy }>('POST /register', { fetch_event_types: ['presence'] });
      t.notOk(member.email in state.presences, title);
      await refused(t, one(member.id), bad(`No presence data for ${member.id}`), title);
    };
    await unseen('hidden');
    const { presences } = await report(member);
    t.notOk(member.email in presences, 'a report is ignored');
    t.ok(moderator.email in presences, 'but answered');
    await unseen('still hidden');
    t.same(await presencesOf(queue), []);
    await member.api.ok('PATCH /settings', { presence_enabled: true });
    const [back] = await queue.take(1);
    t.match(back, { user_id: member.id, presence: { website: { status: 'active' } } });
    t.equal(
      (await all())[member.email]!.website.timestamp,
      (back!.presence as { website: Reported }).website.timestamp,
      'active now',
    );
    await member.api.ok('PATCH /settings', { presence_enabled: true });
    t.same(await presencesOf(queue), [], 'nothing changed');
  });

  await t.test('several clients agree after each published change', async (t) => {
    const fresh = await makeOrganization(server, ['member', 'guest']);
    const people = [fresh.owner, fresh.member, fresh.guest];
    await verifyAction(t, 'a first report', people, () => report(fresh.member));
    await verifyAction(t, 'hiding', people, () => fresh.member.api.ok('PATCH /settings', { presence_enabled: false }));
    await verifyAction(t, 'coming back', people, () =>
      fresh.member.api.ok('PATCH /settings', { presence_enabled: true }),
    );
  });
};
