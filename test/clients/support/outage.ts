/** Test steps for outages, shared by the tests of NATS and MongoDB. */
import type { Test } from 'tap';
import { Follower, isUnavailableError, Sender, stopTraffic } from './chatter.js';
import type { Cluster } from './face.js';
import { checkNothingLost, STREAM } from './kill.js';
import { bounded, conclave } from './process.js';
import { HANG_TIMEOUT_MS, until } from './wait.js';

/**
 * Request deadline in seconds. A request waits 1 s for a service known to be down. The deadline is so long that no busy
 * machine reaches even half of it, so a response within half of it did not wait for the deadline.
 */
const REQUEST_DEADLINE_S = 180;
const RESPONSE_TIMEOUT_MS = (REQUEST_DEADLINE_S * 1000) / 2;
/** Options of servers that lose a service during a test. */
export const OUTAGE_OPTIONS = ['--outage-seconds', '1', '--request-deadline', String(REQUEST_DEADLINE_S)];

/** Checks that a server fails to start with exit code 1 and one line on stderr, without a stack trace. */
export async function checkFailsToStart(test: Test, args: readonly string[], message: RegExp): Promise<void> {
  const ended = await bounded(conclave(['serve', '--port', '0', ...OUTAGE_OPTIONS, ...args]), HANG_TIMEOUT_MS);
  test.comment(ended.stderr.trim());
  test.ok(ended.code === 1, `the server exits with code 1 (${ended.code ?? ended.signal}, ${Math.round(ended.ms)} ms)`);
  test.match(ended.stderr, message);
  test.equal(ended.stderr.trim().split('\n').length, 1, 'one line on stderr');
}

/** Sends and polls while a service goes down and comes back, and checks the results. */
export async function testOutage(
  test: Test,
  face: Cluster,
  stopService: () => Promise<void>,
  restoreService: () => Promise<void>,
): Promise<void> {
  const [a, b] = [face.api(0), face.api(1)];
  await a.subscribe(STREAM);
  const follower = await Follower.start([b]);
  const sender = new Sender([a], STREAM, 'm', RESPONSE_TIMEOUT_MS);
  test.teardown(() => stopTraffic(sender, follower));
  const more = (n: number): Promise<number> => {
    const goal = sender.acknowledged.size + n;
    return until(`${n} more acknowledged sends`, () => sender.acknowledged.size >= goal);
  };
  await more(20);
  await stopService();
  const reading = a.call('GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0 }, RESPONSE_TIMEOUT_MS);
  // Two failures: each of the sender's two lanes has met the outage.
  await until('two sends have failed', () => sender.failed.length >= 2, RESPONSE_TIMEOUT_MS);
  const read = await reading;
  test.same([read.status, read.body.result], [503, 'error'], 'reads fail with status 503');
  await restoreService();
  test.comment(`sends are acknowledged again after ${Math.round(await more(20))} ms`);
  await sender.stop();
  checkErrors(test, sender, follower);
  await checkNothingLost(test, b, sender, follower);
}

function checkErrors(test: Test, sender: Sender, follower: Follower): void {
  const unclean = [...sender.failed.map(({ error }) => error), ...follower.errors].filter(
    (e) => !isUnavailableError(e),
  );
  test.strictSame(unclean.map(String), [], 'every failed call has a JSON error with status 503, before the deadline');
  test.comment(`${sender.failed.length} sends and ${follower.errors.length} polls failed`);
}
