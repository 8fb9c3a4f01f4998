/**
 * `max_message_id` of GET /users/me, which frontends follow by the log, against that of POST /register, which looks for
 * it in the Store each time (users.md § GET /users/me).
 */
import type { Test } from 'tap';
import { until } from '../../../support/until.js';
import {
  addPerson,
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import type { Facts } from '../facts.js';

const shownTo = async (by: Person): Promise<number> =>
  (await by.api.ok<{ max_message_id: number }>('GET /users/me')).max_message_id;

const storedFor = async (by: Person): Promise<number> =>
  (await by.api.ok<{ max_message_id: number }>('POST /register', { fetch_event_types: ['message'], event_types: [] }))
    .max_message_id;

export const newestMessage: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['admin', 'member', 'other', 'guest']);
  const { owner, admin, member, other, guest } = org;
  const people = [owner, admin, member, other, guest];
  await subscribe(owner, 'here', { principals: people });
  await subscribe(owner, 'there', { principals: [owner, admin, member] });
  await subscribe(owner, 'closed', {
    invite_only: true,
    history_public_to_subscribers: false,
    principals: [owner, member],
  });
  const [here, there, closed] = await Promise.all(['here', 'there', 'closed'].map((name) => streamIdOf(owner, name)));

  /** Users who sent nothing see the message when the log has reached the frontend. */
  async function agree(t: Test, what: string): Promise<void> {
    for (const one of people) {
      await until(`${what}: ${one.role}`, async () => (await shownTo(one)) === (await storedFor(one)));
    }
    t.pass(what);
  }
  const remove = (by: Person, message_id: number) => by.api.ok('DELETE /messages/{message_id}', { message_id });
  /** The frontend that carries out a change shows it at once, the other one when the log has reached it. */
  const atOneFrontend = (by: Person): Person => ({ ...by, api: by.api.at(server.nextPort()) });
  const move = (by: Person, message_id: number, stream_id: number) =>
    by.api.ok('PATCH /messages/{message_id}', {
      message_id,
      stream_id,
      propagate_mode: 'change_all',
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    });
  await agree(t, 'at the beginning');

  await t.test('max_message_id counts messages that the user sent', async (t) => {
    // The cluster has two frontends, called in turn: the one without the change learns of it from the log.
    const shown = (id: number) => until(`message ${id}`, async () => (await shownTo(owner)) === id);
    for (let i = 0; i < 20; i++) {
      const id = i % 2 === 0 ? await say(owner, 'here', 'mine') : await tell(owner, [other]);
      await shown(id);
      if (i % 3 !== 0) continue;
      await remove(owner, id);
      const left = await storedFor(owner);
      t.not(left, id, 'deleted again');
      await shown(left);
    }
    const id = await say(owner, 'there', 'moved', 'x');
    await shown(id);
    await move(owner, id, here!);
    await shown(id);
    await agree(t, 'and the others');
  });

  await t.test('max_message_id leaves out messages sent to a stream that the sender is not in', async (t) => {
    const id = await say(other, 'there', 'from outside');
    t.not(await shownTo(other), id);
    t.equal(await shownTo(other), await storedFor(other));
    await agree(t, 'those who are there have it');
  });

  await t.test('max_message_id follows messages that others send, delete and move', async (t) => {
    const [a, b] = [await say(member, 'here', 'theirs'), await say(member, 'there', 'theirs')];
    await agree(t, 'said');
    await remove(owner, b);
    await agree(t, 'the newest of some is deleted');
    await remove(owner, a);
    await agree(t, 'the newest of all is deleted');
    const c = await say(member, 'there', 'goes');
    await agree(t, 'said where some are not');
    await move(owner, c, here!);
    await agree(t, 'moved to where all are');
    await move(owner, c, closed!);
    await agree(t, 'and to where few are');
    await tell(admin, [guest, member]);
    await agree(t, 'a direct message');
    await say(owner, 'there', 'a topic');
    await say(owner, 'there', 'a topic');
    await agree(t, 'said before the topic goes');
    const at = atOneFrontend(owner);
    await at.api.ok('POST /streams/{stream_id}/delete_topic', { stream_id: there!, topic_name: 'a topic' });
    t.equal(await shownTo(at), await storedFor(at));
    await agree(t, 'a topic is deleted');
  });

  await t.test(
    'max_message_id keeps messages of streams left, and counts only new ones of streams joined',
    async (t) => {
      await say(owner, 'closed', 'secret');
      await agree(t, 'said where history is protected');
      await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['closed'] });
      await agree(t, 'left');
      await say(owner, 'closed', 'secret');
      await agree(t, 'he hears no more');
      await subscribe(owner, 'closed', { principals: [member, guest] });
      await agree(t, 'he is back, and another has come');
      await say(owner, 'closed', 'secret');
      await agree(t, 'and they hear again');
      const at = atOneFrontend(other);
      await subscribe(at, 'there');
      await agree(t, 'came himself');
      t.equal(await shownTo(at), await storedFor(at));
      await say(other, 'there', 'hello');
      await agree(t, 'and speaks');
    },
  );

  await t.test('max_message_id of a new account counts the past that the account was given', async (t) => {
    const late = atOneFrontend(await addPerson(org, 'late'));
    await until('the newcomer', async () => (await shownTo(late)) === (await storedFor(late)));
    await tell(owner, [late]);
    await until('a message', async () => (await shownTo(late)) === (await storedFor(late)));
    t.equal(await shownTo(late), await storedFor(late));
  });

  await t.test('concurrent requests during many changes never get an id below one already given', async (t) => {
    // The other frontend learns of the changes from the log, which may take a moment.
    const speakers = [owner, admin, member, other].map((one) => ({ ...one, api: one.api.at(server.nextPort()) }));
    await Promise.all(
      speakers.map(async (one) => {
        for (let i = 0; i < 15; i++) {
          const id = await say(one, 'here', `crowd ${one.role}`);
          const shown = await shownTo(one);
          t.ok(shown >= id, `${shown} after ${id}`);
        }
      }),
    );
    await agree(t, 'in the end');
  });
};
