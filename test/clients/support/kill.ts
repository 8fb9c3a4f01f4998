/** Kills in the middle of traffic, and what must hold afterwards. */
import type { Test } from 'tap';
import { rounds } from '../../support/rounds.js';
import type { Api } from './api.js';
import { type Follower, faultsOf, faultsOfHistory, type Sender } from './chatter.js';
import { until } from './wait.js';

export const STREAM = 'general';
/** Deliveries after the kill that show that everything runs again. */
const AFTERWARDS = rounds(10, 20);
/** Most sends before a kill, but five. */
const BEFORE = rounds(15, 40);

const acknowledged = (sender: Sender, more: number): Promise<number> => {
  const goal = sender.acknowledged.size + more;
  return until(`${more} more acknowledged sends`, () => sender.acknowledged.size >= goal);
};

/** Lets traffic run to a random point, kills there, and waits until traffic is back. */
export async function killAmidst(test: Test, sender: Sender, kill: () => Promise<unknown>): Promise<void> {
  await acknowledged(sender, 5 + Math.floor(Math.random() * BEFORE));
  await until('a send is under way', () => sender.underWay > 0);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  const before = sender.acknowledged.size;
  await kill();
  const ms = await acknowledged(sender, AFTERWARDS);
  test.comment(`killed after ${before} sends; ${AFTERWARDS} more were acknowledged within ${Math.round(ms)} ms`);
}

/** Nothing acknowledged is missing or doubled, in the history and in the queue. */
export async function judge(test: Test, api: Api, sender: Sender, follower: Follower): Promise<void> {
  await follower.has(sender.acknowledged.keys());
  follower.stop();
  test.strictSame(faultsOf(follower), [], `the queue had each of ${follower.events.length} events once, ids growing`);
  const history = await api.history(STREAM, 5_000);
  test.strictSame(faultsOfHistory(history, sender), [], 'every acknowledged send is in the history once');
}
