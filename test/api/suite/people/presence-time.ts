/** Timed changes of presence, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { readOrRenewUserApiKey } from '#app/admin';
import type { Store } from '#ports/store';
import { FakeClock } from '../../../support/fake-clock.js';
import type { Params } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { interceptMethods } from '../../support/intercept.js';
import { crowd, makeOrganization, type Person } from '../../support/organization.js';
import { type Legacy, listenToPresence, presencesOf, type Slim } from './presence.js';

/** The Store; records the keys of written roots. */
const counted = (store: Store, commits: string[]): Store =>
  interceptMethods(store, ['commit'], (call, [commit]) => {
    commits.push((commit as Parameters<Store['commit']>[0]).key);
    return call();
  });

export async function presenceTime(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const commits: string[] = [];
  const server = await startEmbedded({
    clock,
    adjust: (ports) => ({ ...ports, actors: { ...ports.actors!, store: counted(ports.actors!.store, commits) } }),
  });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['member', 'other']);
  const { owner, member, other } = org;
  const report = (by: Person, status: 'active' | 'idle', params: Params = {}) =>
    by.api.ok<{ presences: Legacy }>('POST /users/me/presence', { status, ...params });
  const slim = async (of: Person): Promise<Slim[string] | undefined> => {
    const state = await owner.api.ok<{ presences: Slim }>('POST /register', {
      fetch_event_types: ['presence'],
      slim_presence: true,
    });
    return state.presences[of.id];
  };
  const one = async (of: Person) =>
    (
      await owner.api.ok<{ presence: Legacy[string] }>('GET /users/{user_id_or_email}/presence', {
        user_id_or_email: of.id,
      })
    ).presence;
  const seconds = (): number => Math.floor(clock.now() / 1000);
  /** Moves the clock to a whole second, so that compared times are not truncated. */
  const pass = (s: number): Promise<void> => clock.advanceAsync(s * 1_000);
  await clock.advanceAsync(1_000 - (clock.now() % 1_000));

  await t.test('the times of a presence change at most every 55 seconds', async (t) => {
    const start = seconds();
    await report(member, 'active');
    await pass(55);
    await report(member, 'active');
    t.same(await slim(member), { active_timestamp: start, idle_timestamp: start });
    await pass(1);
    await report(member, 'idle');
    t.same(await slim(member), { active_timestamp: start, idle_timestamp: start + 56 });
    await report(member, 'active');
    t.same(await slim(member), { active_timestamp: start + 56, idle_timestamp: start + 56 });
  });

  await t.test('activity after more than 130 seconds without any is published', async (t) => {
    await report(member, 'active');
    const queue = await listenToPresence(owner);
    await pass(130);
    await report(member, 'idle');
    await report(member, 'active');
    t.same(await presencesOf(queue), [], 'after 130');
    await pass(131);
    await report(member, 'idle');
    t.same(await presencesOf(queue), [], 'idling is not');
    await report(member, 'active');
    const news = await presencesOf(queue);
    t.match(news, [{ presence: { website: { status: 'active', timestamp: seconds() } } }]);
    t.equal(news.length, 1);
  });

  await t.test('a user is idle after 70 seconds without activity, offline after 200 without a report', async (t) => {
    await report(member, 'active');
    const start = (await slim(member))!.active_timestamp;
    await pass(70 - (seconds() - start));
    await report(member, 'idle');
    t.same(await one(member), {
      aggregated: { status: 'active', timestamp: start },
      website: { status: 'active', timestamp: start },
    });
    await pass(60);
    await report(member, 'idle');
    const last = seconds();
    t.same(await one(member), {
      aggregated: { status: 'idle', timestamp: last },
      website: { status: 'idle', timestamp: last },
    });
    await pass(200);
    t.equal((await one(member)).aggregated.status, 'idle', 'not yet');
    await pass(1);
    t.same(await one(member), {
      aggregated: { status: 'offline', timestamp: last },
      website: { status: 'idle', timestamp: last },
    });
    const { presences } = await owner.api.ok<{ presences: Legacy }>('GET /realm/presence');
    t.equal(presences[member.email]!.aggregated.status, 'idle', 'lists do not say offline');
  });

  await t.test('after two weeks a presence is in no list, but still stored', async (t) => {
    await report(other, 'active');
    const last = seconds();
    clock.leap(14 * 86_400_000);
    t.ok(await slim(other), 'two weeks');
    clock.leap(1_000);
    t.equal(await slim(other), undefined, 'longer');
    t.equal((await one(other)).website.timestamp, last);
  });

  await t.test('reported presence survives a restart', async (t) => {
    await report(member, 'active');
    const before = await slim(member);
    await server.restart();
    t.same(await slim(member), before);
  });

  await t.test('a thousand reports make one commit a minute', async (t) => {
    const ids = await crowd(org, 20);
    const state = await owner.api.ok<{ realm_users: { user_id: number; email: string }[] }>('POST /register', {
      fetch_event_types: ['realm_user'],
    });
    const emails = state.realm_users.filter(({ user_id }) => ids.includes(user_id)).map(({ email }) => email);
    const people = await Promise.all(emails.map(async (email) => ({ ...member, email, api: await asPerson(email) })));
    await pass(61);
    const before = commits.length;
    const rounds = 50;
    for (let i = 0; i < rounds; i++) {
      await Promise.all(people.map((by) => report(by, 'active', { ping_only: true })));
      await pass(6);
    }
    // 50 rounds of 20 reports, 6 seconds apart.
    const made = commits.slice(before);
    const flushes = made.filter((key) => key === `presence/${org.realm}`).length;
    t.ok(flushes >= 4 && flushes <= 6, `${flushes} commits in five minutes`);
    t.ok(made.length <= 10, 'others wrote nothing but what they tidy up when they leave memory');
  });

  async function asPerson(email: string) {
    const key = await readOrRenewUserApiKey(server.actors, server.secrets, org.realm, email);
    return member.api.with({ authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}` });
  }
}
