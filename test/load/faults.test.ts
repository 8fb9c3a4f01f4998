/** Faults of a server are in the report, each under its name. */
import t from 'tap';
import { basic } from '../bench/faces.js';
import { type Faults, FaultyServer } from './faulty-server.js';
import { type Entry, mixOf } from './mix.js';
import { type LoadOptions, readOptions } from './options.js';
import { findings } from './report.js';
import { LoadRun, type Outcome } from './run.js';
import { addressOf, makeRunningTarget } from './target.js';

t.setTimeout(120_000);

const MESSAGES: readonly Entry[] = [{ action: 'stream_message', perMinute: 600 }];

/** Four users in three streams, for a second or two. */
async function under(
  faults: Faults,
  actions: readonly Entry[] = MESSAGES,
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

const counts = ({ everything }: Outcome): Record<string, number> =>
  Object.fromEntries([...everything.errors].map(([key, { count }]) => [key, count]));

t.test('a server without faults has none', async (test) => {
  const outcome = await under({});
  test.strictSame(counts(outcome), {});
  test.match(outcome.balance, { missing: 0, unexpected: 0, unacknowledged: 0 });
  test.ok(outcome.balance.delivered >= 4, `${outcome.balance.delivered} deliveries`);
  test.ok(
    outcome.points.every(({ serverCpu }) => serverCpu === null),
    'its processes are not known',
  );
});

// Late enough: a client that registers while a message is sent may or may not see it.
t.test('a delivery that does not happen is missing, one that happens twice unexpected', async (test) => {
  const lost = await under({ lose: 100 });
  test.match(lost.balance, { missing: 1, unexpected: 0, delivered: lost.balance.expected - 1 });
  const doubled = await under({ double: 100 });
  test.match(doubled.balance, { missing: 0, unexpected: 1 });
});

t.test('clients whose queue is lost register anew, and are counted', async (test) => {
  const outcome = await under({ forget: 2 });
  test.equal(outcome.everything.lostQueues, 2);
  test.strictSame(counts(outcome), { 'GET /events|400 BAD_EVENT_QUEUE_ID': 2 });
  test.equal(outcome.server.calls.get('/register'), 6);
  test.equal(outcome.balance.missing, 0);
  test.match(findings(outcome).join('\n'), /event queues lost: 2/);
});

t.test('refusals, limits, and answers that are not of the API are told apart', async (test) => {
  const limit = {
    status: 429,
    body: '{"result":"error","code":"RATE_LIMIT_HIT","msg":"API usage exceeded rate limit"}',
  };
  const outcome = await under(
    {
      answers: {
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
  const errors = counts(outcome);
  test.ok(errors['POST /users/me/presence|429 RATE_LIMIT_HIT']! > 0);
  test.ok(errors['POST /users/me/status|502']! > 0);
  test.ok(
    (errors['PATCH /settings|ECONNRESET'] ?? errors['PATCH /settings|connection closed'])! > 0,
    JSON.stringify(errors),
  );
  test.equal(outcome.everything.limited, errors['POST /users/me/presence|429 RATE_LIMIT_HIT']);
  const said = findings(outcome).join('\n');
  test.match(said, /rate limits: \d+ calls were refused with 429; .*docs\/load\.md/);
  test.match(said, /error 502, \d+ times in POST \/users\/me\/status: <html>/);
});

t.test('a search for the capacity ends at errors and says so', async (test) => {
  const { capacity } = await under(
    { answers: { '/settings': { status: 500, body: '{}' } } },
    [{ action: 'settings', perMinute: 300 }],
    ...['--capacity', '--hold', '1', '--settle', '0', '--users', '2', '--max-users', '4'],
  );
  test.equal(capacity?.users, 0);
  test.match(capacity?.broke.join(), /^errors [\d.]+ % > 0\.025 %$/);
});

t.test('a search for the capacity that meets rate limits names them and their remedy', async (test) => {
  const body = '{"result":"error","code":"RATE_LIMIT_HIT","msg":"API usage exceeded rate limit"}';
  const outcome = await under(
    { answers: { '/settings': { status: 429, body } } },
    [{ action: 'settings', perMinute: 300 }],
    ...['--capacity', '--hold', '1', '--settle', '0', '--users', '2', '--max-users', '4'],
  );
  test.match(outcome.capacity, { users: 0, brokeAt: 2, end: 'rate limits' });
  test.equal(outcome.capacity?.steps.length, 2, 'the step is repeated, then the search ends');
  const [result] = findings(outcome);
  test.match(result, /^capacity: not known, 2 were too many; the rate limits .*RATE_LIMITS=off/);
});
