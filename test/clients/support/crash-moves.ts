/** Test that moves of a topic complete when a kill comes before or between the several commits of the move. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { rounds } from '../../support/rounds.js';
import type { Api, Message } from './api.js';
import { Follower, faultsOf } from './chatter.js';
import type { Embedded } from './face.js';
import { until } from './wait.js';
import { begin, counts, crash, notOnce } from './world.js';

export async function movedWhole(test: Test, face: Embedded): Promise<void> {
  const world = await begin(face, 2, ['left', 'right']);
  const { owner, other, random, streams } = world;
  // Needs two commits of at most 500 messages; three in the long run.
  const SIZE = rounds(700, 1_500);
  const ROUNDS = rounds(1, 6);
  const ids = await fill(owner, SIZE);
  const follower = await Follower.start([other], ['update_message']);
  test.teardown(() => follower.stop());
  const all = async (): Promise<Message[]> => {
    const of = (operand: string) => owner.messages([{ operator: 'stream', operand }], 5_000);
    return [...(await of('left')), ...(await of('right'))];
  };
  const reacted: string[] = [];
  const late = new Map<string, number>();
  let usual = { decided: 0, written: 0 };

  for (let round = 0; round <= ROUNDS; round++) {
    const [from, to] = round % 2 === 0 ? (['left', 'right'] as const) : (['right', 'left'] as const);
    const move = () =>
      owner.call('PATCH', `/messages/${random.pick(ids)}`, {
        stream_id: streams.get(to)!,
        topic: `t${round + 1}`,
        propagate_mode: 'change_all',
        send_notification_to_old_thread: true,
      });
    let going = true;
    const meanwhile = [
      repeat(
        () => going,
        async () => {
          const [id, emoji_name] = [random.pick(ids), random.pick(['tada', 'heart', 'wave', 'octopus'])];
          await other.ok('POST', `/messages/${id}/reactions`, { emoji_name });
          reacted.push(`${id} ${emoji_name}`);
        },
      ),
      repeat(
        () => going,
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
    const decided = until('the decision', () => follower.events.length > round).then(() => performance.now() - began);
    if (round === 0) {
      await Promise.all([decided, answer]);
      usual = { decided: await decided, written: performance.now() - began - (await decided) };
      test.comment(
        `without a kill: decided after ${Math.round(usual.decided)} ms, written ${Math.round(usual.written)} ms later`,
      );
    } else {
      decided.catch(() => undefined);
      if (round % 3 === 0) await sleep(random.next() * usual.decided);
      else await decided.then(() => sleep(random.next() * usual.written));
      await crash(world);
    }
    const result = await answer;
    going = false;
    await Promise.all(meanwhile);

    const of = (messages: readonly Message[], place: string) =>
      messages.filter((one) => one.content.startsWith('big ') && one.stream_id === streams.get(place)).length;
    let now = await all();
    const atOnce = of(now, to);
    if (of(now, from) === SIZE) {
      if (result === 'success') test.fail('an acknowledged move was lost');
      test.equal((await move()).body.result, 'success', 'the move succeeds when repeated');
    }
    const settled = async (): Promise<boolean> => {
      now = await all();
      return of(now, to) === SIZE;
    };
    await until('all messages in the new place', settled);
    test.comment(`round ${round}: ${result}; ${atOnce} of ${SIZE} moved right after the restart`);
    const big = now.filter((one) => one.content.startsWith('big '));
    test.strictSame(
      [
        big.length,
        notOnce(
          ids,
          big.map(({ id }) => id),
        ),
        new Set(big.map(({ subject }) => subject)),
      ],
      [SIZE, [], new Set([`t${round + 1}`])],
      'every message is in the new topic exactly once',
    );
    const entries = counts(big.map(({ edit_history: history = [] }) => history.length));
    test.strictSame([...entries], [[round + 1, SIZE]], 'each message has one history entry per move');
    const shown = now.flatMap(({ id, reactions }) => reactions.map((one) => `${id} ${one.emoji_name}`));
    test.strictSame(
      [...new Set(reacted)].filter((one) => !shown.includes(one)),
      [],
      `${reacted.length} reactions survive the moves`,
    );
    test.equal(new Set(shown).size, shown.length, 'no reaction is doubled');
    const lateNow = now.filter((one) => one.content.startsWith('late ')).map(({ content }) => content);
    test.strictSame(
      notOnce(late.keys(), lateNow),
      [],
      `${late.size} messages sent during the moves are in exactly one topic`,
    );
  }

  const notices = (await all())
    .map(({ content }) => content)
    .filter((content) => content.includes('This topic was moved'));
  const wanted = Array.from({ length: ROUNDS + 1 }, (_, round) => [`>t${round}**`, `>t${round + 1}**`]);
  const got = wanted.map(([from, to]) => [
    notices.filter((text) => text.includes(`moved here from`) && text.includes(from!)).length,
    notices.filter((text) => text.includes(`moved to`) && text.includes(to!)).length,
  ]);
  test.strictSame(
    got,
    wanted.map(() => [1, 1]),
    'both topics have one notice per move',
  );
  await until('the events of all moves', () => follower.events.length > ROUNDS);
  test.strictSame(faultsOf(follower), []);
  test.strictSame(
    follower.events.map((event) => event.orig_subject),
    wanted.map((_, round) => `t${round}`),
    'the queue delivers each move once',
  );
  const lost = follower.events.map((event) => notOnce(ids, event.message_ids as number[]).length);
  test.strictSame(
    lost,
    wanted.map(() => 0),
    'each event names all moved messages',
  );
}

/** @returns ids of `size` new messages in one topic */
async function fill(api: Api, size: number): Promise<number[]> {
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
async function repeat(going: () => boolean, what: () => Promise<void>): Promise<void> {
  while (going()) {
    try {
      await what();
    } catch {
      await sleep(20);
    }
  }
}
