/** Topic visibility: streams.md § User topics. */
import { toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { addPerson, makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface ApiTopic extends Fields {
  readonly stream_id: number;
  readonly topic_name: string;
  readonly visibility_policy: number;
}

export const userTopics: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, member, other, guest } = org;
  await subscribe(owner, ['Bridge', 'Apron'], { principals: [owner, member, other] });
  await subscribe(owner, 'vault', { invite_only: true });
  const [bridge, apron, vault] = [
    await streamIdOf(owner, 'Bridge'),
    await streamIdOf(owner, 'Apron'),
    await streamIdOf(owner, 'vault'),
  ];
  const set = (stream_id: number, topic: string, visibility_policy: unknown, by: Person = member) =>
    by.api.call('POST /user_topics', { stream_id, topic, visibility_policy });
  const mute = (params: Record<string, unknown>, by: Person = member) =>
    by.api.call('PATCH /users/me/subscriptions/muted_topics', params);
  const state = async (by: Person = member) => {
    const { user_topics } = await by.api.ok('POST /register', { fetch_event_types: ['user_topic'] });
    return (user_topics as ApiTopic[]).map((of) => [of.stream_id, of.topic_name, of.visibility_policy]);
  };
  const muted = async (by: Person = member) => {
    const { muted_topics } = await by.api.ok('POST /register', { fetch_event_types: ['muted_topics'] });
    return (muted_topics as [string, string, number][]).map(([stream, topic]) => [stream, topic]);
  };
  const follow = () => Queue.register(member, { fetch_event_types: [] });

  await t.test('a policy is set, changed and taken back', async (t) => {
    const queue = await follow();
    await set(bridge, 'Rope', 1);
    await set(apron, 'linen', 1);
    t.same(await state(), [
      [apron, 'linen', 1],
      [bridge, 'Rope', 1],
    ]);
    t.same(await muted(), [
      ['Apron', 'linen'],
      ['Bridge', 'Rope'],
    ]);
    await set(bridge, 'rope', 2);
    await set(bridge, 'ROPE', 3);
    t.same(await state(), [
      [apron, 'linen', 1],
      [bridge, 'ROPE', 3],
    ]);
    await set(bridge, 'ropE', 0);
    t.same(await state(), [[apron, 'linen', 1]]);
    const events = await queue.take(10);
    const shown = events.map((event) =>
      event.type === 'muted_topics'
        ? (event.muted_topics as [string, string, number][]).map(([stream, topic]) => `${stream}/${topic}`)
        : [event.stream_id, event.topic_name, event.visibility_policy],
    );
    t.same(shown, [
      ['Bridge/Rope'],
      [bridge, 'Rope', 1],
      ['Apron/linen', 'Bridge/Rope'],
      [apron, 'linen', 1],
      ['Apron/linen'],
      [bridge, 'rope', 2],
      ['Apron/linen'],
      [bridge, 'ROPE', 3],
      ['Apron/linen'],
      [bridge, 'ropE', 0],
    ]);
    t.same(await state(other), [], 'nobody else is concerned');
    await set(apron, 'linen', 0);
  });

  await t.test('an unchanged policy changes nothing', async (t) => {
    await set(bridge, 'rope', 1);
    const queue = await follow();
    for (const call of [
      set(bridge, 'ROPE', 1),
      set(bridge, 'never heard of', 0),
      mute({ stream_id: bridge, topic: 'Rope', op: 'add' }),
      mute({ stream: 'bridge', topic: 'never heard of', op: 'remove' }),
    ]) {
      t.equal((await call).status, 200);
    }
    await set(bridge, 'followed', 3);
    t.equal((await mute({ stream: 'bridge', topic: 'followed', op: 'remove' })).status, 200, 'followed is not muted');
    t.same(
      (await queue.take(2)).map((event) => event.type),
      ['muted_topics', 'user_topic'],
    );
    t.same(await queue.now(), []);
    await set(bridge, 'rope', 0);
    await set(bridge, 'followed', 0);
  });

  await t.test('the older operation mutes by id and by name', async (t) => {
    await member.api.ok('PATCH /users/me/subscriptions/muted_topics', { stream_id: bridge, topic: 'a', op: 'add' });
    await member.api.ok('PATCH /users/me/subscriptions/muted_topics', { stream: 'APRON', topic: 'b', op: 'add' });
    t.same(await muted(), [
      ['Apron', 'b'],
      ['Bridge', 'a'],
    ]);
    for (const [stream, topic] of [
      ['Bridge', 'A'],
      ['Apron', 'B'],
    ]) {
      await member.api.ok('PATCH /users/me/subscriptions/muted_topics', { stream, topic, op: 'remove' });
    }
    t.same(await muted(), []);
  });

  await t.test('refusals of POST /user_topics', async (t) => {
    await refused(t, set(999_999, 'x', 1), bad('Invalid stream ID'));
    await refused(t, set(999_999, 'x', 0), bad('Invalid stream ID'), 'taking back needs a stream, too');
    await refused(t, set(vault, 'x', 1), bad('Invalid stream ID'), 'a private stream');
    await refused(t, set(bridge, 'x', 2, guest), bad('Invalid stream ID'), 'a guest who is not subscribed');
    await refused(t, set(apron + 100, 'x', 1, elsewhere.owner), bad('Invalid stream ID'), 'of another organization');
    t.equal((await set(vault, 'x', 0)).status, 200, 'but no access');
    for (const policy of [9, -1]) await refused(t, set(bridge, 'x', policy), bad('Invalid visibility_policy'));
    await refused(t, set(bridge, 'x', [1]), bad('visibility_policy is not an integer'));
    await refused(t, set(bridge, 'x', 'a'), bad('Argument "visibility_policy" is not valid JSON.'));
    const { api } = member;
    await refused(t, api.call('POST /user_topics', { topic: 'x', visibility_policy: 1 }), missing('stream_id'));
    await refused(t, api.call('POST /user_topics', { stream_id: bridge, visibility_policy: 1 }), missing('topic'));
    await refused(t, api.call('POST /user_topics', { stream_id: bridge, topic: 'x' }), missing('visibility_policy'));
    await refused(t, org.nobody.call('POST /user_topics'), {
      status: 401,
      msg: 'Not logged in: API authentication or user session required',
    });
    t.same(await state(), []);
  });

  await t.test('refusals of PATCH /users/me/subscriptions/muted_topics', async (t) => {
    const add = { topic: 'x', op: 'add' };
    await refused(t, mute(add), bad("Please supply 'stream'."));
    await refused(
      t,
      mute({ ...add, stream: 'Bridge', stream_id: bridge }),
      bad("Please choose one: 'stream' or 'stream_id'."),
    );
    await refused(t, mute({ topic: 'x', op: 'x', stream: 'Bridge' }), bad('Invalid op'));
    await refused(t, mute({ ...add, stream_id: 999_999 }), bad('Invalid stream ID'));
    await refused(t, mute({ ...add, stream_id: vault }), bad('Invalid stream ID'));
    await refused(t, mute({ ...add, stream: 'nosuch' }), bad("Invalid stream name 'nosuch'"));
    await refused(t, mute({ ...add, stream: 'vault' }), bad("Invalid stream name 'vault'"));
    await refused(t, mute({ ...add, stream: 'Bridge' }, guest), bad("Invalid stream name 'Bridge'"));
    await refused(t, mute({ ...add, stream: 'Bridge' }, elsewhere.owner), bad("Invalid stream name 'Bridge'"));
    await refused(t, mute({ topic: 'x', op: 'remove', stream: 'nosuch' }), bad('Topic is not muted'));
    await refused(t, mute({ topic: 'x', op: 'remove', stream_id: 999_999 }), bad('Topic is not muted'));
    await refused(t, mute({ stream: 'Bridge', op: 'add' }), missing('topic'));
    await refused(t, mute({ stream: 'Bridge', topic: 'x' }), missing('op'));
    await refused(t, org.nobody.call('PATCH /users/me/subscriptions/muted_topics'), {
      status: 401,
      msg: 'Not logged in: API authentication or user session required',
    });
    t.same(await state(), []);
  });

  await t.test('topics of strange characters have policies, too', async (t) => {
    const topics = ['', ' blank ', 'a\0b', '\ud800', '/../sub/1', 'ß', '__proto__'];
    for (const topic of topics) t.equal((await set(bridge, topic, 1)).status, 200, JSON.stringify(topic));
    const longest = '\u{1F600}'.repeat(60);
    t.equal((await set(bridge, longest, 3)).status, 200);
    t.equal((await state()).length, topics.length + 1);
    for (const topic of [...topics, longest]) await set(bridge, topic, 0);
    t.same(await state(), []);
  });

  await t.test('topics are cut to 60 characters', async (t) => {
    const tooLong = bad('topic is too long (limit: 60 characters)');
    for (const topic of ['x'.repeat(61), 'x'.repeat(100_000)]) {
      for (const policy of [0, 1, 3]) await refused(t, set(bridge, topic, policy), tooLong);
      await refused(t, mute({ stream_id: bridge, topic, op: 'add' }), tooLong);
      await refused(t, mute({ stream_id: bridge, topic, op: 'remove' }), tooLong);
    }
    t.same(await state(), []);
  });

  await t.test('POST /register leaves the older list out where the newer one is requested', async (t) => {
    const keys = async (fetch_event_types: readonly string[] | undefined) => {
      const answer = await member.api.ok('POST /register', { fetch_event_types });
      return ['muted_topics', 'user_topics'].filter((name) => name in answer);
    };
    t.same(await keys(undefined), ['muted_topics', 'user_topics']);
    t.same(await keys(['muted_topics']), ['muted_topics']);
    t.same(await keys(['muted_topics', 'user_topic']), ['user_topics']);
    const queue = await Queue.register(member, { event_types: ['muted_topics', 'user_topic'] });
    await set(bridge, 'x', 1);
    t.same(
      (await queue.take(1)).map((event) => event.type),
      ['user_topic'],
    );
    await set(bridge, 'x', 0);
  });

  await t.test('the list of muted topics tells no name of a stream that the user may not see', async (t) => {
    await subscribe(owner, ['plain', 'former'], { principals: [owner] });
    await subscribe(member, 'former');
    await subscribe(owner, 'present', { principals: [owner, member] });
    const [plain, former] = [await streamIdOf(owner, 'plain'), await streamIdOf(owner, 'former')];
    const present = await streamIdOf(owner, 'present');
    for (const stream of [plain, former, present]) await set(stream, 'talk', 1);
    await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['former'] });
    for (const [stream_id, new_name] of [
      [plain, 'layoffs'],
      [former, 'more layoffs'],
      [present, 'known'],
    ] as const) {
      await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, is_private: true });
      await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, new_name });
    }
    t.same(await muted(), [['known', 'talk']]);
    const queue = await follow();
    await set(bridge, 'x', 1);
    const [event] = await queue.take(2);
    t.match(event, {
      type: 'muted_topics',
      muted_topics: [
        ['Bridge', 'x'],
        ['known', 'talk'],
      ],
    });
    t.notMatch(JSON.stringify(event), 'layoffs');
    for (const [stream, topic] of [
      [bridge, 'x'],
      [plain, 'talk'],
      [former, 'talk'],
      [present, 'talk'],
    ] as const)
      await set(stream, topic, 0);
  });

  await t.test(
    'muted topics of a private stream leave the list with the subscription, and come back with it',
    async (t) => {
      const by = await addPerson(org, 'returning');
      await subscribe(owner, 'lodge', { invite_only: true, principals: [owner, by] });
      await set(await streamIdOf(owner, 'lodge'), 'plans', 1, by);
      const queue = await Queue.register(by, { event_types: ['muted_topics', 'subscription', 'message'] });
      const listed = async () =>
        (await settled(queue))
          .filter(({ type }) => type !== 'message')
          .map(({ type, op, muted_topics }) =>
            type === 'muted_topics' ? (muted_topics as [string, string, number][]).map(([, topic]) => topic) : op,
          );
      await owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['lodge'], principals: [by.id] });
      t.same(await listed(), ['remove', []]);
      await subscribe(owner, 'lodge', { principals: [by] });
      t.same(await listed(), ['add', ['plans']]);
      t.same(await muted(by), [['lodge', 'plans']]);
      await subscribe(by, 'Bridge');
      t.same(await listed(), ['add'], 'a stream without muted topics');
    },
  );

  await t.test('muted topics are listed while the user can see their stream', async (t) => {
    const [outside, inside] = [await addPerson(org, 'outsider'), await addPerson(org, 'insider')];
    await subscribe(owner, 'gallery', { principals: [owner, inside] });
    const stream_id = await streamIdOf(owner, 'gallery');
    for (const by of [outside, inside]) {
      await set(stream_id, 'plans', 1, by);
      await set(stream_id, 'dinner', 2, by);
    }
    const register = (by: Person, type: string) => Queue.register(by, { event_types: [type, 'message'] });
    const [lists, topics] = [await register(outside, 'muted_topics'), await register(outside, 'user_topic')];
    const [listsInside, topicsInside] = [await register(inside, 'muted_topics'), await register(inside, 'user_topic')];
    const told = async (queue: Queue, count: number) => {
      const isTold = ({ type }: ApiEvent): boolean => type !== 'message';
      return (await queue.until((events) => events.filter(isTold).length >= count)).filter(isTold);
    };
    const listed = async (queue: Queue) => (await told(queue, 1)).map(({ muted_topics }) => muted_topics);
    const none = [[]];
    const { muted_topics } = await outside.api.ok('POST /register', { fetch_event_types: ['muted_topics'] });
    t.match(muted_topics, [['gallery', 'plans']]);
    const plans = [muted_topics];
    const change = (params: Params) => owner.api.ok('PATCH /streams/{stream_id}', { stream_id, ...params });
    await change({ is_private: true });
    t.same(await listed(lists), none, 'private');
    await change({ is_private: false });
    t.same(await listed(lists), plans, 'public');
    const become = (role: number) => owner.api.ok('PATCH /users/{user_id}', { user_id: outside.id, role });
    await become(600);
    t.same(await listed(lists), none, 'a guest');
    await become(400);
    t.same(await listed(lists), plans, 'a member');
    for (const queue of [topics, listsInside, topicsInside])
      t.same(
        (await settled(queue)).filter(({ type }) => type !== 'message'),
        [],
        'the policies are the same',
      );
    await owner.api.ok('DELETE /streams/{stream_id}', { stream_id });
    for (const queue of [lists, listsInside]) t.same(await listed(queue), none, 'archived');
    for (const queue of [topics, topicsInside]) {
      const ended = (await told(queue, 2)).map(({ topic_name, visibility_policy }) => [topic_name, visibility_policy]);
      t.same(ended.sort(), [
        ['dinner', 0],
        ['plans', 0],
      ]);
    }
  });

  await t.test('who lost access to a stream does not learn the new name of a topic there', async (t) => {
    const [removed, outside, demoted] = [
      await addPerson(org, 'removed'),
      await addPerson(org, 'outside'),
      await addPerson(org, 'demoted'),
    ];
    await subscribe(owner, 'inner', { invite_only: true, principals: [owner, removed, org.admin] });
    await subscribe(owner, ['closing', 'outer'], { principals: [owner] });
    const followed: { by: Person; stream: number; message: number }[] = [];
    for (const [by, name] of [
      [removed, 'inner'],
      [org.admin, 'inner'],
      [outside, 'closing'],
      [demoted, 'outer'],
    ] as const) {
      followed.push({ by, stream: await streamIdOf(owner, name), message: await say(owner, name, by.name) });
      await set(followed.at(-1)!.stream, by.name, 3, by);
    }
    const leaving = { subscriptions: ['inner'], principals: [removed.id, org.admin.id] };
    await owner.api.ok('DELETE /users/me/subscriptions', leaving);
    const closing = await streamIdOf(owner, 'closing');
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: closing, is_private: true });
    await owner.api.ok('PATCH /users/{user_id}', { user_id: demoted.id, role: 600 });
    for (const { by, stream, message: message_id } of followed) {
      const queue = await Queue.register(by, { event_types: ['user_topic', 'message'] });
      t.same(await state(by), [[stream, by.name, 3]], `${by.name} before`);
      const rename = { message_id, topic: 'too expensive', propagate_mode: 'change_all' };
      await owner.api.ok('PATCH /messages/{message_id}', rename);
      const events = (await settled(queue)).filter(({ type }) => type === 'user_topic');
      t.match(events, [{ topic_name: by.name, visibility_policy: 0 }], by.name);
      t.equal(events.length, 1, by.name);
      t.same(await state(by), [], `${by.name} after`);
    }
  });

  await t.test('snapshot + events = state', async (t) => {
    const verify = (title: string, action: () => Promise<unknown>) => verifyAction(t, title, [member, guest], action);
    const move = (from: string, to: string | null, targetExisted: boolean) =>
      server.actors.sendForValueOrThrow(
        userActorKey(org.realm, toUserId(member.id)),
        userActorCommands.moveTopicPolicy,
        {
          from: { stream: bridge, topic: from },
          to: to === null ? null : { stream: apron, topic: to },
          targetExisted,
        },
      );
    for (const topic of ['one', 'One', 'three']) await say(owner, 'Bridge', topic);
    interface Unread {
      readonly count: number;
      readonly streams: readonly { readonly stream_id: number; readonly unread_message_ids: readonly number[] }[];
    }
    const unread = async () => (await member.api.ok('POST /register')).unread_msgs as unknown as Unread;
    const before = await unread();
    const inBridge = before.streams
      .filter((of) => of.stream_id === bridge)
      .flatMap((of) => of.unread_message_ids).length;
    t.ok(inBridge > 2, 'there is something to count');
    await verify('a topic is muted', () => set(bridge, 'One', 1));
    t.equal((await unread()).count, before.count - 2, 'its unread messages do not count');
    const quiet = (value: boolean) =>
      member.api.ok('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: bridge, property: 'is_muted', value }],
      });
    await verify('a stream is muted', () => quiet(true));
    t.equal((await unread()).count, before.count - inBridge, 'nor do those of its other topics');
    await verify('and unmuted', () => quiet(false));
    t.equal((await unread()).count, before.count - 2);
    await verify('a topic is followed', () => set(bridge, 'two', 3));
    await verify('a policy is changed', () => set(bridge, 'one', 2));
    await verify('a policy is taken back', () => set(bridge, 'TWO', 0));
    await verify('a topic is moved', () => move('ONE', 'moved', false));
    t.same(await state(), [[apron, 'moved', 2]]);
    await set(bridge, 'one', 1);
    await verify('a topic is moved to one that was there', () => move('one', 'Moved', true));
    t.same(await state(), [[apron, 'moved', 2]], 'unmuted wins');
    await set(bridge, 'one', 1);
    await set(apron, 'moved', 3);
    await verify('policies that do not agree', () => move('one', 'moved', true));
    t.same(await state(), [], 'end as none');
    await set(bridge, 'one', 1);
    await verify('a topic is moved out of sight', () => move('one', null, false));
    t.same(await state(), []);
  });
};
