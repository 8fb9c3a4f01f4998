/** Timed changes of scheduled messages, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { FakeClock, settle } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { atLevel } from '../../support/levels.js';
import { makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiMessage } from '../../support/types.js';
import type { ApiScheduled } from './scheduled.js';

const NOTIFICATION_BOT = 1;

export async function scheduledTime(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['admin', 'member', 'other']);
  const { owner, member, other } = org;
  await subscribe(owner, 'dock', { principals: [owner, member, other] });
  const dock = await streamIdOf(owner, 'dock');

  const seconds = (): number => Math.floor(clock.now() / 1000);
  const made = async (params: Params, by: Person = member): Promise<number> => {
    const given = { type: 'stream', to: dock, topic: 'tides', content: 'x', ...params };
    const answer = await by.api.ok<{ scheduled_message_id: number }>('POST /scheduled_messages', given);
    return answer.scheduled_message_id;
  };
  const list = async (by: Person = member): Promise<ApiScheduled[]> =>
    (await by.api.ok<{ scheduled_messages: ApiScheduled[] }>('GET /scheduled_messages')).scheduled_messages;
  const listen = (by: Person) =>
    Queue.register(by, {
      event_types: ['message', 'scheduled_messages'],
      apply_markdown: false,
      fetch_event_types: [],
      queue_lifespan_secs: 86_400,
    });
  const said = (events: readonly ApiEvent[]): ApiMessage[] =>
    events.filter((event) => event.type === 'message').map((event) => event.message as ApiMessage);
  const contents = async (): Promise<string[]> => {
    const { messages } = await other.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: 'newest',
      num_before: 1_000,
      num_after: 0,
      apply_markdown: false,
      narrow: [
        { operator: 'stream', operand: 'dock' },
        { operator: 'topic', operand: 'tides' },
      ],
    });
    return messages.map((message) => message.content);
  };
  /** Waits in real time until work started by the clock is done. */
  const sentAll = (by: Person = member) => until('all are sent', async () => (await list(by)).length === 0, 5_000);

  /** A starting server retries some work after short waits, for which the clock must move. */
  const ticking = async <T>(pending: Promise<T>): Promise<T> => {
    let done = false;
    const over = (): void => {
      done = true;
    };
    pending.then(over, over);
    await until('settled while the clock goes on', () => {
      clock.advance(10);
      return done;
    });
    return pending;
  };

  await t.test('a scheduled message is sent not before its time, and once', async (t) => {
    await made({ content: 'later', scheduled_delivery_timestamp: seconds() + 600 });
    await made({ content: 'sooner', scheduled_delivery_timestamp: seconds() + 300 });
    await clock.advanceAsync(299_000);
    t.same(await contents(), []);
    await clock.advanceAsync(2_000);
    await until('the first is sent', async () => (await list()).length === 1, 5_000);
    t.same(await contents(), ['sooner']);
    await clock.advanceAsync(300_000);
    await sentAll();
    t.same(await contents(), ['sooner', 'later']);
  });

  await t.test('mentions of clients of newer levels are sent as they were scheduled', async (t) => {
    const texts = ['@**channel** hear', '@**topic** hear'];
    for (const content of texts) await made({ content, scheduled_delivery_timestamp: seconds() + 60 }, atLevel(member));
    await made({ content: texts[0]!, scheduled_delivery_timestamp: seconds() + 60 });
    const queue = await listen(owner);
    // A change of the time alone keeps the mentions.
    const [first] = await list();
    await member.api.ok('PATCH /scheduled_messages/{scheduled_message_id}', {
      ...{ scheduled_message_id: first!.scheduled_message_id, scheduled_delivery_timestamp: seconds() + 61 },
    });
    await owner.api.ok('POST /messages', { type: 'stream', to: dock, topic: 'tides', content: 'I take part' });
    await clock.advanceAsync(62_000);
    await ticking(sentAll());
    const flags = (await queue.take(4)).map(({ message, flags }) => [(message as ApiMessage).content, flags]);
    t.same(
      flags.slice(1).sort(),
      [
        [texts[0], []],
        [texts[0], ['wildcard_mentioned']],
        [texts[1], ['wildcard_mentioned']],
      ].sort(),
    );
  });

  await t.test('an edit postpones a scheduled message, or brings it forward', async (t) => {
    const id = await made({ content: 'moved', scheduled_delivery_timestamp: seconds() + 60 });
    const edit = (at: number) =>
      member.api.ok('PATCH /scheduled_messages/{scheduled_message_id}', {
        scheduled_message_id: id,
        scheduled_delivery_timestamp: at,
      });
    await edit(seconds() + 3_600);
    await clock.advanceAsync(120_000);
    t.equal((await list()).length, 1);
    await edit(seconds() + 60);
    await clock.advanceAsync(61_000);
    await sentAll();
    t.equal((await contents()).at(-1), 'moved');
  });

  await t.test('a deleted scheduled message is not sent', async (t) => {
    const scheduled_message_id = await made({ content: 'never', scheduled_delivery_timestamp: seconds() + 60 });
    await made({ content: 'after it', scheduled_delivery_timestamp: seconds() + 61 });
    await member.api.ok('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id });
    await clock.advanceAsync(62_000);
    await sentAll();
    t.same((await contents()).slice(-2), ['moved', 'after it']);
  });

  await t.test('sender and client are those of the scheduling; a message to oneself is unread', async (t) => {
    const queue = await listen(other);
    const at = { scheduled_delivery_timestamp: seconds() + 60 };
    const human = { ...other, api: other.api.with({ 'user-agent': 'ZulipMobile/27.0' }) };
    const note = { type: 'direct', to: [other.id], topic: undefined };
    await made({ ...at, ...note, content: 'to me' }, human);
    await made({ ...at, content: 'to all' }, human);
    await clock.advanceAsync(61_000);
    const events = (await queue.until((seen) => said(seen).length === 2)).filter((event) => event.type === 'message');
    const flags = Object.fromEntries(events.map((event) => [(event.message as ApiMessage).content, event.flags]));
    t.same(flags, { 'to me': [], 'to all': ['read'] });
    t.same(
      said(events).map((message) => [message.sender_id, message.client]),
      [
        [other.id, 'ZulipMobile'],
        [other.id, 'ZulipMobile'],
      ],
    );
    await sentAll(other);
  });

  await t.test('thousands of messages for the same second are all sent, each once', async (t) => {
    const texts = Array.from({ length: 70 }, (_, i) => `many ${i}`);
    const at = seconds() + 60;
    for (const content of texts) await made({ content, scheduled_delivery_timestamp: at });
    await clock.advanceAsync(61_000);
    await until(
      'all are sent',
      async () => {
        await clock.advanceAsync(10);
        return (await list()).length === 0;
      },
      10_000,
    );
    t.same((await contents()).filter((text) => text.startsWith('many')).sort(), [...texts].sort());
  });

  await t.test(
    'a message that came due while the server was down is sent once at its start, however late',
    async (t) => {
      await made({ content: 'overslept', scheduled_delivery_timestamp: seconds() + 60 });
      await made({ content: 'still to come', scheduled_delivery_timestamp: seconds() + 7_200 });
      await server.restart(() => clock.advance(3_600_000));
      await ticking(until('the first is sent', async () => (await list()).length === 1, 5_000));
      t.equal((await contents()).at(-1), 'overslept');
      await server.restart();
      t.equal((await ticking(contents())).filter((text) => text === 'overslept').length, 1);
      await clock.advanceAsync(4_000_000);
      await sentAll();
      t.equal((await contents()).at(-1), 'still to come');
    },
  );

  await t.test(
    'a scheduled message that cannot be sent fails; its sender gets the reason and can set another time',
    async (t) => {
      const at = seconds() + 600;
      const direct = { type: 'direct', to: [other.id], topic: undefined };
      const id = await made({ ...direct, content: 'too late', scheduled_delivery_timestamp: at });
      await owner.api.ok('PATCH /realm', { private_message_policy: 2 });
      const queue = await listen(member);
      await clock.advanceAsync(601_000);
      const events = await queue.until((seen) => said(seen).length === 1);
      const failed = (await list()).find((message) => message.scheduled_message_id === id)!;
      t.equal(failed.failed, true);
      t.match(events[0], { type: 'scheduled_messages', op: 'update', scheduled_message: failed });
      const [notice] = said(events);
      t.equal(notice!.sender_id, NOTIFICATION_BOT);
      t.match(notice!.content, '> Direct messages are disabled in this organization.');
      t.match(notice!.content, `<time:${new Date(at * 1000).toISOString().slice(0, 19)}+00:00>`);
      const edit = (params: Params) =>
        member.api.call('PATCH /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id, ...params });
      await refused(t, edit({ content: 'x' }), bad('Scheduled delivery time must be in the future.'));
      await clock.advanceAsync(600_000);
      t.equal((await list()).length, 1, 'it is not tried again');
      await owner.api.ok('PATCH /realm', { private_message_policy: 1 });
      t.equal((await edit({ scheduled_delivery_timestamp: seconds() + 60 })).status, 200);
      t.equal((await list())[0]!.failed, false);
      await clock.advanceAsync(61_000);
      await sentAll();
      t.equal(said(await queue.until((seen) => said(seen).length === 1))[0]!.content, 'too late');
    },
  );

  await t.test('a clock that is far ahead for some minutes sends no scheduled message early', async (t) => {
    const month = 30 * 86_400_000;
    await made({ content: 'in ten days', scheduled_delivery_timestamp: seconds() + 10 * 86_400 });
    clock.correctWallTime(month);
    // A further message sets the timer of the user's actor.
    const later = await made({ content: 'later', scheduled_delivery_timestamp: seconds() + 86_400 });
    for (let minute = 0; minute < 5; minute++) {
      await clock.advanceAsync(60_000);
      await settle(20);
    }
    t.equal((await list()).length, 2);
    clock.correctWallTime(-month);
    await clock.advanceAsync(900_000);
    t.equal((await list()).length, 2);
    await member.api.ok('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: later });
    await clock.longAsync(10 * 86_400_000);
    await sentAll();
    t.equal((await contents()).at(-1), 'in ten days');
  });

  await t.test('scheduled messages that come days late are sent after ten minutes', async (t) => {
    await made({ content: 'slept for days', scheduled_delivery_timestamp: seconds() + 600 });
    await ticking(server.restart(() => clock.leap(3 * 86_400_000)));
    await clock.advanceAsync(60_000);
    t.equal((await ticking(list())).length, 1, 'the clock may be ahead');
    await clock.advanceAsync(600_000);
    await sentAll();
    t.equal((await contents()).at(-1), 'slept for days');
  });
}
