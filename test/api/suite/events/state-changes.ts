/** Snapshot + events = state, where messages are edited, moved and deleted. */

import type { Params } from '../../support/client.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { verifyAction, verifyRacing } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export const stateChanges: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  const people = org.people;
  await subscribe(owner, ['square', 'open'], { principals: [...people] });
  await subscribe(owner, 'secret', { invite_only: true, principals: [owner, member] });
  await subscribe(owner, 'public', { principals: [owner] });
  await owner.api.ok('PATCH /realm', { delete_own_message_policy: 5, edit_topic_policy: 5 });
  const id = Object.fromEntries(
    await Promise.all(
      ['square', 'open', 'secret', 'public'].map(async (name) => [name, await streamIdOf(owner, name)]),
    ),
  ) as Record<string, number>;
  const change = (by: Person, message_id: number, params: Params) =>
    by.api.ok('PATCH /messages/{message_id}', { message_id, ...params });
  const remove = (by: Person, message_id: number) => by.api.ok('DELETE /messages/{message_id}', { message_id });
  const silent = { send_notification_to_new_thread: false };
  const verify = (title: string, action: () => Promise<unknown>) =>
    t.test(title, (t) => verifyAction(t, title, people, action));
  /** A message to all users, so that the newest message stays. */
  const last = () =>
    tell(
      owner,
      people.filter((one) => one !== owner),
    );

  const [a, b, c, d, e] = [
    await say(member, 'square', 'one', `a @**${other.name}**`),
    await say(member, 'square', 'one', 'b'),
    await say(other, 'square', 'one', 'c'),
    await say(member, 'square', 'two', 'd'),
    await say(member, 'square', 'two', 'e'),
  ] as [number, number, number, number, number];
  const direct = await tell(member, [other, guest], 'direct');
  await other.api.ok('POST /messages/flags', { messages: [a, b, d], op: 'add', flag: 'starred' });
  await admin.api.ok('POST /messages/flags', { messages: [a, e], op: 'add', flag: 'read' });
  await other.api.ok('POST /user_topics', { stream_id: id.square, topic: 'one', visibility_policy: 2 });
  await guest.api.ok('POST /user_topics', { stream_id: id.square, topic: 'One', visibility_policy: 1 });
  await last();

  await verify('a text is edited, and mentions others', () =>
    change(member, a, { content: `@**${guest.name}** @**all**` }),
  );
  await verify('a direct message is edited', () => change(member, direct, { content: `@**${other.name}**` }));
  await verify('a message gets another topic', () => change(other, b, { topic: 'three' }));
  await verify('a topic is resolved', () => change(other, a, { topic: '✔ one', propagate_mode: 'change_all' }));
  await verify('a topic is merged into another', () =>
    change(other, d, { topic: '✔ one', propagate_mode: 'change_all', ...silent }),
  );
  await verify('text and topic change together', () => change(member, a, { topic: 'x', content: 'y', ...silent }));
  await verify('a message goes to another stream of all', () => change(owner, a, { stream_id: id.open }));
  await verify('a message goes to a stream of few, and comes back', async () => {
    await change(owner, b, { stream_id: id.secret, ...silent });
    await change(owner, b, { stream_id: id.square, ...silent });
  });
  await verify('a message goes to a public stream, where only some are', () =>
    change(owner, c, { stream_id: id.public, topic: 'news', ...silent }),
  );
  await verify('messages are deleted', async () => {
    await remove(admin, d);
    await remove(member, direct);
  });
  await verify('a topic is deleted', async () => {
    for (let i = 0; i < 5; i++) await say(member, 'square', 'doomed', 'x');
    await last();
    await admin.api.ok('POST /streams/{stream_id}/delete_topic', { stream_id: id.square, topic_name: 'doomed' });
  });

  await t.test('registrations in the middle of many changes', async (t) => {
    const ids: number[] = [];
    for (let i = 0; i < 24; i++) ids.push(await say(member, 'square', `rush ${i % 3}`, 'x'));
    await last();
    const rush = ids.map((one, i) => async (): Promise<unknown> => {
      if (i % 6 === 0) return change(owner, one, { stream_id: i % 12 === 0 ? id.secret : id.open, ...silent });
      if (i % 6 === 1) return remove(admin, one);
      if (i % 6 === 2) return change(member, one, { content: `@**${other.name}** ${i}` });
      if (i % 6 === 3) return change(other, one, { topic: `rush ${i}`, ...silent });
      if (i % 6 === 4) return other.api.ok('POST /messages/flags', { messages: [one], op: 'add', flag: 'read' });
      return change(guest, one, { topic: 'Rush', ...silent });
    });
    await verifyRacing(t, 'a rush', [member, other, guest, admin], rush);
  });
};
