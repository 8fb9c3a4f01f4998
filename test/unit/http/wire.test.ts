/**
 * The reading of a request's bytes by the two adapters: RFC 9112 and 9110, the cases in which they differ (the table in
 * docs/limits.md), requests that two servers could understand differently, and requests that come in pieces.
 */
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { chooseHttpServerFactory, ResponseHeaders } from '#frontend/http';
import { rounds } from '../../support/rounds.js';
import { RawClient, type RawResponse } from './support.js';

const kinds = [
  'node',
  ...((await chooseHttpServerFactory('auto')).factory === (await chooseHttpServerFactory('node')).factory
    ? []
    : ['uws']),
] as ('node' | 'uws')[];

const recent = Number(process.versions.modules) >= 137;
const HOST = 'Host: h\r\n';
const NEXT = `GET /next HTTP/1.1\r\n${HOST}\r\n`;
const HEADERS = new ResponseHeaders([['Content-Type', 'text/plain']]);

const get = (headers = '', target = '/a'): string => `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const post = (headers: string, body = ''): string => `POST /a HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = (body: string, headers = ''): string => post(`Transfer-Encoding: chunked\r\n${headers}`, body);
const lines = (n: number): string => Array.from({ length: n }, (_, i) => `X-${i}: ${i}\r\n`).join('');
const CHUNKS = '3\r\nabc\r\n0\r\n\r\n';

/** A server on each adapter that answers with its reading of the request; bodies are answered at once or later. */
async function listen(t: Test, kind: 'node' | 'uws') {
  const seen: string[] = [];
  const { factory } = await chooseHttpServerFactory(kind);
  const server = await factory.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 100_000,
    onError: (error) => t.fail(String(error)),
    handler: (exchange) => {
      const { method, path, query } = exchange;
      seen.push(path);
      const told = `${method} ${path}?${query} host=${exchange.header('host')} a=${exchange.header('x-a')}`;
      const respond = (body: string): void => {
        const send = (): void => exchange.respond(200, HEADERS, [`${told} ${body}`]);
        if (path === '/late') setImmediate(send);
        else send();
      };
      if (exchange.hasBody) exchange.readBody((body) => respond(Buffer.from(body ?? '').toString()));
      else respond('');
    },
  });
  const clients: RawClient[] = [];
  t.teardown(() => {
    for (const { socket } of clients) socket.destroy();
    server.closeImmediately();
  });
  const open = async (): Promise<RawClient> => {
    const client = await RawClient.open(server.port);
    clients.push(client);
    return client;
  };
  return { open, seen };
}

/** The final answer to one request. */
async function answerOf(client: RawClient, head = false): Promise<RawResponse | undefined> {
  for (;;) {
    const answer = await client.response(head);
    if (answer?.status !== 100) return answer;
  }
}

const told = (answer: RawResponse): string =>
  answer.status === 200 ? `200 ${answer.text}`.trim() : `${answer.status}`;

interface Case {
  readonly what: string;
  readonly raw: string;
  /** Status, and whether the connection is closed. */
  readonly uws: string;
  readonly node: string;
  /** Answers of the native engine for Node 24 and later, where they are better. */
  readonly later?: string;
}

/**
 * Requests that the adapters answer differently, or not as the RFC wants; each is a row of the table in docs/limits.md.
 */
