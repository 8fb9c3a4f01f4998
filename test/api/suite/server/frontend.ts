/** Routing, bodies and envelope: conventions.md § Routing, § Parameters, § Response envelope. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { refused } from '../../harness.js';
import { bad, missing, refusalBody } from '../../support/client.js';
import { upload } from '../../support/files.js';
import { makeOrganization, say, subscribe } from '../../support/organization.js';
import type { Facts } from '../facts.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The methods of each path. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  '/register': ['POST'],
  '/events': ['DELETE', 'GET'],
  '/messages': ['GET', 'POST'],
  '/messages/1': ['GET'],
  '/users': ['GET', 'POST'],
  '/users/me': ['GET'],
  '/users/me/subscriptions': ['GET', 'POST'],
  '/streams': ['GET'],
  '/fetch_api_key': ['POST'],
  '/server_settings': ['GET'],
};

export const frontend: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const { member, nobody } = org;
  await subscribe(member, 'frontend');

  await t.test('a method that a path does not have is 405 with Allow, before authentication', async (t) => {
    for (const [path, methods] of Object.entries(METHODS)) {
      const answer = await nobody.raw({ method: 'PUT', path: `/api/v1${path}` });
      t.equal(answer.status, 405, path);
      const allowed = (answer.body.allowed_methods as string[]).filter((m) => m !== 'HEAD' && m !== 'OPTIONS');
      for (const method of methods) t.ok(allowed.includes(method), `${path} ${method}`);
      t.same(
        answer.body,
        { result: 'error', msg: 'Method Not Allowed', allowed_methods: answer.body.allowed_methods },
        'no code',
      );
      t.equal(answer.headers.allow, (answer.body.allowed_methods as string[]).join(', '));
    }
  });

  await t.test('OPTIONS answers 204 with the methods, sorted', async (t) => {
    const answer = await nobody.raw({ method: 'OPTIONS', path: '/api/v1/events' });
    t.equal(answer.status, 204);
    const allow = String(answer.headers.allow).split(', ');
    t.same(allow, [...allow].sort());
    t.ok(allow.includes('DELETE') && allow.includes('GET'));
  });

  await t.test(
    'browser clients of other origins may call every address of the API, and read files and errors',
    async (t) => {
      const headers = { origin: 'https://elsewhere.example' };
      const everybody = {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'Authorization, X-Conclave-Api-Level',
      };
      const uri = await upload(member, 'elsewhere.txt');
      for (const path of [
        '/api/v1/messages',
        '/api/v1/register',
        uri,
        '/user_avatars/1/x.png',
        '/static/images/logo.svg',
      ]) {
        const preflight = {
          ...headers,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        };
        const { status, headers: given } = await nobody.raw({ method: 'OPTIONS', path, headers: preflight });
        t.match(
          [status, given],
          [204, { ...everybody, 'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD' }],
          path,
        );
        t.notOk('access-control-allow-credentials' in given, 'with no credentials of the browser');
      }
      for (const [by, path, status] of [
        [member.api, '/api/v1/users/me', 200],
        [member.api, uri, 200],
        [nobody, '/api/v1/users/me', 401],
        [nobody, '/api/v1/nothing', 404],
      ] as const) {
        const answer = await by.raw({ method: 'GET', path, headers });
        t.match([answer.status, answer.headers], [status, everybody], path);
      }
      const page = await nobody.raw({ method: 'OPTIONS', path: '/signup', headers });
      t.same(
        [page.status, page.headers['access-control-allow-origin']],
        [204, undefined],
        'pages are for their own origin',
      );
    },
  );

  await t.test('large answers are compressed for clients that accept gzip, with equal content', async (t) => {
    const gzip = { 'accept-encoding': 'gzip, deflate' };
    const ask = (path: string, headers: Record<string, string> = {}) =>
      member.api.raw({ method: 'GET', path, headers });
    await say(member, 'frontend', 'long', 'word '.repeat(1_000));
    const newest = '/api/v1/messages?anchor=newest&num_before=1&num_after=0';
    for (const path of [newest, '/static/emoji/emoji_api.json']) {
      const [plain, coded] = [await ask(path), await ask(path, gzip)];
      t.match([coded.status, coded.headers], [200, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }], path);
      t.equal(plain.headers['content-encoding'], undefined);
      t.ok(gunzipSync(coded.bytes).equals(plain.bytes), path);
      t.ok(coded.bytes.length < plain.bytes.length / 2, path);
    }
    const made = await member.api.raw({ method: 'POST', path: '/api/v1/register', headers: gzip });
    t.equal(made.headers['content-encoding'], 'gzip');
    t.match(JSON.parse(gunzipSync(made.bytes).toString()), { result: 'success', queue_id: String, realm_users: Array });

    const path = '/static/emoji/emoji_api.json';
    const [plain, coded] = [await ask(path), await ask(path, gzip)];
    const tags = [plain.headers.etag, coded.headers.etag].map(String);
    t.not(tags[0], tags[1], 'other bytes have another tag');
    for (const tag of tags) {
      const known = await ask(path, { ...gzip, 'if-none-match': tag });
      t.same([known.status, known.headers.etag, known.text], [304, tag, ''], 'both are known');
    }
    const part = await ask(path, { ...gzip, range: 'bytes=0-9' });
    t.same([part.status, part.headers['content-encoding'], part.text], [206, undefined, plain.text.slice(0, 10)]);
    const file = await upload(member, 'long.txt', 'x'.repeat(5_000));
    const served = await member.api.raw({ method: 'GET', path: file, headers: gzip });
    t.same([served.headers['content-encoding'], served.text.length], [undefined, 5_000], 'files go out as they are');
    const keys = await ask('/api/v1/bots', gzip);
    t.same([keys.status, keys.headers['content-encoding'], keys.headers.vary], [200, undefined, undefined]);
  });

  await t.test('HEAD is routed like GET, without a body', async (t) => {
    const answer = await member.api.raw({ method: 'HEAD', path: '/api/v1/users/me' });
    t.same([answer.status, answer.text], [200, '']);
  });

  await t.test('unknown paths are 404', async (t) => {
    for (const path of [
      '/api/v1',
      '/api/v1/',
      '/api/v1/nothing',
      '/api/v1/users/',
      '/api/v1/messages/1/',
      '/api/v1/messages/one',
      '/api/v1/messages/-1',
      '/api/v2/users',
      '/users/me',
    ]) {
      const answer = await member.api.raw({ method: 'GET', path });
      t.equal(answer.status, 404, path);
      t.equal(answer.body.result, 'error', path);
    }
  });

  await t.test('a POST with the form field method stands for that method', async (t) => {
    const { queue_id } = await member.api.ok('POST /register', { fetch_event_types: [] });
    const answer = await member.api.raw({
      method: 'POST',
      path: '/api/v1/events',
      headers: FORM,
      body: `method=DELETE&queue_id=${queue_id}`,
    });
    t.same([answer.status, answer.body], [200, { result: 'success', msg: '' }]);
    const wrong = await member.api.raw({ method: 'POST', path: '/api/v1/events', headers: FORM, body: 'method=PATCH' });
    t.equal(wrong.status, 405);
  });

  await t.test('answers are JSON, forbid caching, and end with a newline', async (t) => {
    for (const answer of [
      await member.api.raw({ method: 'GET', path: '/api/v1/users/me' }),
      await member.api.raw({ method: 'GET', path: '/api/v1/messages' }),
      await nobody.raw({ method: 'GET', path: '/api/v1/users/me' }),
    ]) {
      t.equal(answer.headers['content-type'], 'application/json');
      t.equal(answer.headers['cache-control'], 'max-age=0, no-cache, no-store, must-revalidate, private');
      t.type(answer.headers.expires, 'string');
      t.ok(answer.text.endsWith('\n'));
    }
  });

  await t.test(
    'parameters come from the form first, then from the query; the last of several values counts',
    async (t) => {
      const send = async (query: string, body: string): Promise<string> => {
        const answer = await member.api.raw({ method: 'POST', path: `/api/v1/messages?${query}`, headers: FORM, body });
        const { message } = await member.api.ok<{ message: { subject: string } }>('GET /messages/{message_id}', {
          message_id: answer.body.id,
        });
        return message.subject;
      };
      const common = 'type=stream&to=frontend&content=x';
      t.equal(await send('topic=query', common), 'query');
      t.equal(await send('topic=query', `${common}&topic=form`), 'form');
      t.equal(await send('', `${common}&topic=first&topic=second`), 'second');
      t.equal(await send('', `${common}&subject=old+name`), 'old name');
    },
  );

  await t.test('a parameter under both of its names is refused', async (t) => {
    const call = member.api.call('POST /messages', {
      type: 'stream',
      to: 'frontend',
      content: 'x',
      topic: 'a',
      subject: 'b',
    });
    await refused(t, call, {
      code: 'REQUEST_CONFUSING_VAR',
      msg: "Can't decide between 'topic' and 'subject' arguments",
      extra: { var_name1: 'topic', var_name2: 'subject' },
    });
  });

  await t.test('JSON bodies and bodies without a type are not read', async (t) => {
    const body = JSON.stringify({ type: 'stream', to: 'frontend', topic: 'x', content: 'x' });
    for (const type of ['application/json', 'text/plain']) {
      const answer = await member.api.raw({
        method: 'POST',
        path: '/api/v1/messages',
        headers: { 'content-type': type },
        body,
      });
      t.same(answer.body, refusalBody(missing('type')), type);
    }
  });

  await t.test('a multipart form is read like any form', async (t) => {
    const part = (name: string, value: string) =>
      `--cut\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = `${part('type', 'stream')}${part('to', 'frontend')}${part('topic', 'multi part')}${part('content', 'één')}--cut--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' };
    const answer = await member.api.raw({ method: 'POST', path: '/api/v1/messages', headers, body });
    t.equal(answer.status, 200);
    const { raw_content } = await member.api.ok('GET /messages/{message_id}', { message_id: answer.body.id });
    t.equal(raw_content, 'één');
    const broken = await member.api.raw({ method: 'POST', path: '/api/v1/messages', headers, body: body.slice(0, 90) });
    t.equal(broken.status, 400, 'cut off');
    const noBoundary = { 'content-type': 'multipart/form-data' };
    t.equal(
      (await member.api.raw({ method: 'POST', path: '/api/v1/messages', headers: noBoundary, body })).status,
      400,
    );
  });

  await t.test('too large a body is refused, and the server goes on', async (t) => {
    const body = `type=stream&to=frontend&topic=x&content=${'x'.repeat(1_100_000)}`;
    const answer = await member.api
      .raw({ method: 'POST', path: '/api/v1/messages', headers: FORM, body })
      .catch((error: NodeJS.ErrnoException) => error);
    // The connection may be cut before all of the body is written.
    if (answer instanceof Error) t.match(answer.code, /ECONNRESET|EPIPE/);
    else t.same([answer.status, answer.body.code], [413, 'BAD_REQUEST']);
    t.equal((await member.api.call('GET /users/me')).status, 200);
  });

  await t.test('a body that breaks off harms no other request', async (t) => {
    for (let i = 0; i < 5; i++) {
      await new Promise<void>((resolve) => {
        const headers = { ...FORM, ...member.api.headers, 'content-length': '1000' };
        const options = {
          host: '127.0.0.1',
          port: server.nextPort(),
          method: 'POST',
          path: '/api/v1/messages',
          headers,
        };
        const req = request(options);
        req.on('error', () => resolve()).on('close', () => resolve());
        req.write('type=stream&to=frontend', () => req.destroy());
      });
    }
    t.equal((await member.api.call('GET /users/me')).status, 200);
  });

  await t.test('unused parameters are named on every success', async (t) => {
    const extra = { zebra: '1', apple: '2', client: 'tester' };
    const calls: [string, Record<string, unknown>][] = [
      ['POST /register', { fetch_event_types: [] }],
      ['GET /events', { dont_block: true }],
      ['POST /messages', { type: 'stream', to: 'frontend', topic: 'x', content: 'x' }],
      ['GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 }],
      ['GET /users', {}],
      ['GET /users/me', {}],
      ['POST /users/me/subscriptions', { subscriptions: [{ name: 'frontend' }] }],
      ['GET /users/me/subscriptions', {}],
      ['GET /streams', {}],
      ['GET /server_settings', {}],
    ];
    for (const [operation, params] of calls) {
      const body = await member.api.ok(operation, { ...params, ...extra });
      t.same(body.ignored_parameters_unsupported, ['apple', 'zebra'], operation);
      const plain = await member.api.ok(operation, params);
      t.notOk('ignored_parameters_unsupported' in plain, `${operation}: absent when there are none`);
    }
    const id = await say(member, 'frontend', 'x');
    const message = await member.api.ok('GET /messages/{message_id}', { message_id: id, ...extra });
    t.same(message.ignored_parameters_unsupported, ['apple', 'zebra']);
    const { queue_id } = await member.api.ok('POST /register', { fetch_event_types: [] });
    const deleted = await member.api.ok('DELETE /events', { queue_id, ...extra });
    t.same(deleted.ignored_parameters_unsupported, ['apple', 'zebra']);
    await refused(t, member.api.call('GET /messages', extra), missing('num_before'), 'not on errors');
  });

  await t.test('the client of a message is the parameter, else the name of the user agent', async (t) => {
    const clientOf = async (headers: Record<string, string>, params: Record<string, unknown>): Promise<unknown> => {
      const { id } = await member.api
        .with(headers)
        .ok('POST /messages', { type: 'stream', to: 'frontend', topic: 'x', content: 'x', ...params });
      const { message } = await member.api.ok<{ message: { client: string } }>('GET /messages/{message_id}', {
        message_id: id,
      });
      return message.client;
    };
    t.equal(await clientOf({}, {}), 'Unspecified');
    t.equal(await clientOf({ 'user-agent': 'curl/8.1' }, {}), 'curl');
    t.equal(await clientOf({ 'user-agent': 'ZulipPython/0.9' }, {}), 'ZulipPython');
    t.equal(await clientOf({ 'user-agent': 'curl/8.1' }, { client: 'my own' }), 'my own');
    t.equal(await clientOf({}, { client: 'x'.repeat(40) }), 'x'.repeat(30));
  });

  await t.test('a parameter that is not JSON is refused by its name', async (t) => {
    const call = (params: Record<string, unknown>) => member.api.call('GET /users', params);
    await refused(t, call({ client_gravatar: 'maybe' }), bad('Argument "client_gravatar" is not valid JSON.'));
    await refused(
      t,
      call({ client_gravatar: '' }),
      bad('Argument "client_gravatar" is not valid JSON.'),
      'the empty string',
    );
    await refused(t, call({ client_gravatar: 'True' }), bad('Argument "client_gravatar" is not valid JSON.'), 'True');
    await refused(t, call({ client_gravatar: 1 }), bad('client_gravatar is not a boolean'));
    await refused(t, call({ client_gravatar: null }), bad('client_gravatar is not a boolean'), 'null is not absent');
  });
};
