/** Personal settings of subscriptions, and looking at single streams: streams.md. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiStream } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NO_STREAM = bad('Invalid stream ID');

export const streamSettings: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(member, ['open', 'second'], { principals: [member, guest] });
  await subscribe(member, 'closed', { invite_only: true, principals: [member, other] });
  const [open, second, closed] = [
    await streamIdOf(member, 'open'),
    await streamIdOf(member, 'second'),
    await streamIdOf(member, 'closed'),
  ];
  const set = (subscription_data: unknown, by: Person = member) =>
    by.api.call('POST /users/me/subscriptions/properties', { subscription_data });
  const own = async (id: number, by: Person = member) =>
    (await by.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions')).subscriptions.find(
      (one) => one.stream_id === id,
    )!;

  await t.test('each property is set and published, also when nothing changes', async (t) => {
    const queue = await Queue.register(member, { event_types: ['subscription', 'message'] });
    const stranger = await Queue.register(guest, { event_types: ['subscription', 'message'] });
    const told = async () =>
      (await settled(queue)).map(({ op, property, value, stream_id }) => [op, property, value, stream_id]);
    const values: [string, unknown][] = [
      ['color', '#c2726a'],
      ['color', '#f00'],
      ['pin_to_top', true],
      ['pin_to_top', true],
      ['desktop_notifications', true],
      ['audible_notifications', false],
      ['push_notifications', true],
      ['email_notifications', false],
      ['wildcard_mentions_notify', false],
    ];
    for (const [property, value] of values) {
      t.equal((await set([{ stream_id: open, property, value }])).status, 200, property);
      t.same(await told(), [['update', property, value, open]]);
      t.equal((await own(open))[property], value);
    }
    const both = (muted: boolean) => [
      ['update', 'in_home_view', !muted, open],
      ['update', 'is_muted', muted, open],
    ];
    for (const [property, value, muted] of [
      ['is_muted', true, true],
      ['in_home_view', false, true],
      ['in_home_view', true, false],
      ['is_muted', false, false],
    ] as const) {
      await set([{ stream_id: open, property, value, more: 'tolerated' }]);
      t.same(await told(), both(muted), `${property} ${value}`);
      t.same([(await own(open)).is_muted, (await own(open)).in_home_view], [muted, !muted]);
    }
    t.same(await settled(stranger), [], 'nobody else hears of it');
  });

  await t.test('entries are applied one by one; those before an error are kept', async (t) => {
    await refused(
      t,
      set([
        { stream_id: open, property: 'color', value: '#111111' },
        { stream_id: second, property: 'pin_to_top', value: true },
        { stream_id: open, property: 'nonsense', value: true },
        { stream_id: open, property: 'color', value: '#222222' },
      ]),
      bad('Unknown subscription property: nonsense'),
    );
    t.same([(await own(open)).color, (await own(second)).pin_to_top], ['#111111', true]);
  });

  await t.test('values of properties are checked', async (t) => {
    const one = (stream_id: unknown, property: unknown, value: unknown) => set([{ stream_id, property, value }]);
    await refused(t, set({}), bad('subscription_data is not a list'));
    await refused(
      t,
      set([{ property: 'color', value: '#abc' }]),
      bad('stream_id key is missing from subscription_data[0]'),
    );
    await refused(
      t,
      set([{ stream_id: open, property: 'color' }]),
      bad('value key is missing from subscription_data[0]'),
    );
    await refused(t, one('x', 'color', '#abc'), bad('subscription_data[0]["stream_id"] is not an integer'));
    for (const value of [1, null, []]) {
      await refused(t, one(open, 'color', value), bad('subscription_data[0]["value"] is not an allowed_type'));
    }
    await refused(t, member.api.call('POST /users/me/subscriptions/properties'), missing('subscription_data'));
    await refused(t, one(open, 'color', 'red'), bad('color is not a valid hex color code'));
    await refused(t, one(open, 'color', true), bad('color is not a string'));
    await refused(t, one(open, 'pin_to_top', 'x'), bad('pin_to_top is not a boolean'));
    await refused(t, one(open, '__proto__', true), bad('Unknown subscription property: __proto__'));
    await refused(t, one(987_654, 'pin_to_top', true), NO_STREAM);
    for (const by of [owner, moderator, guest, elsewhere.owner]) {
      await refused(t, set([{ stream_id: closed, property: 'color', value: '#abc' }], by), NO_STREAM, by.role);
    }
    await refused(
      t,
      set([{ stream_id: open, property: 'color', value: '#abc' }], owner),
      bad(`Not subscribed to stream id ${open}`),
    );
  });

  await t.test('the older form sets the colour', async (t) => {
    const patch = (stream_id: number, property: string, value: string, by: Person = member) =>
      by.api.call('PATCH /users/me/subscriptions/{stream_id}', { stream_id, property, value });
    t.equal((await patch(open, 'color', '#123456')).status, 200);
    t.equal((await own(open)).color, '#123456');
    await refused(t, patch(open, 'pin_to_top', 'true'), bad('pin_to_top is not a boolean'));
    await refused(t, patch(open, 'x', '1'), bad('Unknown subscription property: x'));
    await refused(t, patch(open, 'color', 'red'), bad('color is not a valid hex color code'));
    await refused(t, patch(closed, 'color', '#abc', guest), NO_STREAM);
    await refused(t, patch(open, 'color', '#abc', other), bad(`Not subscribed to stream id ${open}`));
  });

  await t.test(
    'one stream, its subscribers, and a subscription status are given to users who may see them',
    async (t) => {
      const may: Record<string, [boolean, boolean]> = {
        owner: [true, true],
        admin: [true, true],
        moderator: [true, false],
        member: [true, true],
        other: [true, true],
        guest: [true, false],
      };
      for (const person of org.people) {
        for (const [i, stream_id] of [open, closed].entries()) {
          const calls: [string, Params, (body: Record<string, unknown>) => unknown, unknown][] = [
            [
              'GET /streams/{stream_id}',
              { stream_id },
              ({ stream }) => (stream as ApiStream).name,
              i === 0 ? 'open' : 'closed',
            ],
            [
              'GET /streams/{stream_id}/members',
              { stream_id },
              ({ subscribers }) => subscribers,
              (i === 0 ? [member.id, guest.id] : [member.id, other.id]).sort((a, b) => a - b),
            ],
            [
              'GET /users/{user_id}/subscriptions/{stream_id}',
              { user_id: guest.id, stream_id },
              ({ is_subscribed }) => is_subscribed,
              i === 0,
            ],
          ];
          for (const [operation, params, pick, expected] of calls) {
            const call = person.api.call(operation, params);
            if (may[person.role]![i]) t.same(pick((await call).body), expected, `${operation} as ${person.role}`);
            else await refused(t, call, NO_STREAM, `${operation} as ${person.role}`);
          }
        }
      }
      for (const operation of ['GET /streams/{stream_id}', 'GET /streams/{stream_id}/members']) {
        await refused(t, member.api.call(operation, { stream_id: 987_654 }), NO_STREAM);
        await refused(t, elsewhere.owner.api.call(operation, { stream_id: closed }), NO_STREAM, 'another organization');
      }
      const status = (user_id: number, stream_id: number) =>
        member.api.call('GET /users/{user_id}/subscriptions/{stream_id}', { user_id, stream_id });
      await refused(t, status(987_654, open), bad('No such user'));
      await refused(t, status(1, open), bad('No such user'), 'a system bot');
      await refused(t, status(guest.id, 987_654), NO_STREAM);
      await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['second'] });
      t.equal((await status(member.id, second)).body.is_subscribed, false);
      await refused(
        t,
        guest.api.call('GET /streams/{stream_id}', {
          stream_id: await subscribe(admin, 'not for guests').then(() => streamIdOf(admin, 'not for guests')),
        }),
        NO_STREAM,
        'a public stream, for a guest who is not in it',
      );
    },
  );
};
