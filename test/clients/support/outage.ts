/** Test steps for outages, shared by the tests of NATS and MongoDB. */
import type { Test } from 'tap';
import type { Api } from './api.js';
import { end, Follower, faultsOf, faultsOfHistory, isCleanError, Sender } from './chatter.js';
import type { Cluster } from './face.js';
import { bounded, conclave } from './process.js';
import { HANGS_MS, until } from './wait.js';

const STREAM = 'general';
/**
 * Request deadline in seconds. A request waits 1 s for a service known to be down. The deadline is so long that no busy
 * machine reaches even half of it, so a response within half of it did not wait for the deadline.
 */
const DEADLINE_S = 180;
const ANSWERED_MS = (DEADLINE_S * 1000) / 2;
/** Options of servers that lose a service during a test. */
export const OUTAGE_OPTIONS = ['--outage-seconds', '1', '--request-deadline', String(DEADLINE_S)];

/** Checks that a server fails to start with exit code 1 and one line on stderr, without a stack trace. */
export async function failsToStart(test: Test, args: readonly string[], message: RegExp): Promise<void> {
  const ended = await bounded(conclave(['serve', '--port', '0', ...OUTAGE_OPTIONS, ...args]), HANGS_MS);
  test.comment(ended.stderr.trim());
  test.ok(ended.code === 1, `the server exits with code 1 (${ended.code ?? ended.signal}, ${Math.round(ended.ms)} ms)`);
  test.match(ended.stderr, message);
  test.equal(ended.stderr.trim().split('\n').length, 1, 'one line on stderr');
}

/** Sends and polls while a service goes down and comes back, and checks the results. */
export async function surviveOutage(
  test: Test,
  face: Cluster,
  outage: () => Promise<void>,
  back: () => Promise<void>,
): Promise<void> {
  const [a, b] = [face.api(0), face.api(1)];
  await a.subscribe(STREAM);
  const follower = await Follower.start([b]);
  const sender = new Sender([a], STREAM, 'm', ANSWERED_MS);
  test.teardown(() => end(sender, follower));
  const more = (n: number): Promise<number> => {
    const goal = sender.acknowledged.size + n;
    return until(`${n} more acknowledged sends`, () => sender.acknowledged.size >= goal);
  };
  await more(20);
  await outage();
  const reading = a.call('GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0 }, ANSWERED_MS);
  // Two failures: each of the sender's two lanes has met the outage.
  await until('sends failed', () => sender.failed.length >= 2, ANSWERED_MS);
  const read = await reading;
  test.same([read.status, read.body.result], [503, 'error'], 'reads fail with status 503');
  await back();
  test.comment(`sends are acknowledged again after ${Math.round(await more(20))} ms`);
  await sender.stop();
  judgeErrors(test, sender, follower);
  await judge(test, b, sender, follower);
}

function judgeErrors(test: Test, sender: Sender, follower: Follower): void {
  const unclean = [...sender.failed.map(({ error }) => error), ...follower.errors].filter((e) => !isCleanError(e));
  test.strictSame(unclean.map(String), [], 'every failed call has a JSON error with status 503, before the deadline');
  test.comment(`${sender.failed.length} sends and ${follower.errors.length} polls failed`);
}

async function judge(test: Test, api: Api, sender: Sender, follower: Follower): Promise<void> {
  await follower.has(sender.acknowledged.keys());
  follower.stop();
  test.strictSame(faultsOf(follower), [], `each of ${follower.events.length} events came once, with growing ids`);
  const history = await api.history(STREAM, 5_000);
  test.strictSame(faultsOfHistory(history, sender), [], 'every acknowledged send is in the history exactly once');
}
