/** The comparison of the answers of two servers (tools/compare-answers): what counts as a difference. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';

interface Comparison {
  readonly compared: number;
  readonly differences: readonly { readonly request: string; readonly gone: string[]; readonly added: string[] }[];
  readonly newForms: readonly { readonly operation: string; readonly form: string }[];
}

const { answersByRequest, compareAnswers } = (await import(
  new URL(`file://${join(process.cwd(), 'tools/compare-answers/compare.mjs')}`).href
)) as {
  answersByRequest(lines: readonly string[]): { readonly texts: ReadonlyMap<string, ReadonlySet<string>> };
  compareAnswers(older: readonly unknown[], newer: readonly unknown[]): Comparison;
};

const line = (path: string, fields: object, headers: object = {}, status = 200): string =>
  JSON.stringify({ method: 'GET', path, headers, body: '', status, text: JSON.stringify(fields) });
/** @param again the second run of the older server; both runs of the newer one are `after` */
function compare(before: string[], again: string[], after: string[]) {
  const newer = answersByRequest(after);
  const result = compareAnswers([answersByRequest(before), answersByRequest(again)], [newer, newer]);
  const { compared, differences, newForms } = result;
  return { compared, differences, newForms };
}
const single = (before: string, after: string) => compare([before], [before], [after]);

t.test('a field, a status or a value that differs is found', async (t) => {
  const before = line('/api/v1/users/me', { user_id: 7 });
  for (const after of [
    line('/api/v1/users/me', { user_id: 8 }),
    line('/api/v1/users/me', { user_id: 7, more: null }),
    line('/api/v1/users/me', { user_id: 7 }, {}, 400),
  ]) {
    const { compared, differences } = single(before, after);
    t.same([compared, differences.map(({ request }) => request)], [1, ['GET /api/v1/users/me ']]);
  }
  t.same(single(before, before), { compared: 1, differences: [], newForms: [] });
});

t.test('keys, times and ids of queues are the same everywhere', async (t) => {
  const answer = (n: number): string =>
    line('/api/v1/register', {
      queue_id: `1234567${n}-0000-4000-8000-000000000000`,
      api_key: `abcdefghijABCDEFGHIJ012345678${n}9-`,
      now: 1_700_000_000 + n,
      last_event_id: 8_192 * n + 4_096,
    });
  t.same(single(answer(1), answer(2)).differences, []);
});

t.test('polls may divide events, but an event may not change its form or its place in an entry', async (t) => {
  const poll = (events: object[]): string => line('/api/v1/events?queue_id=x&last_event_id=-1', { events });
  const [a, b] = [
    { type: 'typing', id: 8_192 },
    { type: 'message', id: 8_193 },
  ];
  const after = [
    poll([a]),
    poll([
      { ...b, id: 3 * 8_192 + 1 },
      { type: 'heartbeat', id: 5 },
    ]),
  ];
  const { compared, differences } = compare([poll([a, b])], [poll([a, b])], after);
  t.same([compared, differences], [1, []]);
  t.equal(single(poll([a, b]), poll([a, { ...b, id: 8_194 }])).differences.length, 1);
});

t.test('what differs between two runs of one server says nothing', async (t) => {
  const path = '/api/v1/messages';
  const at = (n: number): string => line(path, { n });
  t.same(compare([at(1)], [at(2)], [at(3)]), { compared: 0, differences: [], newForms: [] });
});

t.test('a new form is found, also where the answers differ from run to run', async (t) => {
  const at = (n: number, more: object = {}): string => line('/api/v1/messages', { n, ...more });
  t.match(compare([at(1)], [at(2)], [at(3, { more: '' })]), { compared: 0, newForms: [{ operation: /messages/ }] });
});

t.test('clients of newer levels are left out', async (t) => {
  for (const headers of [{ 'X-Conclave-Api-Level': '371' }, { 'user-agent': 'ZulipFlutter/30' }])
    t.equal(answersByRequest([line('/api/v1/users', {}, headers)]).texts.size, 0);
  t.equal(answersByRequest([line('/api/v1/users', {}, { 'x-conclave-api-level': '184' })]).texts.size, 1);
});

t.test('requests of the tests are recorded with their answers, also those over node:http', async (t) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(201).end(`answer to ${request.url}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const file = join(t.testdir(), 'answers.jsonl');
  const script = `
    import http from 'node:http';
    import { closeIdleConnections, exchangeWith } from './dist/test/support/http-exchange.js';
    await exchangeWith('127.0.0.1', ${port}, { method: 'POST', path: '/new', headers: { host: 'a' }, body: 'x=1' });
    closeIdleConnections();
    const options = { host: '127.0.0.1', port: ${port}, method: 'POST', path: '/old', agent: false };
    http.request(options, (answer) => answer.resume()).end('x=2');`;
  const args = ['--import', './tools/compare-answers/record.mjs', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { env: { ...process.env, RECORD_ANSWERS: file }, stdio: 'inherit' });
  t.same(await once(child, 'exit'), [0, null]);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  t.match(
    lines.map((line) => JSON.parse(line) as object),
    [
      { method: 'POST', path: '/new', headers: { host: 'a' }, body: 'x=1', status: 201, text: 'answer to /new' },
      { method: 'POST', path: '/old', body: 'x=2', status: 201, text: 'answer to /old' },
    ],
  );
});
