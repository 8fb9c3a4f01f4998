/** Messages that the server sends later, and kills around the time when they are due. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { rounds } from '../../support/rounds.js';
import { myId } from './api.js';
import { Follower } from './chatter.js';
import type { Embedded } from './face.js';
import { until } from './wait.js';
import { begin, crash, notOnce } from './world.js';

/** Time in which all are scheduled: the server refuses one that would be due already. */
const AHEAD_S = 6;

export async function scheduledOnce(test: Test, face: Embedded): Promise<void> {
  const world = await begin(face, 1, ['general', 'doomed']);
  const { owner, other, random, streams } = world;
  const apis = [owner, other];
  const [me, they] = [await myId(owner), await myId(other)];
  const types = ['message', 'scheduled_messages'];
  const followers = [await Follower.start([owner], types), await Follower.start([other], types)];
  test.teardown(() => {
    for (const follower of followers) follower.stop();
  });

  const KILLS = rounds(1, 6);
  // More than an actor hands over at once.
  const EACH = 30;
  const firstDue = Math.floor(Date.now() / 1000) + AHEAD_S;
  const scheduled: { content: string; id: number; by: number; at: number; fails: boolean }[] = [];
  await Promise.all(
    Array.from({ length: KILLS * EACH }, async (_, n) => {
      const at = firstDue + 2 * (n % KILLS);
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

  for (let kill = 0; kill < KILLS; kill++) {
    // Some when they are waiting, most while they are handed over, some after it.
    const moment = (firstDue + 2 * kill) * 1000 - 10 + random.below(150);
    if (moment < Date.now()) test.comment('late: the kill before took long');
    await sleep(Math.max(0, moment - Date.now()));
    const told = followers.flatMap(({ events }) => events).filter(({ op }) => op === 'remove' || op === 'update');
    test.comment(`kill ${kill + 1}: ${told.length} of ${EACH * (kill + 1)} were done and told`);
    await crash(world);
  }

  const list = async (by: number) =>
    (await apis[by]!.ok('GET', '/scheduled_messages')).scheduled_messages as {
      scheduled_message_id: number;
      failed: boolean;
    }[];
  for (const by of [0, 1]) {
    const failing = scheduled.filter((one) => one.by === by && one.fails).map(({ id }) => id);
    await until('only failed messages in the list', async () => (await list(by)).every(({ failed }) => failed));
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
    // The other user's messages to themselves.
    ...(await other.messages([{ operator: 'dm', operand: [they] }])),
  ].map(({ content }) => content);
  const mine = history.filter((content) => content.startsWith('scheduled '));
  test.strictSame(
    notOnce(
      good.map(({ content }) => content),
      mine,
    ),
    [],
    `${good.length} messages are in the history once`,
  );
  test.equal(mine.length, good.length, 'and no others');

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
      'the last events of the queue',
      () =>
        removed().length >= own.length - fails.length &&
        failed().length >= fails.length &&
        notices().length >= fails.length,
    );
    const sent = own.filter((one) => !one.fails).map(({ id }) => id);
    test.strictSame(
      [notOnce(sent, removed()), removed().length],
      [[], sent.length],
      'each was removed once in the queue',
    );
    test.strictSame(
      notOnce(
        fails.map(({ id }) => id),
        failed(),
      ),
      [],
      'each failure came once in the queue',
    );
    test.equal(notices().length, fails.length, 'and one notice tells of it');
    const contents = follower.contents();
    test.strictSame(
      [...contents].filter(([content, n]) => content.startsWith('scheduled ') && n !== 1),
      [],
      'no message came twice',
    );
    test.strictSame(
      own.filter(({ content, fails: no }) => !no && !contents.has(content)),
      [],
      'none was left out',
    );
  }
}
