/** Permissions as groups, and states of streams and groups, at newer levels (docs/api/levels.md). */
import { atLevel, NEWEST_API_LEVEL } from '../../support/levels.js';
import { makeOrganization, type Person, streamIdOf, subscribe, userGroup } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface Group extends Fields {
  readonly id: number;
  readonly name: string;
}

const CHANNEL_LISTS = ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'] as const;
/** Groups by `stream_post_policy`, and by the policy of deleting own messages. */
const SENDING = ['everyone', 'administrators', 'fullmembers', 'moderators'];
const DELETING = ['members', 'administrators', 'fullmembers', 'moderators', 'everyone'];

export const permissionGroups: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server);
  const { owner, member, guest, nobody } = org;
  await subscribe(owner, 'deck', { principals: [owner, member, guest] });
  await subscribe(owner, 'left', { principals: [owner, member] });
  await subscribe(owner, 'never');
  await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['left'] });
  const stream_id = await streamIdOf(owner, 'deck');
  const stateOf = async (by: Person, level = NEWEST_API_LEVEL): Promise<Fields> => {
    const { status, body } = await atLevel(by, level).api.raw({ method: 'POST', path: '/api/v1/register' });
    t.equal(status, 200);
    return body;
  };
  const idOf = (state: Fields, name: string): number =>
    (state.realm_user_groups as Group[]).find((group) => group.name === `role:${name}`)!.id;
  const groups = await stateOf(member);
  const readers: readonly Person[] = [owner, member, guest];

  await t.test('each policy of sending is a group, in the state, in answers and in an event', async (t) => {
    for (const [i, name] of SENDING.entries()) {
      const policy = i + 1;
      await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, stream_post_policy: policy === 1 ? 2 : 1 });
      const [phone, plain] = await Promise.all([Queue.register(atLevel(member)), Queue.register(member)]);
      await verifyAction(t, `policy ${policy}`, readers, () =>
        owner.api.ok('PATCH /streams/{stream_id}', {
          stream_id,
          stream_post_policy: policy,
          can_remove_subscribers_group_id: idOf(groups, i % 2 ? 'moderators' : 'administrators'),
        }),
      );
      const expected = idOf(groups, name);
      const told = (events: readonly Fields[]) =>
        events
          .filter(({ type, op }) => type === 'stream' && op === 'update')
          .map(({ property, value }) => [property, value]);
      const [onPhone, atBase] = [await settled(phone), await settled(plain)];
      t.same(told(onPhone), [...told(atBase), ['can_send_message_group', expected]], 'the last of the change');
      const ids = (events: readonly Fields[]) => events.filter(({ type }) => type === 'stream').map(({ id }) => id);
      t.same(ids(onPhone).slice(0, -1), ids(atBase), 'the others keep their ids');
      const { streams } = await atLevel(member).api.ok<{ streams: Fields[] }>('GET /streams');
      t.equal(streams.find((of) => of.stream_id === stream_id)!.can_send_message_group, expected);
      const { stream } = await atLevel(member).api.ok<{ stream: Fields }>('GET /streams/{stream_id}', { stream_id });
      t.match(stream, { can_send_message_group: expected, stream_post_policy: policy, is_archived: false });
      const { subscriptions } = await atLevel(guest).api.ok<{ subscriptions: Fields[] }>('GET /users/me/subscriptions');
      t.match(
        subscriptions.filter((of) => of.stream_id === stream_id),
        [{ can_send_message_group: expected }],
      );
    }
  });

  await t.test('every list of streams has the fields, from their level on', async (t) => {
    for (const [level, fields] of [
      [NEWEST_API_LEVEL, ['can_send_message_group', 'is_archived']],
      [277, []],
    ] as const) {
      const state = await stateOf(member, level);
      for (const list of CHANNEL_LISTS) {
        const channels = state[list] as Fields[];
        t.not(channels.length, 0, list);
        for (const channel of channels)
          t.same(
            ['can_send_message_group', 'is_archived'].filter((name) => name in channel),
            fields,
            list,
          );
      }
    }
  });

  await t.test('streams and subscriptions in events have them, too', async (t) => {
    const queue = await Queue.register(atLevel(member));
    await verifyAction(t, 'a stream with subscribers', readers, () =>
      subscribe(owner, 'mast', { principals: [owner, member] }),
    );
    const events = await settled(queue);
    const expected = { can_send_message_group: idOf(groups, 'everyone'), is_archived: false };
    t.match(
      events.filter(({ type, op }) => type === 'stream' && op === 'create').map(({ streams }) => streams),
      [[expected]],
    );
    t.match(
      events.filter(({ type, op }) => type === 'subscription' && op === 'add').map((of) => of.subscriptions),
      [[expected]],
    );
  });

  await t.test('a guest gets a public stream before the subscription to it', async (t) => {
    const [phone, plain] = await Promise.all([Queue.register(atLevel(guest)), Queue.register(guest)]);
    await verifyAction(t, 'a guest is subscribed', [owner, member, guest], () =>
      subscribe(owner, 'gangway', { principals: [member, guest] }),
    );
    const told = async (queue: Queue): Promise<string[]> =>
      (await settled(queue))
        .filter(({ type }) => type === 'stream' || type === 'subscription')
        .map(({ type, op }) => `${type}/${String(op)}`);
    const [onPhone, atBase] = [await told(phone), await told(plain)];
    t.same(onPhone, ['stream/create', 'subscription/add']);
    t.same(atBase, ['subscription/add'], 'level 184 has no event of the stream');
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    const web = await Queue.register(atLevel(guest));
    await subscribe(owner, 'quay', { is_web_public: true, principals: [guest] });
    t.same(await told(web), ['stream/create', 'subscription/add'], 'guests know web-public streams, once');
  });

  await t.test('who may delete messages is a group of the organization', async (t) => {
    t.equal(groups.realm_can_delete_any_message_group, idOf(groups, 'administrators'));
    const low = await stateOf(member, 277);
    t.same([low.realm_can_delete_any_message_group, low.realm_can_delete_own_message_group], [undefined, undefined]);
    for (const [i, name] of [...DELETING.entries()].reverse()) {
      const policy = i + 1;
      const queue = await Queue.register(atLevel(member), { event_types: ['realm'] });
      const plain = await Queue.register(member, { event_types: ['realm'] });
      await verifyAction(t, `deleting own messages: ${name}`, readers, () =>
        owner.api.ok('PATCH /realm', { delete_own_message_policy: policy }),
      );
      const can_delete_own_message_group = idOf(groups, name);
      t.match(await queue.take(1), [
        { op: 'update_dict', data: { delete_own_message_policy: policy, can_delete_own_message_group } },
      ]);
      t.match(await plain.take(1), [{ op: 'update', property: 'delete_own_message_policy', value: policy }]);
      t.match(await stateOf(guest), {
        realm_delete_own_message_policy: policy,
        realm_can_delete_own_message_group: can_delete_own_message_group,
      });
    }
  });

  await t.test('groups have their state', async (t) => {
    const queue = await Queue.register(atLevel(guest));
    await verifyAction(t, 'a new group', readers, () => userGroup(owner, 'crew', [owner, member]));
    const added = (await settled(queue)).filter(({ type, op }) => type === 'user_group' && op === 'add');
    t.match(added, [{ group: { name: 'crew', deactivated: false } }]);
    const { realm_user_groups } = await stateOf(guest);
    t.ok((realm_user_groups as Group[]).every(({ deactivated }) => deactivated === false));
    const { user_groups } = await atLevel(member).api.ok<{ user_groups: Group[] }>('GET /user_groups');
    t.ok(user_groups.every(({ deactivated }) => deactivated === false));
    const path = '/api/v1/user_groups';
    const { body } = await member.api.with({ 'x-conclave-api-level': '277' }).raw({ method: 'GET', path });
    t.notOk((body.user_groups as Group[]).some((group) => 'deactivated' in group));
  });

  await t.test('another organization and visitors learn only of their own', async (t) => {
    const foreign = await Queue.register(atLevel(elsewhere.member));
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, stream_post_policy: 4 });
    await owner.api.ok('PATCH /realm', { delete_own_message_policy: 1 });
    t.same(await settled(foreign), []);
    for (const by of [member, guest])
      t.equal(
        (await atLevel(by).api.call('PATCH /streams/{stream_id}', { stream_id, stream_post_policy: 1 })).status,
        400,
      );
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, is_web_public: true });
    const visitor = await stateOf({ ...member, api: nobody });
    t.match(visitor, { realm_can_delete_any_message_group: 2, realm_can_delete_own_message_group: 2 });
    t.equal((await atLevel({ ...member, api: nobody }).api.call('GET /user_groups')).status, 401);
  });
};
