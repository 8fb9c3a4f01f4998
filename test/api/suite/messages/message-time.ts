/** Limits of editing, moving and deleting, and retention, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { FakeClock, settle } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad, type Params, type Refusal } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

export async function messageTime(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other } = org;
  await subscribe(owner, 'square', { principals: [...org.people] });
  await subscribe(owner, 'market', { principals: [...org.people] });
  const [square, market] = [await streamIdOf(owner, 'square'), await streamIdOf(owner, 'market')];
  const change = (by: Person, message_id: number, params: Params) =>
    by.api.call('PATCH /messages/{message_id}', { message_id, ...params });
  const set = (params: Params) => owner.api.ok('PATCH /realm', params);
  const exists = async (id: number, by = member): Promise<boolean> =>
    (await by.api.call('GET /messages/{message_id}', { message_id: id })).status === 200;
  const silent = { send_notification_to_new_thread: false };
  /** A leap lets the time limits of all commands under way pass, and their repeats wait for the clock. */
  const leap = async (ms: number): Promise<void> => {
    await settle(50);
    clock.leap(ms);
  };
  /** Half days, so that conversations look at their messages in between. */
  const pass = async (days: number): Promise<void> => {
    for (let left = days; left > 0; left -= 0.5) {
      await leap(0.5 * DAY * 1_000);
      await settle(50);
      // Lets the actors start their due work before the next half day passes.
      await owner.api.ok('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 });
    }
  };

  await t.test('the text can be changed for a limited time, by every role', async (t) => {
    await set({ message_content_edit_limit_seconds: 600 });
    const [id, of] = [await say(member, 'square', 'limit', 'x'), await say(owner, 'square', 'limit', 'x')];
    await leap(615_000);
    t.equal((await change(member, id, { content: 'within the grace' })).status, 200);
    await leap(7_000);
    const late = bad('The time limit for editing this message has passed');
    await refused(t, change(member, id, { content: 'y' }), late);
    await refused(t, change(owner, of, { content: 'y' }), late, 'owners neither');
    await set({ message_content_edit_limit_seconds: '"unlimited"' });
    t.equal((await change(member, id, { content: 'z' })).status, 200);
  });

  await t.test('topics can be changed for a limited time; moderators and administrators have no limit', async (t) => {
    await set({ move_messages_within_stream_limit_seconds: HOUR });
    const id = await say(member, 'square', 'topic', 'x');
    await leap((HOUR + 25) * 1_000);
    const late = bad("The time limit for editing this message's topic has passed.");
    await refused(t, change(member, id, { topic: 'new' }), late);
    for (const by of [owner, admin, moderator]) {
      t.equal((await change(by, id, { topic: `by ${by.role}`, ...silent })).status, 200, by.role);
    }
  });

  await t.test('a topic moves whole only if every message may be moved', async (t) => {
    const old = await say(member, 'square', 'both ages', 'x');
    await leap((HOUR + 25) * 1_000);
    const [young, youngest] = [
      await say(member, 'square', 'both ages', 'y'),
      await say(member, 'square', 'both ages', 'z'),
    ];
    const params = { topic: 'new age', propagate_mode: 'change_all', ...silent };
    await refused(t, change(other, youngest, params), {
      code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
      msg: 'You only have permission to move the 2/3 most recent messages in this topic.',
      extra: { first_message_id_allowed_to_move: young, total_messages_in_topic: 3, total_messages_allowed_to_move: 2 },
    });
    t.equal((await change(other, young, { ...params, propagate_mode: 'change_later' })).status, 200);
    t.equal((await change(moderator, old, params)).status, 200);
    await set({ move_messages_within_stream_limit_seconds: '"unlimited"' });
  });

  await t.test(
    'the stream can be changed for a limited time, and with the topic the stricter limit counts',
    async (t) => {
      await set({ move_messages_between_streams_policy: 1, move_messages_between_streams_limit_seconds: HOUR });
      const id = await say(member, 'square', 'wander', 'x');
      await leap((HOUR + 25) * 1_000);
      await refused(
        t,
        change(member, id, { stream_id: market }),
        bad("The time limit for editing this message's stream has passed"),
      );
      const young = await say(member, 'square', 'wander', 'y');
      await refused(t, change(member, young, { stream_id: market, topic: 'there', propagate_mode: 'change_all' }), {
        code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
        msg: 'You only have permission to move the 1/2 most recent messages in this topic.',
        extra: {
          first_message_id_allowed_to_move: young,
          total_messages_in_topic: 2,
          total_messages_allowed_to_move: 1,
        },
      });
      t.equal((await change(moderator, id, { stream_id: market, ...silent })).status, 200);
      await set({
        move_messages_between_streams_policy: 2,
        move_messages_between_streams_limit_seconds: '"unlimited"',
      });
    },
  );

  await t.test(
    'a newcomer moves no old messages of a protected history that older subscribers may not move',
    async (t) => {
      await set({ move_messages_within_stream_limit_seconds: HOUR, edit_topic_policy: 5 });
      const protectedHistory = { invite_only: true, history_public_to_subscribers: false };
      await subscribe(owner, 'vault', { ...protectedHistory, principals: [owner, other] });
      const old = [await say(owner, 'vault', 'budget', 'x'), await say(owner, 'vault', 'budget', 'x')];
      await leap((HOUR + 25) * 1_000);
      const young = await say(owner, 'vault', 'budget', 'x');
      await subscribe(owner, 'vault', { principals: [member] });
      const seen = await say(owner, 'vault', 'budget', 'x');
      const taken = (first: number): Refusal => ({
        code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
        msg: 'You only have permission to move the 2/4 most recent messages in this topic.',
        extra: {
          first_message_id_allowed_to_move: first,
          total_messages_in_topic: 4,
          total_messages_allowed_to_move: 2,
        },
      });
      const all = { topic: 'taken', propagate_mode: 'change_all' };
      await refused(t, change(other, seen, all), taken(young));
      await refused(t, change(member, seen, all), taken(seen), 'whoever sees less');
      t.equal((await change(member, seen, { topic: 'taken', propagate_mode: 'change_later', ...silent })).status, 200);
      for (const id of [...old, young]) {
        const { message } = await owner.api.ok<{ message: { subject: string } }>('GET /messages/{message_id}', {
          message_id: id,
        });
        t.equal(message.subject, 'budget');
      }
    },
  );

  await t.test('own messages can be deleted for a limited time, without grace', async (t) => {
    await set({ delete_own_message_policy: 5, message_content_delete_limit_seconds: 600 });
    const remove = (by: Person, message_id: number) => by.api.call('DELETE /messages/{message_id}', { message_id });
    const [early, late] = [await say(member, 'square', 'delete', 'x'), await say(member, 'square', 'delete', 'y')];
    await leap(598_000);
    t.equal((await remove(member, early)).status, 200);
    await leap(3_000);
    await refused(t, remove(member, late), bad('The time limit for deleting this message has passed'));
    t.equal((await remove(admin, late)).status, 200, 'administrators always can');
    await set({ message_content_delete_limit_seconds: '"unlimited"' });
  });

  await t.test('messages older than the retention time are deleted', async (t) => {
    const [old, direct] = [await say(member, 'square', 'retained', 'x'), await tell(member, [other])];
    await pass(3);
    t.ok(await exists(old), 'for ever is the default');
    await set({ message_retention_days: 5 });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: market, message_retention_days: '"unlimited"' });
    const kept = await say(member, 'market', 'kept', 'x');
    await pass(1);
    const young = await say(member, 'square', 'retained', 'y');
    t.ok(await exists(old), 'not yet');
    const queue = await Queue.register(member, {
      fetch_event_types: [],
      event_types: ['message', 'delete_message'],
      queue_lifespan_secs: 600_000,
      client_capabilities: { notification_settings_null: true, bulk_message_deletion: true },
    });
    await pass(2.5);
    await until('they are gone', async () => !(await exists(old)) && !(await exists(direct)), 5_000);
    t.same([await exists(young), await exists(kept)], [true, true], 'younger ones stay, and where all stay');
    const gone = (await settled(queue)).filter((event) => event.type === 'delete_message');
    const ids = gone.flatMap((event) => event.message_ids as number[]);
    t.ok(ids.includes(old) && ids.includes(direct) && !ids.includes(young) && !ids.includes(kept));
    for (const event of gone) {
      t.equal(event.message_type, event.topic === undefined ? 'private' : 'stream');
      if (event.topic === 'retained') t.same([event.stream_id, event.message_ids], [square, [old]]);
    }
    const { topics } = await member.api.ok<{ topics: { name: string; max_id: number }[] }>(
      'GET /users/me/{stream_id}/topics',
      { stream_id: square },
    );
    t.match(
      topics.find(({ name }) => name === 'retained'),
      { max_id: young },
    );
    t.notOk(
      topics.some(({ name }) => name === 'limit'),
      'topics without messages are gone, too',
    );
  });

  await t.test('old messages are deleted a day after the start of a server that was off for long', async (t) => {
    const id = await say(member, 'square', 'off', 'x');
    await server.restart(() => clock.leap(30 * DAY * 1_000));
    await pass(0.5);
    t.ok(await exists(id), 'the message stays, because the clock may be ahead');
    await leap(DAY * 1_000);
    await until('it is gone', async () => !(await exists(id)), 5_000);
  });

  await t.test('old messages are deleted although the server runs only for some hours each week', async (t) => {
    const id = await say(member, 'square', 'weekly', 'x');
    await server.restart(() => clock.leap(7 * DAY * 1_000));
    await pass(0.5);
    t.ok(await exists(id), 'the message stays, because the clock may be ahead');
    await server.restart(() => clock.leap(7 * DAY * 1_000));
    await clock.advanceAsync(60_000);
    t.ok(await exists(id), 'the clock may be ahead for a minute');
    await leap(3_600_000);
    await until('it is gone', async () => !(await exists(id)), 5_000);
  });

  await t.test('messages outlive a clock that is ahead, and old ones are deleted once it is right', async (t) => {
    const year = 365 * DAY * 1_000;
    const young = await say(member, 'square', 'ahead', 'x');
    await pass(1);
    await server.restart(() => clock.correctWallTime(year));
    await pass(0.5);
    t.ok(await exists(young));
    await server.restart(() => clock.correctWallTime(-year));
    const kept = await say(member, 'square', 'ahead', 'y');
    await pass(5);
    await until('it is gone', async () => !(await exists(young)), 5_000);
    t.ok(await exists(kept));
    clock.correctWallTime(year);
    await pass(0.5);
    t.ok(await exists(kept), 'the message stays while the server runs');
    clock.correctWallTime(-year);
    await pass(2);
    await until('it is gone, too', async () => !(await exists(kept)), 5_000);
  });
}
