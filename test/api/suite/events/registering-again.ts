/** A later registration shows the present state in the form of each kind of client, from any cache of encoded parts. */

import type { Params } from '../../support/client.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import type { Facts } from '../facts.js';

export const registeringAgain: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [owner, member, other, guest] });
  const stream_id = await streamIdOf(owner, 'square');
  await owner.api.ok('POST /default_streams', { stream_id });
  const register = (by: Person, params: Params = {}) => by.api.ok<Record<string, unknown>>('POST /register', params);
  const linkifiers = { client_capabilities: { linkifier_url_template: true } };

  await t.test('kinds of clients and roles side by side', async (t) => {
    await owner.api.ok('POST /realm/filters', { pattern: 'T-(?P<id>[0-9]+)', url_template: 'https://t.example/{id}' });
    for (let i = 0; i < 2; i++) {
      t.match(await register(member, linkifiers), { realm_linkifiers: [{}], realm_default_streams: [{ stream_id }] });
      t.match(await register(member), { realm_linkifiers: [] });
      t.match(await register(guest, linkifiers), { realm_linkifiers: [{}], realm_default_streams: [] });
      t.same('realm_linkifiers' in (await register(member, { fetch_event_types: ['realm'] })), false);
      t.match(await register(elsewhere.member, linkifiers), { realm_linkifiers: [], realm_default_streams: [] });
    }
  });

  await t.test('changed and acknowledged data is in the new state', async (t) => {
    t.match(await register(member), { realm_default_streams: [{ name: 'square' }] });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, new_name: 'plaza' });
    t.match(await register(member), { realm_default_streams: [{ name: 'plaza' }] });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, new_name: 'square' });
    await owner.api.ok('PATCH /realm', { name: 'Another name' });
    t.match(await register(member), { realm_name: 'Another name' });
    await other.api.ok('POST /users/me/status', { status_text: 'away' });
    t.match(await register(member), { user_status: { [other.id]: { status_text: 'away' } } });
    await owner.api.ok('DELETE /users/{user_id}', { user_id: other.id });
    t.same((await register(member)).user_status, {});
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: other.id });
    const settings = { client_capabilities: { user_settings_object: true } };
    t.match(await register(member, settings), { user_settings: { twenty_four_hour_time: false, timezone: '' } });
    await member.api.ok('PATCH /settings', { twenty_four_hour_time: true, timezone: 'Europe/Berlin' });
    const chosen = { user_settings: { twenty_four_hour_time: true, timezone: 'Europe/Berlin' } };
    t.match(await register(member, settings), chosen);
    t.match(await register(guest, settings), { user_settings: { twenty_four_hour_time: false, timezone: '' } });
  });

  await t.test(
    'unread messages of streams and conversations, and the newest message, are in the new state',
    async (t) => {
      const unread = async (by: Person) => {
        const state = await register(by, { fetch_event_types: ['message', 'update_message_flags'] });
        const { streams, pms, count } = state.unread_msgs as {
          streams: { unread_message_ids: number[] }[];
          pms: { unread_message_ids: number[] }[];
          count: number;
        };
        const of = (groups: { unread_message_ids: number[] }[]) => groups.flatMap((group) => group.unread_message_ids);
        return { streams: of(streams).sort((a, b) => a - b), pms: of(pms), count, max: state.max_message_id };
      };
      await member.api.ok('POST /mark_all_as_read', {});
      const before = (await unread(member)).max;
      t.same(await unread(member), { streams: [], pms: [], count: 0, max: before });
      const ids = [await say(owner, 'square', 'one'), await say(owner, 'square', 'two')];
      const pair = await tell(owner, [member]);
      t.same(await unread(member), { streams: ids, pms: [pair], count: 3, max: pair });
      await owner.api.ok('PATCH /messages/{message_id}', {
        message_id: ids[0],
        topic: 'two',
        propagate_mode: 'change_one',
        send_notification_to_old_thread: false,
        send_notification_to_new_thread: false,
      });
      t.same(await unread(member), { streams: ids, pms: [pair], count: 3, max: pair });
      await member.api.ok('POST /messages/flags', { messages: [ids[0], pair], op: 'add', flag: 'read' });
      t.same(await unread(member), { streams: [ids[1]], pms: [], count: 1, max: pair });
      await owner.api.ok('DELETE /messages/{message_id}', { message_id: ids[1] });
      t.same(await unread(member), { streams: [], pms: [], count: 0, max: pair });
      await member.api.ok('POST /messages/flags', { messages: [ids[0]], op: 'remove', flag: 'read' });
      t.same(await unread(member), { streams: [ids[0]], pms: [], count: 1, max: pair });
      await owner.api.ok('DELETE /messages/{message_id}', { message_id: pair });
      t.same(await unread(member), { streams: [ids[0]], pms: [], count: 1, max: ids[0] });
      await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['square'] });
      t.same((await unread(member)).streams, []);
    },
  );
};
