/** Snapshot + events = state, for every operation that changes something. */

import type { Params } from '../../support/client.js';
import {
  addPerson,
  makeOrganization,
  PASSWORD,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import { verifyAction, verifyRacing } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export const state: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  const people = org.people;
  const verify = (title: string, action: () => Promise<unknown>, by: readonly Person[] = people) =>
    t.test(title, (t) => verifyAction(t, title, by, action));
  const account = (name: string) => ({
    email: `${name}@${org.subdomain}.example.com`,
    password: PASSWORD,
    full_name: `Somebody ${name}`,
  });

  await verify('a public stream is made', () => subscribe(member, 'public'));
  await verify('several streams are made, for several people', () =>
    subscribe(owner, ['p1', 'p2', 'p3'], { principals: [member, other, guest] }),
  );
  await verify('a private stream is made', () => subscribe(member, 'private', { invite_only: true }));
  await verify('a private stream is made for others', () =>
    subscribe(member, 'private too', {
      invite_only: true,
      history_public_to_subscribers: true,
      principals: [other, guest],
    }),
  );
  await verify('an existing stream is joined', () => subscribe(other, 'public'));
  await verify('others are subscribed to an existing stream', () =>
    subscribe(owner, 'public', { principals: [admin, guest, moderator] }),
  );
  await verify('others are subscribed to an existing private stream', () =>
    subscribe(member, 'private', { principals: [admin, moderator, guest] }),
  );
  await verify('a subscription is repeated', () => subscribe(other, ['public', 'p1']));
  await verify('a stream gets its first message', () => say(member, 'p2', 'topic'));
  await verify('a stream gets another message', () => say(member, 'p2', 'topic'));
  await verify('a private stream gets a message', () => say(member, 'private', 'topic'));
  await verify('a direct message is sent', () => tell(member, [other]));
  await verify('a group gets a message', () => tell(member, [other, guest, owner]));
  await verify('a note to oneself is written', () => tell(other, [other]));
  await verify('an account is made', () => owner.api.ok('POST /users', account('one')));
  const patch = (id: number, params: Params, by = admin) =>
    by.api.ok('PATCH /streams/{stream_id}', { stream_id: id, ...params });
  const leave = (by: Person, subscriptions: string[], params: Params = {}) =>
    by.api.ok('DELETE /users/me/subscriptions', { subscriptions, ...params });
  const settings = (by: Person, stream_id: number, values: Record<string, unknown>) =>
    by.api.ok('POST /users/me/subscriptions/properties', {
      subscription_data: Object.entries(values).map(([property, value]) => ({ stream_id, property, value })),
    });
  await verify('a public stream is left', () => leave(other, ['public', 'p1']));
  await verify('others are unsubscribed', () => leave(owner, ['public'], { principals: [guest.id, moderator.id] }));
  await verify('a private stream is left', () => leave(guest, ['private', 'private too']));
  await verify('streams are left and joined in one call', () =>
    member.api.ok('PATCH /users/me/subscriptions', { add: [{ name: 'p4' }], delete: ['p1', 'p2'] }),
  );
  await verify('a stream is joined again', () => subscribe(other, ['public', 'p1', 'p2']));
  const p1 = await streamIdOf(other, 'p1');
  const p3 = await streamIdOf(other, 'p3');
  await verify('a subscription is set', () =>
    settings(other, p1, { color: '#123456', pin_to_top: true, push_notifications: false }),
  );
  await say(owner, 'p1', 'unread');
  await verify('a stream is muted', () => settings(other, p1, { is_muted: true }));
  await verify('and no longer', () => settings(other, p1, { in_home_view: true }));
  await verify('a stream is described and may be posted to by few', () =>
    patch(p3, { description: 'this and *that*', stream_post_policy: 4, can_remove_subscribers_group_id: 3 }),
  );
  await verify('a stream is renamed', () => patch(p3, { new_name: 'p3 renamed' }));
  await verify('a stream is made private', () => patch(p3, { is_private: true }));
  await verify('a private stream shares its history', () => patch(p3, { history_public_to_subscribers: true }));
  await subscribe(other, 'p3 renamed', { principals: [admin] });
  await verify('a private stream is made public', () => patch(p3, { is_private: false }));
  // Each role has a user who left; a member and a guest were never subscribed.
  const leavers = [owner, admin, moderator, other, guest];
  await subscribe(member, ['left by many', 'left by all'], { principals: [member, ...leavers] });
  for (const one of leavers) {
    for (const name of ['left by many', 'left by all']) {
      const stream_id = await streamIdOf(one, name);
      for (const visibility_policy of [1, 2])
        await one.api.ok('POST /user_topics', { stream_id, topic: `policy ${visibility_policy}`, visibility_policy });
    }
    await leave(one, ['left by many', 'left by all']);
  }
  const others = [await addPerson(org, 'a stranger'), await addPerson(org, 'a strange guest', 'guest')];
  const leftByMany = await streamIdOf(member, 'left by many');
  const leftByAll = await streamIdOf(member, 'left by all');
  const byAll = [...people, ...others];
  const change = (title: string, id: number, params: Params) => verify(title, () => patch(id, params, owner), byAll);
  await change('a stream that many have left is made private', leftByMany, { is_private: true });
  await change('and renamed meanwhile', leftByMany, { new_name: 'left by many, renamed', description: 'hidden' });
  await verify('somebody comes back', () => subscribe(member, 'left by many, renamed', { principals: [admin] }));
  await verify('and public again', () => patch(leftByMany, { is_private: false }), byAll);
  await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
  await change('and open to the web', leftByMany, { is_web_public: true });
  await change('and only public', leftByMany, { is_web_public: false });
  await change('one more is made private', leftByAll, { is_private: true });
  await verify('its last subscriber leaves', () => leave(member, ['left by all']), byAll);
  await verify(
    'a stream that many have left is archived',
    () => owner.api.ok('DELETE /streams/{stream_id}', { stream_id: leftByMany }),
    byAll,
  );
  await verify('a stream becomes a default one', () => admin.api.ok('POST /default_streams', { stream_id: p1 }));
  await verify('and no longer', () => admin.api.ok('DELETE /default_streams', { stream_id: p1 }));
  await admin.api.ok('POST /default_streams', { stream_id: p3 });
  await verify('a stream is archived', () => admin.api.ok('DELETE /streams/{stream_id}', { stream_id: p3 }));
  const alone = () => subscribe(other, 'alone', { invite_only: true });
  await alone();
  await verify('a private stream is left by the last', () => leave(other, ['alone']));

  await verify('actions are refused', async () => {
    await owner.api.call('POST /users', account('one'));
    await guest.api.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'x' }] });
    await other.api.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'private' }] });
    await guest.api.call('POST /messages', { type: 'stream', to: 'p1', topic: '', content: 'x' });
  });

  await t.test('registrations in the middle of many actions', async (t) => {
    // The first message of a stream is published to members only, so it must not come while users join.
    for (const name of ['public', 'p1', 'p2']) await say(owner, name, 'before');
    const rush = Array.from({ length: 24 }, (_, i) => async (): Promise<unknown> => {
      if (i % 6 === 0)
        return subscribe(member, `rush ${i}`, { invite_only: i % 12 === 0, principals: [member, other, guest] });
      if (i % 6 === 1) return subscribe(owner, 'p1', { principals: [admin, moderator] });
      if (i % 6 === 2) return owner.api.ok('POST /users', account(`rush-${i}`));
      if (i % 6 === 3) return tell(other, [member, guest]);
      return say(member, i % 2 === 0 ? 'p1' : 'p2', `rush ${i}`);
    });
    await verifyRacing(t, 'a rush', [member, guest, admin], rush);
  });

  await t.test('registrations in the middle of joining, leaving and changing', async (t) => {
    for (const name of ['r1', 'r2', 'r3']) await subscribe(owner, name, { principals: [owner, admin, member] });
    await subscribe(owner, 'r closed', { invite_only: true, principals: [owner, admin, member, guest] });
    const ids = await Promise.all(['r1', 'r2', 'r3', 'r closed'].map((name) => streamIdOf(owner, name)));
    const rush = Array.from({ length: 36 }, (_, i) => async (): Promise<unknown> => {
      const name = ['r1', 'r2', 'r3'][i % 3]!;
      switch (i % 9) {
        case 0:
          return leave(member, [name, 'r closed']);
        case 1:
          return subscribe(owner, [name, 'r closed'], { principals: [member, guest] });
        case 2:
          return leave(owner, [name], { principals: [guest.id, member.id] });
        case 3:
          return patch(ids[i % 3]!, { description: `rush ${i}`, stream_post_policy: 1 + (i % 4) });
        case 4:
          return patch(ids[i % 3]!, { new_name: i % 2 === 0 ? name : name.toUpperCase() }).catch(() => undefined);
        case 5:
          return settings(member, ids[i % 3]!, { color: `#00000${i % 10}` }).catch(() => undefined);
        case 6:
          return member.api.ok('PATCH /users/me/subscriptions', { add: [{ name }], delete: [`r${1 + ((i + 1) % 3)}`] });
        case 7:
          return leave(guest, ['r closed', name]);
        default:
          return say(owner, name, `rush ${i}`);
      }
    });
    await verifyRacing(t, 'a rush of joining and leaving', [member, guest, admin, moderator], rush);
  });

  await t.test('registrations in the middle of sending and reading', async (t) => {
    await subscribe(owner, 'read', { principals: [member, other, guest] });
    const stream_id = await streamIdOf(member, 'read');
    const rush = Array.from({ length: 24 }, (_, i) => async (): Promise<unknown> => {
      if (i % 4 === 3) return member.api.ok('POST /mark_stream_as_read', { stream_id });
      const id = i % 4 === 2 ? await tell(other, [member]) : await say(i % 4 === 1 ? member : owner, 'read', 'rush');
      await member.api.ok('POST /messages/flags', { messages: [id], op: 'add', flag: i % 8 < 4 ? 'read' : 'starred' });
      if (i % 3 > 0) return undefined;
      return member.api.ok('POST /messages/flags', { messages: [id], op: 'remove', flag: 'read' });
    });
    await verifyRacing(t, 'a rush', [member, guest], rush);
  });
};
