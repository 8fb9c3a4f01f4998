/** Settings of followed topics, which newer levels alone have (docs/api/users.md § Settings of newer levels). */
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { atLevel } from '../../support/levels.js';
import { addPerson, makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
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
  automatically_follow_topics_policy: [4, 1],
  automatically_unmute_topics_in_muted_streams_policy: [4, 2],
  automatically_follow_topics_where_mentioned: [false, true],
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

  await t.test('topics are followed or unmuted when the user takes part in them, as the settings say', async (t) => {
    const { admin, moderator } = org;
    const by = atLevel(admin);
    await subscribe(owner, ['open', 'quiet'], { principals: [owner, admin, moderator] });
    const [open, quiet] = [await streamIdOf(owner, 'open'), await streamIdOf(owner, 'quiet')];
    const muted = { stream_id: quiet, property: 'is_muted', value: true };
    await by.api.ok('POST /users/me/subscriptions/properties', { subscription_data: [muted] });
    const queue = await Queue.register(org.admin, { event_types: ['user_topic', 'message'] });
    const policies = async (): Promise<unknown[][]> =>
      (await settled(queue))
        .filter(({ type }) => type === 'user_topic')
        .map(({ topic_name, visibility_policy }) => [topic_name, visibility_policy]);
    const set = (params: Params) => by.api.ok('PATCH /settings', params);
    const policyOf = async (stream: number, topic: string): Promise<unknown> => {
      const params = { fetch_event_types: ['user_topic'] };
      const topics = (await by.api.ok<{ user_topics: Fields[] }>('POST /register', params)).user_topics;
      return topics.find((one) => one.stream_id === stream && one.topic_name === topic)?.visibility_policy;
    };
    const follow = (automatically_follow_topics_policy: number) => set({ automatically_follow_topics_policy });
    const unmute = (automatically_unmute_topics_in_muted_streams_policy: number) =>
      set({ automatically_unmute_topics_in_muted_streams_policy });
    const reactIn = async (stream: string, topic: string) => {
      const message_id = await say(owner, stream, topic);
      await by.api.ok('POST /messages/{message_id}/reactions', { message_id, emoji_name: 'tada' });
    };
    const becomes = async (stream: number, topic: string, policy: unknown) =>
      until(`${topic} has policy ${policy}`, async () => (await policyOf(stream, topic)) === policy, 10_000);

    await say(admin, 'open', 'by default');
    await reactIn('open', 'by default');
    t.same(await policies(), [], 'by default nothing is followed');

    await follow(3);
    await say(owner, 'open', 'begun by others');
    await say(admin, 'open', 'begun by others');
    await say(admin, 'open', 'own');
    await becomes(open, 'own', 3);
    t.equal(await policyOf(open, 'begun by others'), undefined, 'only the first message counts');

    await follow(2);
    await reactIn('open', 'reacted');
    await say(admin, 'open', 'Begun by Others');
    await becomes(open, 'Begun by Others', 3);
    t.equal(await policyOf(open, 'reacted'), undefined, 'a reaction is no message');

    await follow(1);
    await reactIn('open', 'reacted');
    await becomes(open, 'reacted', 3);
    const poll = await say(owner, 'open', 'voted', '/poll Which?');
    await by.api.ok('POST /submessage', {
      message_id: poll,
      msg_type: 'widget',
      content: '{"type":"new_option","idx":1,"option":"x"}',
    });
    await becomes(open, 'voted', 3);

    await follow(4);
    await unmute(2);
    await say(admin, 'open', 'not muted');
    await say(admin, 'quiet', 'loud');
    await becomes(quiet, 'loud', 2);
    await by.api.ok('POST /user_topics', { stream_id: quiet, topic: 'kept', visibility_policy: 3 });
    await say(admin, 'quiet', 'kept');
    await by.api.ok('POST /user_topics', { stream_id: quiet, topic: 'hidden', visibility_policy: 1 });
    await say(admin, 'quiet', 'hidden');
    await becomes(quiet, 'hidden', 2);
    t.same([await policyOf(open, 'not muted'), await policyOf(quiet, 'kept')], [undefined, 3]);

    await unmute(4);
    await set({ automatically_follow_topics_where_mentioned: true });
    await by.api.ok('POST /user_topics', { stream_id: open, topic: 'no', visibility_policy: 1 });
    await say(owner, 'open', 'no', `@**${admin.name}**`);
    await say(owner, 'open', 'silent', `@_**${admin.name}**`);
    await say(admin, 'open', 'own name', `@**${admin.name}**`);
    await say(owner, 'open', 'called', `@**${admin.name}**`);
    await becomes(open, 'called', 3);
    t.same(
      [await policyOf(open, 'no'), await policyOf(open, 'silent'), await policyOf(open, 'own name')],
      [1, undefined, undefined],
    );
    await admin.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['open'] });
    await say(owner, 'open', 'left', `@**${admin.name}**`);
    await subscribe(admin, 'open');
    await say(owner, 'open', 'back', `@**${admin.name}**`);
    await becomes(open, 'back', 3);
    t.equal(await policyOf(open, 'left'), undefined, 'only subscribers follow');
    const told = await policies();
    t.ok(told.length > 0 && told.every(([topic]) => topic !== 'left'), 'the events go to the user');
    await set(INITIAL);
  });
};
