import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { Type } from 'typebox';
import { CachedResponseFields, EncodedJson } from '#base';
import { API_OPERATIONS, forwardCommand as checkedForward } from '#frontend/api';
import { HttpFrontend } from '#frontend/http';
import { realmActorKey } from '#model';
import { anyCommand } from '../../support/any-command.js';
import { settle } from '../../support/fake-clock.js';
import { ADAPTERS, openFrontend } from './both-adapters.js';
import { FakeExchange } from './fake-exchange.js';
import { AUTH, declare, FakeServices, type RawClient, type RawResponse } from './support.js';

const LARGE = Array.from({ length: 300 }, (_, id) => ({ id, full_name: `Person ${id}`, note: 'ä' }));
const ready = new CachedResponseFields({ members: LARGE });
const RANDOM = createHash('shake256', { outputLength: 5000 }).update('incompressible').digest();
const forward = checkedForward({ to: realmActorKey(1 as never), command: anyCommand('do'), args: {} });
const picture = { status: 200, raw: Buffer.alloc(5000, 'x'), headers: { 'Content-Type': 'image/png' } };
const logo = { ...picture, coded: { ETag: '"t-gzip"' }, headers: { 'Content-Type': 'image/svg+xml', ETag: '"t"' } };
const held = {
  ...forward,
  held: true,
  keepalive: {
    last: 1,
    parameter: 'n',
    heartbeatIds: 9,
    fields: (n: number) => `,"n":${n}`,
    answerInsteadOf: () => undefined,
  },
};

const OPERATIONS_HERE = [
  declare({ path: '/large', run: () => ({ fields: { members: LARGE } }) }),
  declare({ path: '/encoded', run: () => ({ fields: { members: EncodedJson.fromJsonText(JSON.stringify(LARGE)) } }) }),
  declare({ path: '/ready', run: () => ({ ready }) }),
  declare({ path: '/small', run: () => ({ fields: { x: 'x'.repeat(900) } }) }),
  declare({ path: '/asked', run: () => forward }),
  declare({ path: '/change', method: 'POST', run: () => ({ fields: { members: LARGE } }) }),
  declare({ path: '/register', method: 'POST', compressed: true, run: () => forward }),
  declare({ path: '/keys', compressed: false, run: () => ({ fields: { members: LARGE } }) }),
  declare({ path: '/picture', root: true, run: () => picture }),
  declare({ path: '/logo', root: true, run: () => logo }),
  declare({ path: '/random', run: () => ({ fields: { x: RANDOM.toString('base64url') } }) }),
  declare({
    path: '/poll',
    parameters: { n: { in: 'query', encoding: 'json', schema: Type.Integer(), required: true } },
    run: ({ params }) => ({ ...held, keepalive: { ...held.keepalive, last: (params as { n: number }).n } }),
  }),
];

const GZIP = { Authorization: AUTH, 'Accept-Encoding': 'gzip, deflate' };
const PLAIN = { Authorization: AUTH };

const bodyOf = ({ bytes, headers }: RawResponse): Buffer =>
  headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;

