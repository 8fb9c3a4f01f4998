/** Clients of one account at different API levels: each keeps its own state by events, whichever of them acts. */
import { CLIENTS } from '../../support/comparable.js';
import { CURRENT_CLIENT_HEADERS } from '../../support/current-client-requests.js';
import { atLevel } from '../../support/levels.js';
import {
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
  userGroup,
} from '../../support/organization.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import { Follower } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const onPhone = (of: Person): Person => ({ ...of, api: of.api.with(CURRENT_CLIENT_HEADERS) });

/** Facts of a state in the words of the newest level. */
function factsIn(state: Fields, isNewer: boolean): Fields {
  const topic = (name: string): string => (!isNewer && name === '(no topic)' ? '' : name);
  const { streams, mentions } = state.unread_msgs as {
    streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
    mentions: number[];
  };
  return {
    unread: streams.map((of) => [of.stream_id, topic(of.topic), of.unread_message_ids]).sort(),
    mentions,
    starred: state.starred_messages,
    streams: (state.subscriptions as { name: string; is_muted: boolean }[]).map((of) => [of.name, of.is_muted]),
    // A followed topic is an unmuted one for clients that don't know the former.
    topics: (state.user_topics as { topic_name: string; visibility_policy: number }[])
      .map((of) => [topic(of.topic_name), of.visibility_policy === 3 ? 2 : of.visibility_policy])
      .sort(),
    drafts: (state.drafts as { topic: string; content: string }[]).map((of) => [topic(of.topic), of.content]),
    people: (state.realm_users as { user_id: number }[]).map(({ user_id }) => user_id),
    groups: (state.realm_user_groups as { id: number; members: number[] }[]).map(({ id, members }) => [id, members]),
  };
}

