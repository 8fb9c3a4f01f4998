/** Turns of outboxes: the order of commands, and the pauses between slices of time. */
import t from 'tap';
import { SendingTurns } from '../../../src/runtime/sending-turns.js';
import { ledgerKey } from '../../cluster/kinds.js';
import { FakeClock } from '../../support/fake-clock.js';

/** Takes turns for commands of 4 ms each. @returns the senders in the order of their turns */
function takeTurns(turns: SendingTurns, clock: FakeClock, senders: readonly number[]): number[] {
  const done: number[] = [];
  for (const sender of senders) {
    const send = (): void => {
      done.push(sender);
      clock.advance(4);
    };
    const turn = turns.waitForTurn(ledgerKey(sender));
    if (turn) void turn.then(send);
    else send();
  }
  return done;
}

const nextTurnOfEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('a commit with many commands holds the event loop for one time slice at most', async (t) => {
  const clock = new FakeClock();
  const done = takeTurns(new SendingTurns(clock), clock, Array(7).fill(1));
  t.equal(done.length, 1, 'the first command is sent at once');
  await nextTurnOfEventLoop();
  t.equal(done.length, 3, 'the next ones until 10 ms have passed');
  await nextTurnOfEventLoop();
  t.equal(done.length, 6);
  await nextTurnOfEventLoop();
  t.equal(done.length, 7);
});

t.test('a command is sent when all microtasks that the previous one caused are done', async (t) => {
  const turns = new SendingTurns(new FakeClock());
  const order: string[] = [];
  t.equal(turns.waitForTurn(ledgerKey(1)), undefined);
  void turns.waitForTurn(ledgerKey(1))!.then(() => order.push('second'));
  let first = Promise.resolve();
  for (let i = 0; i < 50; i++) first = first.then(() => {});
  void first.then(() => order.push('first'));
  await nextTurnOfEventLoop();
  t.same(order, ['first', 'second']);
});

t.test('a large commit does not delay the commands of other actors', async (t) => {
  const clock = new FakeClock();
  const done = takeTurns(new SendingTurns(clock), clock, [1, 1, 1, 1, 1, 1, 2]);
  await nextTurnOfEventLoop();
  await nextTurnOfEventLoop();
  t.ok(done.indexOf(2) < 3, done.join());
});

t.test('a hundred thousand commands get their turns in order', { timeout: 10_000 }, async (t) => {
  const turns = new SendingTurns(new FakeClock());
  const count = 100_000;
  let next = 0;
  let areInOrder = true;
  turns.waitForTurn(ledgerKey(1));
  const sent = Array.from({ length: count }, (_, i) =>
    turns.waitForTurn(ledgerKey(1))!.then(() => {
      areInOrder &&= i === next++;
    }),
  );
  await Promise.all(sent);
  t.ok(areInOrder);
  t.equal(next, count);
});