const DIFFERENCES: readonly Case[] = [
  { what: 'HTTP/1.0', raw: 'GET /a HTTP/1.0\r\n\r\n', uws: '505, closed', node: '200, closed' },
  { what: 'absolute form of the target', raw: get('', 'http://other/a'), uws: '505, closed', node: '200' },
  { what: '`OPTIONS *`', raw: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, uws: '505, closed', node: '204' },
  { what: '`CONNECT`', raw: `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`, uws: '505, closed', node: 'closed' },
  { what: 'target that is none', raw: get('', 'a'), uws: '505, closed', node: '400, closed' },
  { what: 'two spaces before the target', raw: get('', ' /a'), uws: '505, closed', node: '200' },
  { what: 'empty line before a request', raw: `\r\n${get()}`, uws: 'waits', node: '200' },
  { what: 'CR alone in a header', raw: get('X-A: 1\rX-B: 2\r\n'), uws: 'waits', node: '400, closed' },
  { what: 'DEL in a header, header without name', raw: get('X-A: 1\x7f\r\n: 2\r\n'), uws: '200', node: '400, closed' },
  { what: 'bytes over 127 in the target', raw: get('', '/\xe4'), uws: '200', node: '400, closed' },
  { what: 'chunked body', raw: chunked(CHUNKS), uws: '200, closed', node: '200' },
  { what: 'chunk extensions', raw: chunked('3;a=1\r\nabc\r\n0\r\n\r\n'), uws: 'waits', node: '200' },
  { what: 'chunk size that is no number', raw: chunked('g\r\nabc\r\n0\r\n\r\n'), uws: 'waits', node: '400, closed' },
  {
    what: 'trailers that are not announced',
    raw: chunked('3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n'),
    uws: '505, closed',
    node: '200',
  },
  {
    what: 'chunk without CRLF behind it',
    raw: chunked('3\r\nabcXX0\r\n\r\n'),
    uws: '200, closed',
    node: '400, closed',
  },
  { what: '`Connection: close` in a list', raw: get('Connection: x, close\r\n'), uws: '200', node: '200, closed' },
  { what: '`HEAD`', raw: `HEAD /a HTTP/1.1\r\n${HOST}\r\n`, uws: '200, closed', node: '200', later: '200' },
];

/** Requests that both adapters answer as the RFC wants. */
const ALIKE: readonly (readonly [what: string, raw: string, answer: string])[] = [
  ['GET', get(), '200'],
  ['a query', get('', '/a?b=c'), '200'],
  ['98 headers', get(lines(97)), '200'],
  ['99 headers', get(lines(98)), '431, closed'],
  ['2,500 headers', get(lines(2_499)), '431, closed'],
  ['head of more than 128 KiB', get('', `/a?${'q'.repeat(140_000)}`), '431, closed'],
  ['Connection: close', get('Connection: close\r\n'), '200, closed'],
  ['HTTP/2.0 in the request line', 'GET /a HTTP/2.0\r\nHost: h\r\n\r\n', '505, closed'],
  ['lines that end with LF alone', 'GET /a HTTP/1.1\nHost: h\n\n', '505, closed'],
  ['HTTP/0.9', 'GET /a\r\n\r\n', '505, closed'],
  ['no Host', 'GET /a HTTP/1.1\r\nX-A: 1\r\n\r\n', '400, closed'],
  ['two Hosts', get('Host: b\r\n'), '400, closed'],
  ['the same Host twice', get(HOST), '400, closed'],
  ['a folded header', get('X-A: 1\r\n 2\r\n'), '400, closed'],
  ['a space before the colon', get('X-A : 1\r\n'), '400, closed'],
  ['a header without colon', get('XA\r\n'), '400, closed'],
  ['LF alone in a header', get('X-A: 1\nX-B: 2\r\n'), '400, closed'],
  ['NUL in a header', get('X-A: 1\0\r\n'), '400, closed'],
  ['a name that is no token', get('X(a): 1\r\n'), '400, closed'],
  ['an unknown method', `BREW /a HTTP/1.1\r\n${HOST}\r\n`, '501, closed'],
  ['a method in lower case', `get /a HTTP/1.1\r\n${HOST}\r\n`, '501, closed'],
  ['a known method that nothing takes', `PROPFIND /a HTTP/1.1\r\n${HOST}\r\n`, '200'],
  ['a body', post('Content-Length: 3\r\n', 'abc'), '200'],
  ['a body with GET', `${get('Content-Length: 3\r\n')}abc`, '200'],
  ['an empty body', post('Content-Length: 0\r\n'), '200'],
  ['POST without body', post(''), '200'],
  ['Expect: 100-continue', post('Content-Length: 3\r\nExpect: 100-continue\r\n', 'abc'), '200'],
  ['another expectation', post('Content-Length: 3\r\nExpect: x\r\n', 'abc'), '200'],
  ['an upgrade', get('Connection: Upgrade\r\nUpgrade: h2c\r\n'), '200'],
  ['announced trailers', chunked('3\r\nabc\r\n0\r\n\r\n', 'Trailer: X-T\r\n'), '501, closed'],
  ['a chunk size beyond 64 bits', chunked('10000000000000003\r\nabc\r\n0\r\n\r\n'), '400, closed'],
  ['codings before chunked', post('Transfer-Encoding: gzip, chunked\r\n', CHUNKS), '501, closed'],
];