for (const kind of ADAPTERS) {
  t.test(`${kind}: large answers are compressed for clients that accept it`, async (t) => {
    const { client, services } = await openFrontend(t, kind, OPERATIONS_HERE, { compressesAnswers: true });
    services.onForward = ({ answer }) => answer({ ok: [Buffer.from(`,"members":${JSON.stringify(LARGE)}`)] });
    const api = await client();
    const ask = async (line: string, headers: Record<string, string>): Promise<RawResponse> => {
      api.request(line, headers);
      return (await api.response())!;
    };

    for (const path of ['/large', '/encoded', '/ready', '/asked']) {
      const plain = await ask(`GET /api/v1${path}`, PLAIN);
      t.same([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'Accept-Encoding'], path);
      for (let i = 0; i < 3; i++) {
        const coded = await ask(`GET /api/v1${path}`, GZIP);
        t.match(coded.headers, {
          'content-encoding': 'gzip',
          vary: 'Accept-Encoding',
          'content-type': 'application/json',
        });
        t.ok(coded.bytes.length < plain.bytes.length / 3, 'much smaller');
        t.ok(bodyOf(coded).equals(plain.bytes), 'and the same');
      }
      // The connection may close after it.
      const heads = await client();
      heads.request(`HEAD /api/v1${path}`, GZIP);
      const head = (await heads.response(true))!;
      const { bytes } = await ask(`GET /api/v1${path}`, GZIP);
      t.match(
        head.headers,
        { 'content-encoding': 'gzip', 'content-length': String(bytes.length) },
        'HEAD has its head',
      );
    }
    const refused = { ...PLAIN, 'Accept-Encoding': 'gzip;q=0, identity' };
    t.equal((await ask('GET /api/v1/large', refused)).headers['content-encoding'], undefined);
    t.equal((await ask('POST /api/v1/register', GZIP)).headers['content-encoding'], 'gzip', 'declared');
    for (const line of ['GET /api/v1/small', 'POST /api/v1/change', 'GET /api/v1/keys', 'GET /picture']) {
      const { headers } = await ask(line, GZIP);
      t.same([headers['content-encoding'], headers.vary], [undefined, undefined], line);
    }
    t.equal((await ask('GET /api/v1/random', PLAIN)).bytes.length > 6000, true);
    const logoAnswer = await ask('GET /logo', GZIP);
    t.match(logoAnswer.headers, { 'content-encoding': 'gzip', etag: '"t-gzip"', 'content-type': 'image/svg+xml' });
    t.ok(bodyOf(logoAnswer).equals(logo.raw));
    t.equal((await ask('GET /logo', PLAIN)).headers.etag, '"t"');
    t.equal(services.logged.length, 0);
  });

  t.test(`${kind}: a poll is answered in the encoding of the request that waits`, async (t) => {
    const { client, services } = await openFrontend(t, kind, OPERATIONS_HERE, {
      compressesAnswers: true,
      heartbeatMs: 1000,
      random: () => 0,
    });
    const api = await client();
    const poll = async (n: number, headers: Record<string, string>): Promise<void> => {
      api.request(`GET /api/v1/poll?n=${n}`, headers);
      await sentTo(api);
    };
    // The first poll accepts gzip and the next one doesn't; then the other way round.
    for (const [first, second] of [
      [GZIP, PLAIN],
      [PLAIN, GZIP],
    ] as const) {
      const before = services.forwarded.length;
      await poll(1, first);
      while (services.forwarded.length === before) await settle();
      services.clock.advance(2000);
      const beat = (await api.response())!;
      t.same([beat.json().n, beat.headers['content-encoding']], [2, undefined], 'a heartbeat is small');
      await poll(2, second);
      await barrier(await client());
      t.equal(services.forwarded.length, before + 1, 'it goes on with what is held');
      services.forwarded.at(-1)!.answer({ ok: [Buffer.from(`,"events":${JSON.stringify(LARGE)}`)] });
      const answer = (await api.response())!;
      t.equal(answer.headers['content-encoding'], second === GZIP ? 'gzip' : undefined);
      t.same(JSON.parse(bodyOf(answer).toString()).events, LARGE);
    }
  });

  t.test(`${kind}: compression can be switched off, and a client may leave while its answer is made`, async (t) => {
    const off = await openFrontend(t, kind, OPERATIONS_HERE);
    const api = await off.client();
    api.request('GET /api/v1/large', GZIP);
    const { headers } = (await api.response())!;
    t.same([headers['content-encoding'], headers.vary], [undefined, undefined]);

    const on = await openFrontend(t, kind, OPERATIONS_HERE, { compressesAnswers: true });
    for (let i = 0; i < 20; i++) {
      const leaving = await on.client();
      leaving.request('GET /api/v1/large', GZIP);
      leaving.socket.destroy();
    }
    const staying = await on.client();
    staying.request('GET /api/v1/large', GZIP);
    t.equal((await staying.response())!.status, 200);
  });
}

/** Resolves when the written bytes are with the server's operating system. */
const sentTo = (api: RawClient): Promise<void> =>
  new Promise((resolve) => {
    api.socket.write('', () => resolve());
  });

/** Resolves when earlier bytes of other connections were handled. */
async function barrier(api: RawClient): Promise<void> {
  for (let i = 0; i < 3; i++) {
    api.request('GET /api/v1/small', PLAIN);
    await api.response();
  }
}

t.test("an answer beyond the compressor's capacity goes out uncompressed, and is counted", async (t) => {
  const services = new FakeServices();
  const frontend = new HttpFrontend(OPERATIONS_HERE, services, { requestIdPrefix: 'f', compressesAnswers: true });
  const asked = Array.from({ length: 1_100 }, () => {
    const exchange = new FakeExchange('GET', '/api/v1/large', { authorization: AUTH, 'accept-encoding': 'gzip' });
    frontend.handleRequest(exchange);
    return exchange;
  });
  t.equal(asked.filter(({ answered }) => answered).length, 1_100 - 1_024, 'at once');
  t.same(asked.at(-1)!.json.members, LARGE);
  while (!asked.every(({ answered }) => answered)) await new Promise((resolve) => setImmediate(resolve));
});

t.test('answers that hold keys, or links that work as keys, are declared as never compressed', async (t) => {
  const holdingKeys = [
    'fetch-api-key',
    'regenerate-own-api-key',
    'regenerate-bot-api-key',
    'create-bot',
    'get-bots',
    'get-bot-storage',
    'get-invites',
    'create-invite-link',
    'get-file-temporary-url',
  ];
  for (const id of holdingKeys) t.equal(API_OPERATIONS.find((operation) => operation.id === id)?.compressed, false, id);
});
