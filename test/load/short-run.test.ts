/** Short runs of the harness against a real embedded server. They assert counts and no times. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { Api } from '../clients/support/api.js';
import { isReadByRules } from './advice.js';
import { compare } from './comparison.js';
import { MetricsWatch } from './metrics-watch.js';
import { type Mix, mixOf } from './mix.js';
import { type LoadOptions, readOptions } from './options.js';
import { OPERATIONS } from './protocol.js';
import { factsOf, type ReportData, reportDataOf } from './report.js';
import { LoadRun, type Outcome } from './run.js';
import { openTarget, type Target } from './target.js';

const BUSY_MIX: Mix = mixOf({
  actions: [
    { action: 'stream_message', perMinute: 60, typing: 0.5, composeSeconds: 0.1 },
    { action: 'direct_message', perMinute: 40, typing: 0.5, composeSeconds: 0.1, group: 0.3 },
    { action: 'react', perReceived: 0.2, afterSeconds: 0.2, followUp: 0.5 },
    { action: 'mark_read', perReceived: 0.5, afterSeconds: 0.2 },
    { action: 'star', perReceived: 0.1, afterSeconds: 0.2 },
    { action: 'edit', perSent: 0.3, afterSeconds: 0.2 },
    { action: 'presence', everySeconds: 2 },
    { action: 'status', perMinute: 20 },
    { action: 'open_narrow', perMinute: 40, followUp: 0.5 },
    { action: 'search', perMinute: 20 },
    { action: 'topics', perMinute: 20 },
    { action: 'settings', perMinute: 20 },
    { action: 'mute_topic', perMinute: 20 },
    { action: 'draft', perMinute: 80 },
    { action: 'reload', perMinute: 10 },
  ],
});

t.setTimeout(120_000);

const USERS = 8;
const optionsOf = (...argv: string[]): LoadOptions => readOptions(argv, {}) as LoadOptions;

function run(target: Target, options: LoadOptions, beforeStart: (run: LoadRun) => void = () => {}): Promise<Outcome> {
  const loadRun = new LoadRun(target, options, BUSY_MIX, (line) => t.comment(line));
  beforeStart(loadRun);
  return loadRun.run();
}

const errorsOf = ({ wholeRun }: Outcome): unknown[] => [...wholeRun.errors].map(([key, { sample }]) => [key, sample]);

t.test('load on a server that the run starts', async (test) => {
  const options = optionsOf(
    ...['--users', String(USERS), '--devices', '2', '--workers', '2', '--subscribers', '2-8', '--ramp', '1'],
    ...['--seconds', '5', '--progress', '2', '--seed', '11'],
  );
  const target = await openTarget(options);
  test.teardown(() => target.stop());

  await test.test('every action happens, no call fails, and every delivery happens', async (part) => {
    const outcome = await run(target, options);
    const { balance, wholeRun, points, interrupted } = outcome;
    part.strictSame(errorsOf(outcome), [], 'no errors');
    part.equal(wholeRun.lostQueues, 0);
    part.notOk(interrupted);
    for (const operation of OPERATIONS) {
      // Successful polls are counted in `polls`.
      if (operation === 'GET /events') continue;
      part.ok((wholeRun.operations.get(operation)?.count ?? 0) > 0, `${operation} was called`);
    }
    part.ok(wholeRun.polls > USERS * 2);
    const { expected, delivered, missing, unexpected, unacknowledged } = balance;
    part.ok(expected > wholeRun.messages, `${wholeRun.messages} messages, ${expected} deliveries`);
    part.strictSame(
      { delivered, missing, unexpected, unacknowledged },
      { delivered: expected, missing: 0, unexpected: 0, unacknowledged: 0 },
    );
    part.equal(wholeRun.deliveries.totalCount, delivered, 'each delivery has a latency');
    part.ok(
      points.some(({ held }) => held === USERS * 2),
      'at some point all clients had a waiting poll',
    );
    part.ok(
      points.every(({ serverMib }) => serverMib !== null && serverMib > 0),
      'every point has the memory of the server',
    );
    part.ok(points.every(({ at }, i) => i === 0 || at > points[i - 1]!.at));
    part.equal(points.at(-1)?.clients, 0, 'the last point has no clients');

    await part.test('the advice has figures from the metrics of the server', async (facts) => {
      const { next } = outcome;
      facts.equal(next?.of, 'the measured time');
      facts.match(next?.processes[0]?.name, /^server 127\.0\.0\.1:\d+$/);
      for (const { cpu, memoryMib } of next?.processes ?? []) facts.ok(cpu! > 0 && memoryMib! > 0);
      facts.ok(
        next!.advice.length > 0 || /^nothing was at its limit: the busiest process/.test(next!.room),
        next!.room,
      );
      const operators = new MetricsWatch(target.ops, isReadByRules);
      await operators.check();
      await facts.rejects(new MetricsWatch([target.site], isReadByRules).check(), /404 .*port for operators/);
    });

    await part.test('a report compared with itself has no difference', async (facts) => {
      const data = reportDataOf(outcome, factsOf(options, target.site, outcome), options, BUSY_MIX);
      const report = JSON.parse(JSON.stringify(data)) as ReportData;
      const { measures, rows, doubts } = compare(report, report);
      facts.strictSame(
        measures.filter(({ judgement }) => judgement !== 'same' && judgement !== 'unknown'),
        [],
      );
      facts.equal(rows.length, report.rows.length);
      facts.notOk(doubts.some((doubt) => doubt.startsWith('not the same load')));
    });

    await part.test('the server has the messages that the harness counted', async (facts) => {
      const [email, key] = Buffer.from(target.owner.replace('Basic ', ''), 'base64').toString().split(':');
      const owner = new Api(target.site, { email: email!, key: key! });
      const { streams } = (await owner.ok('GET', '/streams')) as { streams: readonly { name: string }[] };
      let found = 0;
      for (const { name } of streams) {
        if (!name.startsWith('load ')) continue;
        const messages = await owner.messages([{ operator: 'stream', operand: name }], 5_000);
        // Edited messages end with "(edited)" instead of the token; notices of the server have no token.
        found += messages.filter(({ sender_id, content }) => sender_id > 8 && /ld-|\(edited\)$/.test(content)).length;
      }
      facts.equal(found, wholeRun.operations.get('POST /messages (stream)')?.count);
    });
  });

  await test.test('a second run reuses the accounts of the first one and ends early at an interrupt', async (part) => {
    const lines: string[] = [];
    const loadRun = new LoadRun(
      target,
      optionsOf('--users', String(USERS), '--seconds', '600', '--ramp', '0'),
      BUSY_MIX,
      (line) => {
        lines.push(line);
        if (line.startsWith('ramp:')) setTimeout(() => loadRun.interrupt(), 1_500);
      },
    );
    const outcome = await loadRun.run();
    part.ok(outcome.interrupted);
    part.strictSame(errorsOf(outcome), []);
    part.ok(outcome.wholeRun.requests > 0, 'calls before the interrupt are reported');
    part.equal(outcome.balance.missing, 0);
    part.match(lines.join('\n'), /accounts: 8 \(8 prepared/);
  });

  await test.test('a search for the capacity raises the users up to --max-users', async (part) => {
    const options = optionsOf(
      '--capacity',
      '--users',
      '4',
      '--growth',
      '2',
      '--max-users',
      '8',
      '--hold',
      '1',
      '--settle',
      '0.5',
      '--max-p99',
      '600000',
      '--max-mean',
      '600000',
    );
    const { capacity, next } = await run(target, options);
    part.match(capacity, { users: 8, broke: [], end: 'max-users' });
    part.strictSame(
      capacity?.steps.map(({ users }) => users),
      [4, 8],
    );
    part.ok(capacity?.steps.every(({ rows }) => rows.some(({ count }) => count > 0)));
    part.equal(next?.of, '8 users');
  });
});

t.test('an unreachable server is an error', async (test) => {
  const zuliprc = test.testdir({ zuliprc: '[api]\nemail=a@example.com\nkey=b\nsite=http://127.0.0.1:1\n' });
  const options = optionsOf('--owner-zuliprc', `${zuliprc}/zuliprc`);
  await test.rejects(run(await openTarget(options), options), /ECONNREFUSED/);
});

t.test('package.json has the load script', async (test) => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  test.match(manifest.scripts.load, 'test/load/main.js');
});
