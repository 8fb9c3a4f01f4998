/** POST and GET /users/me/subscriptions: streams.md. */

import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { makeOrganization, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiStream } from '../../support/types.js';
import type { Facts } from '../facts.js';

const PALETTE = ['#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55'];

export const subscribing: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  const call = (subscriptions: unknown, params: Params = {}, by = member) =>
    by.api.call('POST /users/me/subscriptions', { subscriptions, ...params });
  const mine = async (by = member, params: Params = {}) =>
    (await by.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions', params)).subscriptions;
  const stream = async (name: string, by = member) => (await mine(by)).find((one) => one.name === name)!;

  await t.test('missing streams are made and existing ones joined, in any case of the name', async (t) => {
    t.same((await call([{ name: ' Alpha ', description: 'the\nfirst' }, { name: 'beta' }])).body, {
      result: 'success',
      msg: '',
      subscribed: { [member.email]: ['Alpha', 'beta'] },
      already_subscribed: {},
    });
    t.same((await call([{ name: 'ALPHA' }, { name: 'gamma' }, { name: 'Gamma' }])).body, {
      result: 'success',
      msg: '',
      subscribed: { [member.email]: ['gamma'] },
      already_subscribed: { [member.email]: ['Alpha'] },
    });
    t.same(
      (await mine()).map((one) => one.name),
      ['Alpha', 'beta', 'gamma'],
      'sorted by name',
    );
    t.equal((await stream('Alpha')).description, 'the first');
    const others = await subscribe(other, 'alpha');
    t.same(others.subscribed, { [other.email]: ['Alpha'] });
    t.equal(await streamIdOf(other, 'Alpha'), (await stream('Alpha')).stream_id);
  });

  await t.test('a description whose formula is too long to typeset has no HTML', async (t) => {
    const description = `$$\\def\\a{${'é'.repeat(300)}}${'\\a '.repeat(100)}$$`;
    t.equal((await call([{ name: 'formula', description }])).status, 200);
    const { stream_id } = await stream('formula');
    t.match(await stream('formula'), { description, rendered_description: '' });
    for (const change of ['plain', description])
      await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, description: change });
    t.match(await stream('formula'), { description, rendered_description: '' });
  });

  await t.test('several users are subscribed at once, by ids or addresses', async (t) => {
    await subscribe(other, 'together');
    const { body } = await call([{ name: 'together' }], { principals: [other.id, admin.id, guest.id] }, owner);
    t.same(body.subscribed, { [admin.email]: ['together'], [guest.email]: ['together'] });
    t.same(body.already_subscribed, { [other.email]: ['together'] });
    const again = await call([{ name: 'together' }], { principals: [admin.email.toUpperCase(), owner.email] }, owner);
    t.same(again.body.subscribed, { [owner.email]: ['together'] });
    const subscribers = (await mine(guest, { include_subscribers: true })).find(
      (one) => one.name === 'together',
    )!.subscribers;
    t.same(
      subscribers,
      [owner, admin, other, guest].map((one) => one.id).sort((a, b) => a - b),
    );
  });

  await t.test('a call with many streams for several users does all of it, or nothing', async (t) => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `hall ${i}`, description: `${i} `.repeat(120).slice(0, 500) }));
    const people = [owner, admin, member, other, guest];
    const principals = people.map(({ id }) => id);
    const tooMany = bad('subscriptions has too many items (limit: 1000)');
    await refused(t, call(many(1_001), { principals }, owner), tooMany);
    const names = many(1_001).map(({ name }) => name);
    await refused(t, owner.api.call('DELETE /users/me/subscriptions', { subscriptions: names }), tooMany);
    const patch = (params: Params) => owner.api.call('PATCH /users/me/subscriptions', params);
    await refused(t, patch({ add: many(1_001) }), bad('add has too many items (limit: 1000)'));
    await refused(t, patch({ delete: names }), bad('delete has too many items (limit: 1000)'));
    const crowd = Array.from({ length: 101 }, () => member.id);
    t.same((await call(many(1), { principals: [...crowd, ...principals] }, owner)).status, 200);
    const queue = await Queue.register(member, { event_types: ['subscription'], fetch_event_types: [] });
    const { body } = await call(many(400), { principals }, owner);
    const expected = many(400).map(({ name }) => name);
    for (const { email } of people) {
      const { subscribed, already_subscribed } = body as Record<string, Record<string, string[]>>;
      t.same(subscribed![email], expected.slice(1));
      t.same(already_subscribed![email], ['hall 0']);
    }
    const namesIn = (events: readonly ApiEvent[]): string[] =>
      events
        .filter(({ op }) => op === 'add')
        .flatMap(({ subscriptions }) => (subscriptions as ApiStream[]).map(({ name }) => name));
    const added = namesIn(await queue.until((events) => namesIn(events).length >= 399));
    t.same(added.sort(), expected.slice(1).sort(), 'each is told once');
    for (const person of [member, guest]) {
      const own = (await mine(person, { include_subscribers: true })).filter(({ name }) => name.startsWith('hall '));
      t.same(own.map(({ name }) => name).sort(), [...expected].sort());
      t.ok(own.every(({ subscribers }) => principals.every((id) => subscribers!.includes(id))));
    }
  });

  await t.test('a subscription has the requested colour, or the next free one of the palette', async (t) => {
    const fresh = org.moderator;
    await subscribe(fresh, ['c1', 'c2', 'c3']);
    t.same(
      (await mine(fresh)).map((one) => one.color),
      PALETTE.slice(0, 3),
    );
    await fresh.api.ok('POST /users/me/subscriptions', {
      subscriptions: [
        { name: 'c4', color: PALETTE[4] },
        { name: 'c5', color: '#abc' },
      ],
    });
    await subscribe(fresh, ['c6', 'c7']);
    t.same(
      (await mine(fresh)).slice(3).map((one) => one.color),
      [PALETTE[4], '#abc', PALETTE[3], PALETTE[5]],
    );
  });

  await t.test('a new subscription has the default properties', async (t) => {
    await subscribe(member, 'usual');
    const made = await stream('usual');
    t.match(made, {
      name: 'usual',
      description: '',
      rendered_description: '',
      invite_only: false,
      is_web_public: false,
      history_public_to_subscribers: true,
      stream_post_policy: 1,
      is_announcement_only: false,
      message_retention_days: null,
      is_muted: false,
      in_home_view: true,
      pin_to_top: false,
      desktop_notifications: null,
      audible_notifications: null,
      push_notifications: null,
      email_notifications: null,
      wildcard_mentions_notify: null,
      email_address: '',
      stream_weekly_traffic: null,
    });
    t.notOk('subscribers' in made);
  });

  await t.test('attributes apply only to streams that the call makes', async (t) => {
    const attributes = {
      invite_only: true,
      history_public_to_subscribers: true,
      stream_post_policy: 2,
      can_remove_subscribers_group_id: 3,
    };
    await subscribe(member, ['usual', 'special'], attributes);
    const shape = ({
      invite_only,
      history_public_to_subscribers,
      stream_post_policy,
      is_announcement_only,
      can_remove_subscribers_group_id,
    }: ApiStream) => [
      invite_only,
      history_public_to_subscribers,
      stream_post_policy,
      is_announcement_only,
      can_remove_subscribers_group_id,
    ];
    t.same(shape(await stream('special')), [true, true, 2, true, 3]);
    t.same(shape(await stream('usual')), [false, true, 1, false, 2]);
    await subscribe(member, 'protected', { invite_only: true });
    t.equal((await stream('protected')).history_public_to_subscribers, false);
    await subscribe(member, 'public anyway', { history_public_to_subscribers: false });
    t.equal((await stream('public anyway')).history_public_to_subscribers, true);
    await subscribe(owner, 'kept', { message_retention_days: 30 });
    await subscribe(owner, 'for ever', { message_retention_days: '"unlimited"' });
    await subscribe(owner, 'default', { message_retention_days: '"realm_default"' });
    const days = await Promise.all(
      ['kept', 'for ever', 'default'].map(async (name) => (await stream(name, owner)).message_retention_days),
    );
    t.same(days, [30, -1, null]);
  });

  await t.test('a private stream is opened only by its subscribers, not by administrators outside it', async (t) => {
    await subscribe(member, 'inner circle', { invite_only: true });
    for (const by of [owner, admin, other]) {
      await refused(
        t,
        call([{ name: 'inner circle' }], {}, by),
        bad('Unable to access stream (inner circle).'),
        by.role,
      );
    }
    const { body } = await call(
      [{ name: 'inner circle' }, { name: 'beta' }],
      { authorization_errors_fatal: false },
      other,
    );
    t.same(body, {
      result: 'success',
      msg: '',
      subscribed: { [other.email]: ['beta'] },
      already_subscribed: {},
      unauthorized: ['inner circle'],
    });
    const whole = await call([{ name: 'inner circle' }, { name: 'new one' }], {}, other);
    t.equal(whole.status, 400);
    t.notOk(
      (await mine(other)).some((one) => one.name === 'new one'),
      'all or nothing',
    );
    await subscribe(member, 'inner circle', { principals: [other] });
    t.ok((await mine(other)).some((one) => one.name === 'inner circle'));
    t.same((await call([{ name: 'beta' }], { authorization_errors_fatal: false }, other)).body.unauthorized, []);
  });

  await t.test('an error leaves the state unchanged', async (t) => {
    const queue = await Queue.register(member, { include_subscribers: true });
    const calls: [unknown, Params][] = [
      [[{ name: 'x1' }, { name: '' }], {}],
      [[{ name: 'x1' }], { principals: [other.id, 987_654] }],
      [[{ name: 'x1' }], { can_remove_subscribers_group_id: 8 }],
      [[{ name: 'x1' }], { message_retention_days: 5 }],
      [[{ name: 'x1' }, { name: 'x2', color: 'x' }], {}],
    ];
    for (const [subscriptions, params] of calls) t.not((await call(subscriptions, params)).status, 200);
    for (const params of [
      { type: 'stream', to: 'nowhere', topic: 'x', content: 'x' },
      { type: 'direct', to: [987_654], content: 'x' },
    ]) {
      t.equal((await member.api.call('POST /messages', params)).status, 400);
    }
    t.equal((await owner.api.call('POST /users', { email: 'x', password: 'x', full_name: 'xx' })).status, 400);
    const after = await Queue.register(member, { include_subscribers: true });
    const state = ({ queue_id: _, last_event_id: __, server_timestamp: ___, ...rest }: Record<string, unknown>) => rest;
    t.same(state(after.state), state(queue.state));
    t.same(await queue.now(), []);
  });

  await t.test('a new stream requested by many concurrent calls is made once', async (t) => {
    const people = [owner, admin, org.moderator, member, other];
    await Promise.all(people.map((by) => subscribe(by, 'rush')));
    const ids = await Promise.all(people.map((by) => streamIdOf(by, 'rush')));
    t.equal(new Set(ids).size, 1);
    const subscribers = (await mine(member, { include_subscribers: true })).find(
      (one) => one.name === 'rush',
    )!.subscribers;
    t.same(
      subscribers,
      people.map((one) => one.id).sort((a, b) => a - b),
    );
  });
};
