/** The load command as a process, against a small fake server. */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { FaultyServer } from './faulty-server.js';
import type { ReportData } from './report.js';

t.setTimeout(120_000);

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

/** Runs the load command and waits for its exit. */
function load(...argv: string[]): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output, errors })));
}

t.test('a run is compared with an earlier report of the same load only', async (test) => {
  const server = await FaultyServer.start({});
  test.teardown(() => server.stop());
  const dir = test.testdir({
    zuliprc: `[api]\nemail=owner@example.com\nkey=k\nsite=${server.site}\n`,
    'mix.json': '{"actions":[{"action":"stream_message","perMinute":600}]}',
  });
  const report = `${dir}/report.json`;
  const plan = [
    ...['--owner-zuliprc', `${dir}/zuliprc`, '--mix', `${dir}/mix.json`, '--out', dir, '--subscribers', '2'],
    ...['--users', '2', '--ramp', '0.1', '--seconds', '1'],
  ];
  const first = await load(...plan);
  test.equal(first.code, 0, first.errors);
  test.match(first.output, /\nWhat to add next \(the measured time\):\n {2}not known: .*--metrics/);
  test.notMatch(first.output, 'comparison');

  const second = await load(...plan, '--against', report, '--fail-if-worse');
  test.equal(second.code, 0, second.errors);
  test.match(second.output, /\ncompared with http:\/\/127\.0\.0\.1:\d+: 2 users.*\n\nbefore → after +per s +mean, ms/);
  test.match(second.output, /\ncomparison: /);
  test.match(await readFile(`${dir}/report.html`, 'utf8'), '<h2>Comparison</h2>');

  const other = await load(...plan, '--users', '3', '--against', report);
  test.equal(other.code, 2);
  test.match(other.errors, /not the same load: --users 2 → 3 \(--against-anyway compares nevertheless\)\n$/);
  const data = JSON.parse(await readFile(report, 'utf8')) as ReportData;
  test.equal(data.options.users, 2, 'a refused run does not overwrite the report');

  await writeFile(report, JSON.stringify({ ...data, format: 0 }));
  const none = await load(...plan, '--against', report);
  test.equal(none.code, 2);
  test.match(none.errors, /not a report\.json/);
});