/** Requests whose end two servers could see differently: none is answered, and no bytes behind them are a request. */
const UNCERTAIN: readonly (readonly [what: string, headers: string])[] = [
  ['two lengths', 'Content-Length: 3\r\nContent-Length: 5\r\n'],
  ['the same length twice', 'Content-Length: 3\r\nContent-Length: 3\r\n'],
  ['a list of lengths', 'Content-Length: 3, 3\r\n'],
  ['a length without value', 'Content-Length:\r\n'],
  ['a length without value before another', 'Content-Length:\r\nContent-Length: 3\r\n'],
  ['a length with a sign', 'Content-Length: +3\r\n'],
  ['a length in hex', 'Content-Length: 0x3\r\n'],
  ['a length with letters', 'Content-Length: abc\r\n'],
  ['a length beyond 64 bits', 'Content-Length: 18446744073709551619\r\n'],
  ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
  ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n'],
  ['chunks and a length without value', 'Transfer-Encoding: chunked\r\nContent-Length:\r\n'],
  ['xchunked', 'Transfer-Encoding: xchunked\r\n'],
  ['identity', 'Transfer-Encoding: identity\r\n'],
  ['codings after chunked', 'Transfer-Encoding: chunked, gzip\r\n'],
  ['chunked twice', 'Transfer-Encoding: chunked, chunked\r\n'],
  ['chunked on two lines', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'],
  ['chunked with a parameter', 'Transfer-Encoding: chunked;a=1\r\n'],
  ['chunked in quotes', 'Transfer-Encoding: "chunked"\r\n'],
  ['a coding without value', 'Transfer-Encoding:\r\n'],
  ['a coding without value before chunked', 'Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n'],
  ['a coding without value behind chunked', 'Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n'],
  ['a coding without value before a length', 'Transfer-Encoding:\r\nContent-Length: 3\r\n'],
  ['an empty place in the list of codings', 'Transfer-Encoding: ,chunked\r\n'],
  ['chunked behind a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n'],
  ['a space before the colon of the length', 'Content-Length : 3\r\n'],
  ['a folded length', 'X-A: 1\r\n Content-Length: 3\r\n'],
];
const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${HOST}\r\n`;

/** The answer, and whether the connection is still open: the test sends one more request on it. */
async function outcome(client: RawClient, raw: string, head = false): Promise<string> {
  client.send(Buffer.from(raw, 'latin1'));
  const answer = await answerOf(client, head);
  if (!answer) return 'closed';
  if (answer.headers.connection !== 'close') {
    client.send(NEXT);
    const next = await answerOf(client);
    if (next) return next.text.startsWith('GET /next?') ? `${answer.status}` : `${answer.status}, then ${told(next)}`;
  }
  await client.closed();
  return `${answer.status}, closed`;
}

const limits = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');

for (const kind of kinds) {
  t.test(`${kind}: both adapters answer these requests alike`, async (t) => {
    const { open } = await listen(t, kind);
    for (const [what, raw, answer] of ALIKE) t.equal(await outcome(await open(), raw), answer, what);
  });

  t.test(`${kind}: the adapters answer these requests differently, as docs/limits.md says`, async (t) => {
    const { open, seen } = await listen(t, kind);
    for (const { what, raw, uws, node, later } of DIFFERENCES) {
      t.ok(limits.includes(`| ${what} | ${uws} | ${node} |`), `| ${what} | ${uws} | ${node} | in docs/limits.md`);
      const expected = kind === 'node' ? node : recent ? (later ?? uws) : uws;
      const client = await open();
      if (expected === 'waits') {
        client.send(Buffer.from(raw, 'latin1'));
        const before = seen.length;
        t.equal(await outcome(await open(), get()), '200', 'others are answered');
        t.ok(seen.length <= before + 3, what);
        client.socket.destroy();
      } else t.equal(await outcome(client, raw, what === '`HEAD`'), expected, what);
    }
  });

  t.test(`${kind}: refusals of the adapter are JSON, and scripts of any origin may read them`, async (t) => {
    const { open } = await listen(t, kind);
    for (const [what, raw, outcome] of ALIKE) {
      // The native engine itself writes 400, 431 and 505; Node itself writes the refusal of a missing Host.
      if (!(kind === 'uws' ? /^501/ : /^[45]/).test(outcome) || what === 'no Host') continue;
      const client = await open();
      client.send(Buffer.from(raw, 'latin1'));
      const answer = (await answerOf(client))!;
      t.match(answer.headers, { 'content-type': 'application/json', 'access-control-allow-origin': '*' }, what);
      t.match(answer.json(), { result: 'error', msg: /^[A-Z]/, code: 'BAD_REQUEST' }, what);
      t.ok(answer.text.endsWith('}\n'), what);
    }
  });

  t.test(`${kind}: a target in absolute form sets the host`, async (t) => {
    const { open } = await listen(t, kind);
    const client = await open();
    client.send(get('', 'HTTP://Other:88?q'));
    const answer = await answerOf(client);
    if (kind === 'uws') t.equal(answer?.status, 505);
    else t.match(answer?.text, 'GET /?q host=Other:88');
  });

  t.test(`${kind}: a request with an uncertain end is refused, and hides no other`, async (t) => {
    const { open, seen } = await listen(t, kind);
    for (const method of ['POST', 'GET', 'DELETE']) {
      for (const [what, headers] of UNCERTAIN) {
        const head = `${method} /uncertain HTTP/1.1\r\n${HOST}${headers}\r\n`;
        t.match(await outcome(await open(), head), /^400, closed$/, `${method}: ${what}`);
        for (const body of [SMUGGLED, `abc${SMUGGLED}`, `${CHUNKS}${SMUGGLED}`, `0\r\n\r\n${SMUGGLED}`]) {
          const client = await open();
          client.send(head + body);
          const answer = await answerOf(client);
          if (answer) t.equal(answer.status, 400, `${method}: ${what}, with more behind it`);
          await client.closed();
        }
      }
    }
    t.same(new Set(seen), new Set(), 'the handler saw nothing');
  });

  t.test(`${kind}: bytes after a malformed chunked body are no request`, async (t) => {
    const { open, seen } = await listen(t, kind);
    for (const path of ['/a', '/late']) {
      for (const chunks of [
        '3\r\nabcXX0\r\n\r\n',
        '3\r\nabc0\r\n\r\n',
        '3\nabc\n0\n\n',
        '3;\nabc\r\n0\r\n\r\n',
        ' 3\r\nabc\r\n0\r\n\r\n',
        '3 \r\nabc\r\n0\r\n\r\n',
        '\r\nabc\r\n0\r\n\r\n',
        '-3\r\nabc\r\n0\r\n\r\n',
        '0x3\r\nabc\r\n0\r\n\r\n',
        '3\r\nabc\r\n0\r\nXX',
      ]) {
        const head = `POST ${path} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
        for (const parts of [[head + chunks + SMUGGLED], [head, chunks, SMUGGLED], [head + chunks, SMUGGLED]]) {
          const client = await open();
          for (const part of parts) await piece(client, part);
          client.socket.end();
          await client.closed();
        }
      }
    }
    t.notOk(seen.includes('/smuggled'));
  });

  t.test(`${kind}: requests in random pieces are answered as in one`, async (t) => {
    const { open } = await listen(t, kind);
    const seed = Number(process.env.HTTP_SPLIT_SEED ?? Math.floor(Math.random() * 2 ** 31));
    t.comment(`HTTP_SPLIT_SEED=${seed}`);
    const random = seeded(seed);
    const corpus = [
      ...ALIKE.map(([, raw]) => raw),
      ...DIFFERENCES.filter((one) => one[kind] !== 'waits').map(({ raw }) => raw),
    ]
      // Trailers are refused on arrival, before the answer or after it.
      .filter((raw) => raw.length < 40_000 && !raw.startsWith('HEAD') && !raw.includes('X-T: 1'))
      .concat(
        UNCERTAIN.map(([, headers]) => post(headers)),
        get('', `/a?${'q'.repeat(1_600)}`),
        get('', `/a?${'q'.repeat(20_000)}`),
        get(`X-A: ${'z'.repeat(6_000)}\r\n`),
        post('Content-Length: 5000\r\n', 'x'.repeat(5_000)),
        chunked('a\r\n0123456789\r\n005\r\nabcde\r\n0\r\n\r\n'),
        `POST /late HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
        get() + post('Content-Length: 3\r\n', 'abc') + get('', '/b?c=d'),
      );
    const whole = new Map<string, readonly string[]>();
    let wrong = 0;
    for (let i = 0; i < rounds(400, 1_000); i++) {
      const raw = corpus[Math.floor(random() * corpus.length)]!;
      let expected = whole.get(raw);
      if (!expected) {
        expected = await answers(await open(), [raw]);
        whole.set(raw, expected);
      }
      const pieces = split(raw, random);
      const got = await answers(await open(), pieces);
      if (JSON.stringify(got) !== JSON.stringify(expected)) {
        wrong++;
        if (wrong < 5)
          t.same(got, expected, `cut to ${pieces.map(({ length }) => length).join(', ')}: ${raw.slice(0, 200)}`);
      }
    }
    t.equal(wrong, 0, `of 1,000 (${corpus.length} requests)`);
  });
}

/** Sends a piece that the server reads by itself, before the next one is written. */
async function piece(client: RawClient, bytes: string): Promise<void> {
  if (client.socket.destroyed) return;
  client.send(Buffer.from(bytes, 'latin1'));
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** All bytes before the connection ends, or before the answer to one more request. */
async function answers(client: RawClient, pieces: readonly string[]): Promise<readonly string[]> {
  for (const one of pieces) await piece(client, one);
  const all: string[] = [];
  for (;;) {
    const answer = await client.response();
    // Not before the first answer: a request behind one that waits for its answer cuts the connection.
    if (answer && all.length === 0) await piece(client, NEXT.replace('/next', '/sentinel'));
    if (!answer) return [...all, 'closed'];
    if (answer.text.startsWith('GET /sentinel')) return all;
    const { date: _, ...headers } = answer.headers;
    all.push(JSON.stringify([answer.status, headers, answer.text]));
  }
}

/** At one to eight places; often byte by byte where a line ends. */
function split(raw: string, random: () => number): string[] {
  const cuts = new Set<number>();
  const ends = [...raw.matchAll(/\r\n/g)].map(({ index }) => index);
  for (let n = 1 + Math.floor(random() * 8); n > 0; n--) {
    const near = random() < 0.5 && ends.length > 0;
    const at = near
      ? ends[Math.floor(random() * ends.length)]! + Math.floor(random() * 4)
      : Math.floor(random() * raw.length);
    if (at > 0 && at < raw.length) cuts.add(at);
  }
  const sorted = [0, ...[...cuts].sort((a, b) => a - b), raw.length];
  return sorted.slice(1).map((end, i) => raw.slice(sorted[i], end));
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
