/** Test that scheduled messages are sent exactly once when kills come around their due time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { rounds } from '../../support/rounds.js';
import { myId } from './api.js';
import { Follower } from './chatter.js';
import { killAndRestart, notExactlyOnce, startCrashTest } from './crash-test.js';
import type { Embedded } from './face.js';
import { until } from './wait.js';

/** Lead time in seconds for scheduling all messages: the server refuses a message that would already be due. */
const AHEAD_S = 6;

export async function testScheduledMessages(test: Test, face: Embedded): Promise<void> {
  const crashTest = await startCrashTest(face, 1, ['general', 'doomed']);
  const { owner, other, random, streams } = crashTest;
  const apis = [owner, other];
  const [me, they] = [await myId(owner), await myId(other)];
  const types = ['message', 'scheduled_messages'];
  const followers = [await Follower.start([owner], types), await Follower.start([other], types)];
  test.teardown(() => {
    for (const follower of followers) follower.stop();
  });

  const KILL_COUNT = rounds(1, 6);
  // More than an actor sends in one batch.
  const MESSAGES_PER_KILL = 30;
  const firstDue = Math.floor(Date.now() / 1000) + AHEAD_S;
  const scheduled: { content: string; id: number; by: number; at: number; fails: boolean }[] = [];
  await Promise.all(
    Array.from({ length: KILL_COUNT * MESSAGES_PER_KILL }, async (_, n) => {
      const at = firstDue + 2 * (n % KILL_COUNT);
      const by = random.chance(0.8) ? 0 : 1;
      const fails = n % 7 === 6;
      const stream = streams.get(fails ? 'doomed' : 'general')!;
      const content = `scheduled ${n}`;
      const direct = !fails && random.chance(0.4);
      const to = direct
        ? { type: 'direct', to: [[me, they][random.below(2)]] }
        : { type: 'stream', to: stream, topic: 'later' };
      const { scheduled_message_id } = await apis[by]!.ok('POST', '/scheduled_messages', {
        ...to,
        content,
        scheduled_delivery_timestamp: at,
      });
      scheduled.push({ content, id: scheduled_message_id as number, by, at, fails });
    }),
  );
  await owner.ok('DELETE', `/streams/${streams.get('doomed')}`);

  for (let kill = 0; kill < KILL_COUNT; kill++) {
    // Random moment from 10 ms before the due time to 140 ms after it: most kills come while messages are being sent.
    const moment = (firstDue + 2 * kill) * 1000 - 10 + random.below(150);
    if (moment < Date.now()) test.comment('late: the previous kill and restart took longer than planned');
    await sleep(Math.max(0, moment - Date.now()));
    const told = followers.flatMap(({ events }) => events).filter(({ op }) => op === 'remove' || op === 'update');
    test.comment(
      `kill ${kill + 1}: ${told.length} of ${MESSAGES_PER_KILL * (kill + 1)} were processed and reported by events`,
    );
    await killAndRestart(crashTest);
  }

  const list = async (by: number) =>
    (await apis[by]!.ok('GET', '/scheduled_messages')).scheduled_messages as {
      scheduled_message_id: number;
      failed: boolean;
    }[];
  for (const by of [0, 1]) {
    const failing = scheduled.filter((one) => one.by === by && one.fails).map(({ id }) => id);
    await until('the list has failed messages only', async () => (await list(by)).every(({ failed }) => failed));
    test.strictSame(
      new Set((await list(by)).map(({ scheduled_message_id }) => scheduled_message_id)),
      new Set(failing),
      `the list hides ${scheduled.filter((one) => one.by === by).length - failing.length} sent messages and shows ${failing.length} failed ones`,
    );
  }
  const good = scheduled.filter(({ fails }) => !fails);
  const history = [
    ...(await owner.history('general')),
    ...(await owner.messages([{ operator: 'is', operand: 'dm' }])),
    // Messages of the other user to themselves.
    ...(await other.messages([{ operator: 'dm', operand: [they] }])),
  ].map(({ content }) => content);
  const mine = history.filter((content) => content.startsWith('scheduled '));
  test.strictSame(
    notExactlyOnce(
      good.map(({ content }) => content),
      mine,
    ),
    [],
    `${good.length} messages are in the history exactly once`,
  );
  test.equal(mine.length, good.length, 'the history has no other scheduled messages');

  for (const [by, follower] of followers.entries()) {
    const own = scheduled.filter((one) => one.by === by);
    const fails = own.filter((one) => one.fails);
    const ops = (op: string) =>
      follower.events.filter((event) => event.type === 'scheduled_messages' && event.op === op);
    const removed = () => ops('remove').map((event) => event.scheduled_message_id as number);
    const failed = () =>
      ops('update').map((event) => (event.scheduled_message as { scheduled_message_id: number }).scheduled_message_id);
    const notices = () => follower.events.filter(({ message }) => message?.content.includes('was not sent because'));
    await until(
      'the queue delivers its last events',
      () =>
        removed().length >= own.length - fails.length &&
        failed().length >= fails.length &&
        notices().length >= fails.length,
    );
    const sent = own.filter((one) => !one.fails).map(({ id }) => id);
    test.strictSame(
      [notExactlyOnce(sent, removed()), removed().length],
      [[], sent.length],
      'the queue has one remove event per sent message',
    );
    test.strictSame(
      notExactlyOnce(
        fails.map(({ id }) => id),
        failed(),
      ),
      [],
      'the queue has one update event per failed message',
    );
    test.equal(notices().length, fails.length, 'the queue has one notice per failed message');
    const contents = follower.contents();
    test.strictSame(
      [...contents].filter(([content, n]) => content.startsWith('scheduled ') && n !== 1),
      [],
      'no message is delivered twice',
    );
    test.strictSame(
      own.filter(({ content, fails: no }) => !no && !contents.has(content)),
      [],
      'every sent message is delivered',
    );
  }
}
