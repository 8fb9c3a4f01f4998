/** Settings of followed topics, which newer levels alone have (docs/api/users.md § Settings of newer levels). */
import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { atLevel } from '../../support/levels.js';
import { addPerson, makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { Follower } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

/** The settings, each with its default and another value. */
const SETTINGS: Readonly<Record<string, readonly [initial: unknown, other: unknown]>> = {
  enable_followed_topic_desktop_notifications: [true, false],
  enable_followed_topic_email_notifications: [true, false],
  enable_followed_topic_push_notifications: [true, false],
  enable_followed_topic_audible_notifications: [true, false],
  enable_followed_topic_wildcard_mentions_notify: [true, false],
};
const NAMES = Object.keys(SETTINGS);
const INITIAL = Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name]![0]]));
const OTHER = Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name]![1]]));

const stateOf = async (by: Person, section: string): Promise<Fields> =>
  (await by.api.ok('POST /register', { fetch_event_types: [section] }))[section] as Fields;

export const followedTopics: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner } = org;
  const member = atLevel(org.member);

  await t.test('each setting has its default, is stored, and is published once', async (t) => {
    t.match(await stateOf(member, 'user_settings'), INITIAL);
    const queue = await Queue.register(member, { event_types: ['user_settings'] });
    const follower = await Follower.start(member, 'mobile client of today');
    for (const [property, [initial, value]] of Object.entries(SETTINGS)) {
      await member.api.ok('PATCH /settings', { [property]: value });
      await member.api.ok('PATCH /settings', { [property]: value });
      t.match(await queue.take(1), [{ type: 'user_settings', op: 'update', property, value }], property);
      t.match(await stateOf(member, 'user_settings'), { [property]: value }, property);
      await follower.verify(t, property);
      await member.api.ok('PATCH /settings', { [property]: initial });
      t.match(await queue.take(1), [{ property, value: initial }], `${property} again`);
    }
    await follower.queue.delete();
    const lower = atLevel(org.member, 277).api;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'enable_followed_topic_audible_notifications=false';
    const answer = await lower.raw({ method: 'PATCH', path: '/api/v1/settings', headers: form, body });
    t.same(answer.body, { result: 'success', msg: '' }, 'the lowest newer level has the settings, too');
    t.match(await stateOf(member, 'user_settings'), { enable_followed_topic_audible_notifications: false });
    await member.api.ok('PATCH /settings', INITIAL);
  });

  await t.test('wrong values are refused, and nothing of the request is stored', async (t) => {
    for (const [name, [initial]] of Object.entries(SETTINGS)) {
      const msg = typeof initial === 'boolean' ? `${name} is not a boolean` : `Invalid ${name}`;
      for (const operation of ['PATCH /settings', 'PATCH /realm/user_settings_defaults']) {
        const params = { dense_mode: false, [name]: 5 };
        await refused(t, atLevel(owner).api.call(operation, params), bad(msg), `${operation}: ${msg}`);
      }
    }
    t.match(await stateOf(atLevel(owner), 'user_settings'), { dense_mode: true, ...INITIAL });
    const anonymous = await atLevel({ ...owner, api: org.nobody }).api.call('PATCH /settings', OTHER);
    t.equal(anonymous.status, 401);
  });

  await t.test('administrators set what new accounts begin with', async (t) => {
    const queue = await Queue.register(member, { event_types: ['realm_user_settings_defaults'] });
    const base = await Queue.register(org.member, { event_types: ['message', 'realm_user_settings_defaults'] });
    t.match(await stateOf(member, 'realm_user_settings_defaults'), INITIAL);
    t.equal((await member.api.call('PATCH /realm/user_settings_defaults', OTHER)).status, 400, 'not by members');
    await atLevel(owner).api.ok('PATCH /realm/user_settings_defaults', OTHER);
    const told = await queue.take(NAMES.length);
    t.same(Object.fromEntries(told.map(({ property, value }) => [property, value])), OTHER);
    t.match(await stateOf(member, 'realm_user_settings_defaults'), OTHER);
    const newcomer = await addPerson(org, 'newcomer', 'member');
    t.match(await stateOf(atLevel(newcomer), 'user_settings'), OTHER);
    t.match(await stateOf(member, 'user_settings'), INITIAL, 'older accounts keep theirs');
    t.same(await settled(base), [], 'clients of the base level learn nothing');
    await atLevel(owner).api.ok('PATCH /realm/user_settings_defaults', INITIAL);
  });

  await t.test('clients of the base level do not know the settings', async (t) => {
    const queues = await Promise.all([
      Queue.register(org.other),
      Queue.register(org.other, { client_capabilities: { user_settings_object: true } }),
    ]);
    for (const { state } of queues) {
      const shown = { ...state, ...(state.user_settings as Fields), ...(state.realm_user_settings_defaults as Fields) };
      for (const name of NAMES) t.notOk(name in shown, name);
    }
    const { ignored_parameters_unsupported } = await org.other.api.ok('PATCH /settings', OTHER as Params);
    t.same(ignored_parameters_unsupported, [...NAMES].sort());
    t.match(await stateOf(atLevel(org.other), 'user_settings'), INITIAL, 'and cannot set them');
    await atLevel(org.other).api.ok('PATCH /settings', OTHER);
    for (const queue of queues) {
      const told = (await settled(queue)).filter(({ type }) => type !== 'message');
      t.same(told, [], 'no event');
    }
    await atLevel(org.other).api.ok('PATCH /settings', INITIAL);
  });
};