export const oneAccount: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member', 'other']);
  const { owner, member: desk, other } = org;
  const phone = onPhone(desk);
  await subscribe(owner, 'shared', { principals: [owner, desk, other] });
  const stream_id = await streamIdOf(owner, 'shared');
  const followers = await Follower.all([desk]);
  t.equal(followers.length, Object.keys(CLIENTS).length, 'two clients of level 184 and one of the newest');

  const ids: number[] = [];
  const message = (): { message_id: number } => ({ message_id: ids[0]! });
  const steps: readonly (readonly [title: string, act: () => Promise<unknown>])[] = [
    [
      'messages come',
      async () => {
        for (const topic of ['(no topic)', 'lunch', '(no topic)']) ids.push(await say(owner, 'shared', topic, topic));
        ids.push(await tell(owner, [desk], 'direct'), await say(onPhone(owner), 'shared', '', '@**channel** @**all**'));
      },
    ],
    [
      'the phone sends to the topic without a name, and the desk, too',
      async () => {
        await phone.api.ok('POST /messages', { type: 'channel', to: stream_id, topic: '', content: 'from the phone' });
        await say(desk, 'shared', '(no topic)', 'from the desk');
      },
    ],
    [
      'the phone reads that topic, and the desk unreads a message of it',
      async () => {
        const narrow = [
          { operator: 'channel', operand: stream_id },
          { operator: 'topic', operand: '' },
        ];
        const window = { anchor: 'oldest', num_before: 0, num_after: 100, include_anchor: true };
        await phone.api.ok('POST /messages/flags/narrow', { ...window, narrow, op: 'add', flag: 'read' });
        await desk.api.ok('POST /messages/flags', { messages: [ids[0]], op: 'remove', flag: 'read' });
      },
    ],
    [
      'both star',
      async () => {
        await phone.api.ok('POST /messages/flags', { messages: [ids[0], ids[1]], op: 'add', flag: 'starred' });
        await desk.api.ok('POST /messages/flags', { messages: [ids[1]], op: 'remove', flag: 'starred' });
      },
    ],
    [
      'the phone follows a topic, the desk mutes the other',
      async () => {
        await phone.api.ok('POST /user_topics', { stream_id, topic: 'lunch', visibility_policy: 3 });
        await desk.api.ok('POST /user_topics', { stream_id, topic: '(no topic)', visibility_policy: 1 });
      },
    ],
    [
      'both write and edit drafts',
      async () => {
        const draft = (topic: string, content: string) => ({ type: 'stream', to: [stream_id], topic, content });
        const { ids: made } = await phone.api.ok<{ ids: number[] }>('POST /drafts', { drafts: [draft('', 'phone')] });
        await desk.api.ok('POST /drafts', { drafts: [draft('(no topic)', 'desk')] });
        await desk.api.ok('PATCH /drafts/{draft_id}', { draft_id: made[0], draft: draft('(no topic)', 'edited') });
      },
    ],
    [
      'reactions, a poll, an edit and a move',
      async () => {
        await phone.api.ok('POST /messages/{message_id}/reactions', { ...message(), emoji_name: 'zulip' });
        const poll = { message_id: await say(other, 'shared', 'lunch', '/poll Lunch?\nsoup'), msg_type: 'widget' };
        for (const vote of [true, 1])
          await other.api.ok('POST /submessage', {
            ...poll,
            content: JSON.stringify({ type: 'vote', key: 'canned,0', vote }),
          });
        await owner.api.ok('PATCH /messages/{message_id}', { ...message(), content: 'edited', topic: 'moved' });
        await onPhone(owner).api.ok('PATCH /messages/{message_id}', { ...message(), topic: '' });
      },
    ],
    [
      'settings of the subscription',
      async () => {
        const data = (property: string, value: unknown) => ({ subscription_data: [{ stream_id, property, value }] });
        await desk.api.ok('POST /users/me/subscriptions/properties', data('color', '#fA0'));
        await phone.api.ok('POST /users/me/subscriptions/properties', data('pin_to_top', true));
      },
    ],
    [
      'settings and snippets that one client alone knows',
      async () => {
        await phone.api.ok('PATCH /settings', { enable_followed_topic_email_notifications: false });
        await atLevel(desk).api.ok('POST /saved_snippets', { title: 'Hello', content: 'there' });
        await desk.api.ok('PATCH /settings', { twenty_four_hour_time: true });
      },
    ],
    [
      'an account goes and comes back, groups and streams change',
      async () => {
        await userGroup(owner, 'crew', [owner, other]);
        await owner.api.ok('DELETE /users/{user_id}', { user_id: other.id });
        await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: other.id });
        await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, stream_post_policy: 2 });
        await owner.api.ok('POST /default_streams', { stream_id });
        await owner.api.ok('PATCH /realm', { delete_own_message_policy: 1 });
        await owner.api.ok('POST /users/me/status', { emoji_name: 'conclave' });
      },
    ],
    [
      'the desk deletes, and leaves the stream',
      async () => {
        await owner.api.ok('DELETE /messages/{message_id}', message());
        await desk.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['shared'] });
      },
    ],
  ];
  for (const [title, act] of steps) {
    await t.test(title, async (t) => {
      await act();
      for (const follower of followers) await follower.verify(t, title);
      const [older, newer] = await Promise.all(
        [desk, phone].map((by) => {
          const { params } = CLIENTS[by === desk ? 'all capabilities' : 'mobile client of today']!;
          return by.api.ok('POST /register', params);
        }),
      );
      t.same(factsIn(newer!, true), factsIn(older!, false), 'both states say the same');
    });
  }

  await t.test('both fetch the same messages', async (t) => {
    const fetched = async (by: Person, params: Fields) =>
      (
        await by.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
          ...{ anchor: 'newest', num_before: 100, num_after: 0 },
          ...params,
        })
      ).messages.map(({ id, subject, content }) => [id, subject, content]);
    const newer = await fetched(phone, { allow_empty_topic_name: true });
    const older = await fetched(desk, {});
    t.ok(older.some(([, subject]) => subject === '(no topic)'));
    const renamed = older.map(([id, subject, content]) => [id, subject === '(no topic)' ? '' : subject, content]);
    t.same(newer, renamed);
  });
  await Promise.all(followers.map((follower) => follower.queue.delete()));
};
