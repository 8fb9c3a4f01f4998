/** Test that moves of a topic complete when a kill comes before or between the several commits of the move. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { rounds } from '../../support/rounds.js';
import type { Api, Message } from './api.js';
import { Follower, findEventFaults } from './chatter.js';
import { countEach, killAndRestart, notExactlyOnce, startCrashTest } from './crash-test.js';
import type { Embedded } from './face.js';
import { until } from './wait.js';

export async function testTopicMoves(test: Test, face: Embedded): Promise<void> {
  const crashTest = await startCrashTest(face, 2, ['left', 'right']);
  const { owner, other, random, streams } = crashTest;
  // Needs two commits of at most 500 messages; three in the long run.
  const MESSAGE_COUNT = rounds(700, 1_500);
  const MOVE_COUNT = rounds(1, 6);
  const ids = await sendMessages(owner, MESSAGE_COUNT);
  const follower = await Follower.start([other], ['update_message']);
  test.teardown(() => follower.stop());
  const all = async (): Promise<Message[]> => {
    const of = (operand: string) => owner.messages([{ operator: 'stream', operand }], 5_000);
    return [...(await of('left')), ...(await of('right'))];
  };
  const reacted: string[] = [];
  const late = new Map<string, number>();
  let usualMs = { decided: 0, written: 0 };

  for (let round = 0; round <= MOVE_COUNT; round++) {
    const [from, to] = round % 2 === 0 ? (['left', 'right'] as const) : (['right', 'left'] as const);
    const move = () =>
      owner.call('PATCH', `/messages/${random.pick(ids)}`, {
        stream_id: streams.get(to)!,
        topic: `t${round + 1}`,
        propagate_mode: 'change_all',
        send_notification_to_old_thread: true,
      });
    let isRunning = true;
    const meanwhile = [
      repeat(
        () => isRunning,
        async () => {
          const [id, emoji_name] = [random.pick(ids), random.pick(['tada', 'heart', 'wave', 'octopus'])];
          await other.ok('POST', `/messages/${id}/reactions`, { emoji_name });
          reacted.push(`${id} ${emoji_name}`);
        },
      ),
      repeat(
        () => isRunning,
        async () => {
          const content = `late ${round} ${late.size} ${random.below(1e9)}`;
          const sent = await other.ok('POST', '/messages', { type: 'stream', to: from, topic: `t${round}`, content });
          late.set(content, sent.id as number);
        },
      ),
    ];
    const began = performance.now();
    const answer = move().then(
      ({ body }) => body.result,
      () => 'no answer',
    );
    // Round 0 has no kill and measures the usual time until the decision, and from the decision to the last write.
    const decided = until('the move event arrives', () => follower.events.length > round).then(
      () => performance.now() - began,
    );
    if (round === 0) {
      await Promise.all([decided, answer]);
      usualMs = { decided: await decided, written: performance.now() - began - (await decided) };
      test.comment(
        `without a kill: decided after ${Math.round(usualMs.decided)} ms, written ${Math.round(usualMs.written)} ms later`,
      );
    } else {
      decided.catch(() => undefined);
      if (round % 3 === 0) await sleep(random.next() * usualMs.decided);
      else await decided.then(() => sleep(random.next() * usualMs.written));
      await killAndRestart(crashTest);
    }
    const result = await answer;
    isRunning = false;
    await Promise.all(meanwhile);

    const of = (messages: readonly Message[], place: string) =>
      messages.filter((one) => one.content.startsWith('big ') && one.stream_id === streams.get(place)).length;
    let now = await all();
    const atOnce = of(now, to);
    if (of(now, from) === MESSAGE_COUNT) {
      if (result === 'success') test.fail('an acknowledged move was lost');
      test.equal((await move()).body.result, 'success', 'the move succeeds when repeated');
    }
    const settled = async (): Promise<boolean> => {
      now = await all();
      return of(now, to) === MESSAGE_COUNT;
    };
    await until('every message is in the new topic', settled);
    test.comment(`round ${round}: ${result}; ${atOnce} of ${MESSAGE_COUNT} moved right after the restart`);
    const big = now.filter((one) => one.content.startsWith('big '));
    test.strictSame(
      [
        big.length,
        notExactlyOnce(
          ids,
          big.map(({ id }) => id),
        ),
        new Set(big.map(({ subject }) => subject)),
      ],
      [MESSAGE_COUNT, [], new Set([`t${round + 1}`])],
      'every message is in the new topic exactly once',
    );
    const entries = countEach(big.map(({ edit_history: history = [] }) => history.length));
    test.strictSame([...entries], [[round + 1, MESSAGE_COUNT]], 'each message has one history entry per move');
    const shown = now.flatMap(({ id, reactions }) => reactions.map((one) => `${id} ${one.emoji_name}`));
    test.strictSame(
      [...new Set(reacted)].filter((one) => !shown.includes(one)),
      [],
      `${reacted.length} reactions survive the moves`,
    );
    test.equal(new Set(shown).size, shown.length, 'no reaction is doubled');
    const lateNow = now.filter((one) => one.content.startsWith('late ')).map(({ content }) => content);
    test.strictSame(
      notExactlyOnce(late.keys(), lateNow),
      [],
      `${late.size} messages sent during the moves are in exactly one topic`,
    );
  }

  const notices = (await all())
    .map(({ content }) => content)
    .filter((content) => content.includes('This topic was moved'));
  const wanted = Array.from({ length: MOVE_COUNT + 1 }, (_, round) => [`>t${round}**`, `>t${round + 1}**`]);
  const got = wanted.map(([from, to]) => [
    notices.filter((text) => text.includes(`moved here from`) && text.includes(from!)).length,
    notices.filter((text) => text.includes(`moved to`) && text.includes(to!)).length,
  ]);
  test.strictSame(
    got,
    wanted.map(() => [1, 1]),
    'both topics have one notice per move',
  );
  await until('the queue has the events of all moves', () => follower.events.length > MOVE_COUNT);
  test.strictSame(findEventFaults(follower), []);
  test.strictSame(
    follower.events.map((event) => event.orig_subject),
    wanted.map((_, round) => `t${round}`),
    'the queue delivers each move once',
  );
  const lost = follower.events.map((event) => notExactlyOnce(ids, event.message_ids as number[]).length);
  test.strictSame(
    lost,
    wanted.map(() => 0),
    'each event names all moved messages',
  );
}

/** @returns ids of `size` new messages in one topic */
async function sendMessages(api: Api, size: number): Promise<number[]> {
  const ids: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < size) {
      const to = { type: 'stream', to: 'left', topic: 't0', content: `big ${next++}` };
      ids.push((await api.ok('POST', '/messages', to)).id as number);
    }
  };
  await Promise.all(Array.from({ length: 40 }, lane));
  return ids;
}

/** Repeats an action, also after failures, while `going` is true. */
async function repeat(isRunning: () => boolean, what: () => Promise<void>): Promise<void> {
  while (isRunning()) {
    try {
      await what();
    } catch {
      await sleep(20);
    }
  }
}
