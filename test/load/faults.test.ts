/** Faults of a fake server appear in the report, each under its own name. */
import t from 'tap';
import { basic } from '../support/credentials.js';
import { type Faults, FaultyServer } from './faulty-server.js';
import { type MixEntry, mixOf } from './mix.js';
import { type LoadOptions, readOptions } from './options.js';
import { findings } from './report.js';
import { LoadRun, type Outcome } from './run.js';
import { addressOf, makeRunningTarget } from './target.js';

t.setTimeout(120_000);

const MESSAGES: readonly MixEntry[] = [{ action: 'stream_message', perMinute: 600 }];

/** Runs four users in three streams for 1.5 s against a server with these faults. */
async function runWithFaults(
  faults: Faults,
  actions: readonly MixEntry[] = MESSAGES,
  ...argv: string[]
): Promise<Outcome & { server: FaultyServer }> {
  const server = await FaultyServer.start(faults);
  try {
    const target = makeRunningTarget(addressOf(server.site, false), basic('owner', 'key'));
    const words = [
      '--users',
      '4',
      '--streams',
      '3',
      '--subscribers',
      '4',
      '--ramp',
      '0.2',
      '--seconds',
      '1.5',
      '--progress',
      '60',
    ];
    const options = readOptions([...words, ...argv], {}) as LoadOptions;
    const outcome = await new LoadRun(target, options, mixOf({ actions }), (line) => t.comment(line)).run();
    return { ...outcome, server };
  } finally {
    await server.stop();
  }
}

const errorCounts = ({ wholeRun }: Outcome): Record<string, number> =>
  Object.fromEntries([...wholeRun.errors].map(([key, { count }]) => [key, count]));

t.test('a server without faults has no errors in the report', async (test) => {
  const outcome = await runWithFaults({});
  test.strictSame(errorCounts(outcome), {});
  test.match(outcome.balance, { missing: 0, unexpected: 0, unacknowledged: 0 });
  test.ok(outcome.balance.delivered >= 4, `${outcome.balance.delivered} deliveries`);
  test.ok(
    outcome.points.every(({ serverCpu }) => serverCpu === null),
    'points have no server CPU, because no process ids are known',
  );
});

// Delivery 100 comes after all registrations; a client that registers during a send may or may not get the message.
t.test('a lost delivery counts as missing, a repeated delivery as unexpected', async (test) => {
  const lost = await runWithFaults({ lostDelivery: 100 });
  test.match(lost.balance, { missing: 1, unexpected: 0, delivered: lost.balance.expected - 1 });
  const doubled = await runWithFaults({ repeatedDelivery: 100 });
  test.match(doubled.balance, { missing: 0, unexpected: 1 });
});

t.test('a client whose queue is lost registers again, and the loss is counted', async (test) => {
  const outcome = await runWithFaults({ forgottenQueues: 2 });
  test.equal(outcome.wholeRun.lostQueues, 2);
  test.strictSame(errorCounts(outcome), { 'GET /events|400 BAD_EVENT_QUEUE_ID': 2 });
  test.equal(outcome.server.calls.get('/register'), 6);
  test.equal(outcome.balance.missing, 0);
  test.match(findings(outcome).join('\n'), /event queues lost: 2/);
});

t.test('refusals, rate limits and responses of a proxy are counted separately', async (test) => {
  const limit = {
    status: 429,
    body: '{"result":"error","code":"RATE_LIMIT_HIT","msg":"API usage exceeded rate limit"}',
  };
  const outcome = await runWithFaults(
    {
      responses: {
        '/users/me/presence': limit,
        '/users/me/status': { status: 502, body: '<html>Bad Gateway</html>' },
        '/settings': undefined,
      },
    },
    [
      { action: 'presence', everySeconds: 0.5 },
      { action: 'status', perMinute: 120 },
      { action: 'settings', perMinute: 120 },
    ],
  );
  const errors = errorCounts(outcome);
  test.ok(errors['POST /users/me/presence|429 RATE_LIMIT_HIT']! > 0);
  test.ok(errors['POST /users/me/status|502']! > 0);
  test.ok(
    (errors['PATCH /settings|ECONNRESET'] ?? errors['PATCH /settings|connection closed'])! > 0,
    JSON.stringify(errors),
  );
  test.equal(outcome.wholeRun.limited, errors['POST /users/me/presence|429 RATE_LIMIT_HIT']);
  const lines = findings(outcome).join('\n');
  test.match(lines, /rate limits: \d+ calls were refused with 429; .*docs\/load\.md/);
  test.match(lines, /error 502, \d+ times in POST \/users\/me\/status: <html>/);
});

t.test('a search for the capacity ends at errors and names them', async (test) => {
  const { capacity } = await runWithFaults(
    { responses: { '/settings': { status: 500, body: '{}' } } },
    [{ action: 'settings', perMinute: 300 }],
    ...['--capacity', '--hold', '1', '--settle', '0', '--users', '2', '--max-users', '4'],
  );
  test.equal(capacity?.users, 0);
  test.match(capacity?.broke.join(), /^errors [\d.]+ % > 0\.025 %$/);
});

t.test('a search for the capacity ends at rate limits and names their remedy', async (test) => {
  const body = '{"result":"error","code":"RATE_LIMIT_HIT","msg":"API usage exceeded rate limit"}';
  const outcome = await runWithFaults(
    { responses: { '/settings': { status: 429, body } } },
    [{ action: 'settings', perMinute: 300 }],
    ...['--capacity', '--hold', '1', '--settle', '0', '--users', '2', '--max-users', '4'],
  );
  test.match(outcome.capacity, { users: 0, brokeAt: 2, end: 'rate limits' });
  test.equal(outcome.capacity?.steps.length, 2, 'the step is repeated, then the search ends');
  const [result] = findings(outcome);
  test.match(result, /^capacity: not known, 2 were too many; the rate limits .*RATE_LIMITS=off/);
});
