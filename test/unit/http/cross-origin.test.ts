import t from 'tap';
import { Type } from 'typebox';
import { apiError } from '#model/errors';
import { ADAPTERS, openFrontend } from './both-adapters.js';
import { AUTH, declare } from './support.js';

const EVERYBODY = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Authorization, X-Conclave-Api-Level',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
  'access-control-expose-headers': /Retry-After, X-RateLimit-Limit/,
};
const listOf = (header: string | undefined): readonly string[] => header?.split(', ') ?? [];
const AUTHORIZED = { Authorization: AUTH, Origin: 'https://elsewhere.example' };
const FORM = { ...AUTHORIZED, 'Content-Type': 'application/x-www-form-urlencoded' };
const text = { in: 'form', encoding: 'string', schema: Type.String(), required: true } as const;
const raw = { status: 200, raw: Buffer.from('x'), headers: { 'Content-Type': 'text/plain' } };

const refusing = (path: string, name: 'RATE_LIMIT_HIT' | 'SERVICE_UNAVAILABLE' | 'FILE_NOT_FOUND') =>
  declare({
    path,
    run: () => {
      throw apiError(name, { 'retry-after': 2 });
    },
  });

const OPERATIONS = [
  declare({ path: '/a', run: () => ({ fields: {} }) }),
  declare({ path: '/a', method: 'POST', parameters: { s: text } }),
  declare({ path: '/file', root: true, run: () => raw }),
  declare({ path: '/page', root: true, page: true, guard: 'none', run: () => raw }),
  refusing('/often', 'RATE_LIMIT_HIT'),
  refusing('/down', 'SERVICE_UNAVAILABLE'),
  refusing('/lost', 'FILE_NOT_FOUND'),
  declare({
    path: '/broken',
    run: () => {
      throw new Error('a fault');
    },
  }),
];

for (const kind of ADAPTERS) {
  t.test(`${kind}: scripts of every origin may read all answers of the API, errors included`, async (t) => {
    const { client } = await openFrontend(t, kind, OPERATIONS, { maxBodyBytes: 1000 });
    const api = await client();
    const calls: readonly [line: string, headers: Record<string, string>, body: string, status: number][] = [
      ['GET /api/v1/a', AUTHORIZED, '', 200],
      ['POST /api/v1/a', FORM, 's=x', 200],
      ['POST /api/v1/a', FORM, '', 400],
      ['GET /api/v1/a', {}, '', 401],
      ['GET /api/v1/none', AUTHORIZED, '', 404],
      ['DELETE /api/v1/a', AUTHORIZED, '', 405],
      ['POST /api/v1/a', FORM, `s=${'x'.repeat(2000)}`, 413],
      ['GET /api/v1/often', AUTHORIZED, '', 429],
      ['GET /api/v1/broken', AUTHORIZED, '', 500],
      ['GET /api/v1/down', AUTHORIZED, '', 503],
      ['GET /file', AUTHORIZED, '', 200],
      ['GET /api/v1/lost', AUTHORIZED, '', 404],
    ];
    for (const [line, headers, body, status] of calls) {
      api.request(line, headers, body);
      const answer = (await api.response())!;
      t.match([answer.status, answer.headers], [status, EVERYBODY], line);
      t.notOk('access-control-allow-credentials' in answer.headers, 'without credentials of the browser');
    }
  });

  t.test(`${kind}: a preflight request needs no account, and its answer is valid for a day`, async (t) => {
    const { client } = await openFrontend(t, kind, OPERATIONS, { maxRequests: 0, countProcessedRequests: () => 9 });
    const api = await client();
    for (const path of ['/api/v1/a', '/file']) {
      api.request(`OPTIONS ${path}`, { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' });
      const answer = (await api.response())!;
      t.match([answer.status, answer.headers], [204, { ...EVERYBODY, 'access-control-max-age': '86400' }], path);
    }
  });

  t.test(`${kind}: scripts of any origin may choose an API level and read the headers of files`, async (t) => {
    const { client } = await openFrontend(t, kind, OPERATIONS);
    const api = await client();
    api.request('OPTIONS /file', { Origin: 'https://elsewhere.example' });
    const { headers } = (await api.response())!;
    const allowed = listOf(headers['access-control-allow-headers']);
    t.same(allowed, ['Authorization', 'X-Conclave-Api-Level'], 'headers of sessions are not allowed');
    const exposed = listOf(headers['access-control-expose-headers']);
    for (const name of ['ETag', 'Content-Disposition', 'Content-Range', 'Accept-Ranges']) t.ok(exposed.includes(name));
  });

  t.test(`${kind}: pages may be read by their own origin only`, async (t) => {
    const { client } = await openFrontend(t, kind, OPERATIONS);
    const api = await client();
    for (const method of ['GET', 'OPTIONS']) {
      api.request(`${method} /page`);
      const answer = (await api.response())!;
      t.equal(answer.headers['access-control-allow-origin'], undefined, method);
    }
  });
}
