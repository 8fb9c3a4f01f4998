/** Kills of a server under traffic, and the checks after them. */
import type { Test } from 'tap';
import { rounds } from '../../support/rounds.js';
import type { Api } from './api.js';
import { type Follower, findEventFaults, findHistoryFaults, type Sender } from './chatter.js';
import { until } from './wait.js';

export const STREAM = 'general';
/** Number of acknowledged sends after a kill that prove that the server works again. */
const SENDS_AFTER_KILL = rounds(10, 20);
/** A kill comes after 5 sends and a random number below this one. */
const MAX_EXTRA_SENDS_BEFORE_KILL = rounds(15, 40);

const waitForSends = (sender: Sender, more: number): Promise<number> => {
  const goal = sender.acknowledged.size + more;
  return until(`${more} more acknowledged sends`, () => sender.acknowledged.size >= goal);
};

/** Kills at a random point of the traffic and waits until sends are acknowledged again. */
export async function killUnderTraffic(test: Test, sender: Sender, kill: () => Promise<unknown>): Promise<void> {
  await waitForSends(sender, 5 + Math.floor(Math.random() * MAX_EXTRA_SENDS_BEFORE_KILL));
  await until('a send is under way', () => sender.inFlight > 0);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  const before = sender.acknowledged.size;
  await kill();
  const ms = await waitForSends(sender, SENDS_AFTER_KILL);
  test.comment(`killed after ${before} sends; ${SENDS_AFTER_KILL} more were acknowledged within ${Math.round(ms)} ms`);
}

/** Checks that acknowledged sends are neither missing nor doubled, in the history and in the queue. */
export async function checkNothingLost(test: Test, api: Api, sender: Sender, follower: Follower): Promise<void> {
  await follower.has(sender.acknowledged.keys());
  follower.stop();
  test.strictSame(
    findEventFaults(follower),
    [],
    `each of ${follower.events.length} events came once, with growing ids`,
  );
  const history = await api.history(STREAM, 5_000);
  test.strictSame(findHistoryFaults(history, sender), [], 'every acknowledged send is in the history exactly once');
}
