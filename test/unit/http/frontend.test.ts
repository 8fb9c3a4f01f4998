import t from 'tap';
import { Type } from 'typebox';
import { type ApiOperation, forwardCommand as checkedForward } from '#frontend/api';
import { HttpFrontend } from '#frontend/http';
import { type ActorReply, realmActorKey, toUserId } from '#model';
import { apiError } from '#model/errors';
import { anyCommand } from '../../support/any-command.js';
import { settle } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';
import { FakeExchange } from './fake-exchange.js';
import { AUTH, declare, FakeServices, KEY, user } from './support.js';

const FORM = 'application/x-www-form-urlencoded';
const forwarded = checkedForward({ to: realmActorKey(1 as never), command: anyCommand('do'), args: {} });
const ok = (text: string, after?: number): ActorReply => ({ ok: [Buffer.from(text)], ...(after ? { after } : {}) });

function make(...operations: ApiOperation[]) {
  const services = new FakeServices();
  const frontend = new HttpFrontend(operations, services, { requestIdPrefix: 'f1' });
  const send = (method: string, url: string, sent: Record<string, string> = {}, body?: string): FakeExchange => {
    const exchange = new FakeExchange(method, `/api/v1${url}`, { authorization: AUTH, ...sent }, body);
    frontend.handleRequest(exchange);
    return exchange;
  };
  return { services, frontend, send };
}

t.test('an operation answered from the replica is answered in the same turn', async (t) => {
  const { send } = make(
    declare({
      path: '/a',
      run: ({ clientName, caller, unverifiedBaseUrl }) => ({
        fields: { client: clientName, caller, origin: unverifiedBaseUrl },
      }),
    }),
  );
  const got = send('GET', '/a?x=1', { 'user-agent': 'curl/8.1', host: 'chat.example.com:9991' });
  t.equal(got.status, 200);
  t.same(got.json, {
    result: 'success',
    msg: '',
    ignored_parameters_unsupported: ['x'],
    client: 'curl',
    caller: 5,
    origin: 'http://chat.example.com:9991',
  });
});

t.test('a strange Host header does not appear in answers', async (t) => {
  const { send } = make(
    declare({ path: '/a', run: ({ unverifiedBaseUrl }) => ({ fields: { origin: unverifiedBaseUrl } }) }),
  );
  t.equal(send('GET', '/a', { host: 'evil"/<x>' }).json.origin, 'http://localhost');
});

t.test('the checks run in this order: path, method, credentials, role, parameters', async (t) => {
  const { send } = make(
    declare({
      path: '/a',
      method: 'PATCH',
      guard: 'admin',
      parameters: { n: { in: 'form', encoding: 'json', schema: Type.Integer(), required: true } },
    }),
  );
  const none = { authorization: '' };
  t.same(send('PATCH', '/b', none).json, { result: 'error', msg: 'Not Found' });
  const wrong = send('GET', '/a', none);
  t.equal(wrong.status, 405);
  t.same(wrong.json, { result: 'error', msg: 'Method Not Allowed', allowed_methods: ['PATCH'] });
  t.equal(wrong.headers.Allow, 'PATCH');
  t.equal(send('PATCH', '/a', none).status, 401);
  t.equal(send('PATCH', '/a').json.msg, 'Must be an organization administrator');
});

t.test('guards refuse with their messages', async (t) => {
  const guards = ['user', 'admin', 'owner', 'human', 'member_human', 'non_guest'] as const;
  const { send, services } = make(...guards.map((guard) => declare({ path: `/${guard}`, guard })));
  const outcome = (over: object): string[] => {
    services.caller = { ...services.caller, user: user(over) };
    return guards.map((guard) => send('GET', `/${guard}`).json.msg as string);
  };
  const [admin, owner] = ['Must be an organization administrator', 'Must be an organization owner'];
  const [bots, guests] = ['This endpoint does not accept bot requests.', 'Not allowed for guest users'];
  t.same(outcome({ role: 100 }), ['', '', '', '', '', '']);
  t.same(outcome({ role: 200 }), ['', '', owner, '', '', '']);
  t.same(outcome({ role: 600 }), ['', admin, owner, '', guests, guests]);
  t.same(outcome({ role: 200, botType: 1 }), ['', '', owner, bots, bots, '']);
  t.same(outcome({ role: 600, botType: 1 }), ['', admin, owner, bots, guests, guests]);
});

t.test('incoming-webhook bots are admitted only where declared', async (t) => {
  const { send, services } = make(declare({ path: '/a' }), declare({ path: '/b', webhookBots: true }));
  services.caller = { ...services.caller, user: user({ botType: 2 }) };
  t.equal(send('GET', '/a').json.msg, 'This API is not available to incoming webhook bots.');
  t.equal(send('GET', '/b').status, 200);
});

t.test('an operation of incoming-webhook bots refuses all other callers', async (t) => {
  const { send, services } = make(declare({ path: '/a', guard: 'webhook_bot', webhookBots: true }));
  for (const botType of [null, 1, 3]) {
    services.caller = { ...services.caller, user: user({ botType }) };
    const { status, json } = send('GET', '/a');
    t.same([status, json.msg], [401, 'This API is only available to incoming webhook bots.'], String(botType));
  }
  services.caller = { ...services.caller, user: user({ botType: 2 }) };
  t.equal(send('GET', '/a').status, 200);
});

t.test('a POST with a form field `method` stands for that method', async (t) => {
  const made = make(
    declare({ path: '/a', method: 'PATCH', run: () => ({ fields: { did: 'patch' } }) }),
    declare({ path: '/a', method: 'POST', run: () => ({ fields: { did: 'post' } }) }),
    declare({ path: '/only', method: 'DELETE' }),
  );
  const send = (url: string, body: string) =>
    made.send('POST', url, { 'content-type': `${FORM}; charset=utf-8` }, body);
  t.same(send('/a', 'method=PATCH').json, { result: 'success', msg: '', did: 'patch' });
  t.equal(send('/a', 'x=1').json.did, 'post');
  t.equal(send('/only', 'method=DELETE').status, 200);
  t.equal(send('/only', 'method=PUT').status, 405);
  t.equal(made.send('POST', '/a?method=PATCH').json.did, 'post', 'not in the query');
});

t.test('bodies that are no forms are ignored', async (t) => {
  const parameters = { n: { in: 'form', encoding: 'json', schema: Type.Integer(), required: true } } as const;
  const { send } = make(declare({ path: '/a', method: 'POST', parameters }));
  t.equal(send('POST', '/a', { 'content-type': 'application/json' }, '{"n":1}').json.msg, "Missing 'n' argument");
  t.equal(send('POST', '/a', { 'content-type': FORM }, 'n=1').status, 200);
});

t.test('an operation that reads the body itself gets it as it came, whatever its media type', async (t) => {
  const run = ({ body }: { body: Uint8Array }) => ({ fields: { body: Buffer.from(body).toString() } });
  const { send } = make(declare({ path: '/a', method: 'POST', takesBody: true, run }));
  for (const type of ['application/json', FORM, 'multipart/form-data; boundary=B', '']) {
    const { json } = send('POST', '/a', { 'content-type': type }, 'method=PATCH&x=1');
    t.same(json, { result: 'success', msg: '', body: 'method=PATCH&x=1' }, type);
  }
  t.equal(send('POST', '/a').json.body, '', 'without a body');
});

t.test('an API key in the query wins over credentials in headers, only where declared', async (t) => {
  const { send } = make(declare({ path: '/a' }), declare({ path: '/b', keyInQuery: true }));
  const malformed = { authorization: 'Bearer x' };
  t.equal(send('GET', '/b?api_key=short').json.code, 'INVALID_API_KEY');
  t.equal(send('GET', '/b', malformed).status, 400, 'without a key the header counts');
  t.equal(send('GET', `/a?api_key=${KEY}`, malformed).status, 400);
  t.equal(send('GET', `/b?api_key=${KEY}`, malformed).status, 200);
});

t.test('multipart forms are read', async (t) => {
  const parameters = { n: { in: 'form', encoding: 'json', schema: Type.Integer(), required: true } } as const;
  const run = ({ params }: { params: unknown }) => ({ fields: { n: (params as { n: number }).n } });
  const { send } = make(declare({ path: '/a', method: 'POST', parameters, run }));
  const body = '--B\r\nContent-Disposition: form-data; name="n"\r\n\r\n7\r\n--B--\r\n';
  const got = send('POST', '/a', { 'content-type': 'multipart/form-data; boundary=B' }, body);
  await settle();
  t.equal(got.json.n, 7);
});

t.test('an actor answers with encoded fields or a refusal', async (t) => {
  const { send, services } = make(declare({ path: '/a', run: () => forwarded }));
  const [first, second] = [send('GET', '/a?z=1', { 'user-agent': 'x/1' }), send('GET', '/a')];
  t.equal(first.answers, 0);
  services.forwarded[0]!.answer(ok(',"id":3'));
  services.forwarded[1]!.answer({ error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: 'q' }).toReply() });
  await settle();
  t.same(first.json, { result: 'success', msg: '', ignored_parameters_unsupported: ['z'], id: 3 });
  t.same(second.json, { result: 'error', msg: 'Bad event queue ID: q', code: 'BAD_EVENT_QUEUE_ID', queue_id: 'q' });
  t.match(services.forwarded[0]!.context, { client: 'x', realm: 1, requestId: 'f1-1' });
  t.equal(services.forwarded[1]!.context.requestId, 'f1-2');
  t.notOk(services.forwarded.some((sent) => sent.cancelled));
});

t.test('the answer to a change waits until the replica shows it', async (t) => {
  const { send, services } = make(declare({ path: '/a', run: () => forwarded }));
  let applied: () => void = () => {};
  services.waitForDirectoryVersion = (_realm, version) => {
    t.equal(version, 9);
    return new Promise<void>((resolve) => {
      applied = resolve;
    });
  };
  const got = send('GET', '/a');
  services.forwarded[0]!.answer(ok('', 9));
  await settle();
  t.equal(got.answers, 0);
  applied();
  await settle();
  t.equal(got.status, 200);
});

t.test('after the deadline the client gets 503 and the actor drops the command', async (t) => {
  const { send, services } = make(declare({ path: '/a', run: () => forwarded }));
  const got = send('GET', '/a');
  services.clock.advance(29_999);
  t.equal(got.answers, 0);
  services.clock.advance(1);
  t.equal(got.status, 503);
  t.equal(got.json.msg, 'Service temporarily unavailable, please try again');
  t.ok(services.forwarded[0]!.cancelled);
  services.forwarded[0]!.answer(ok(''));
  await settle();
  t.equal(got.answers, 1, 'a late reply is dropped');
});

t.test('operations with their own time limit may take longer', async (t) => {
  const { send, services } = make(declare({ path: '/a', run: () => ({ ...forwarded, deadlineMs: 60_000 }) }));
  services.slow = true;
  const [inTime, late] = [send('GET', '/a'), send('GET', '/a')];
  await settle();
  services.clock.advance(59_999);
  services.forwarded[0]!.answer(ok(''));
  await settle();
  t.equal(inTime.status, 200);
  services.clock.advance(1);
  t.equal(late.status, 503);
});

t.test('if a large answer was lost the operation runs again, a few times', async (t) => {
  let runs = 0;
  const run = () => ({ ...forwarded, args: { run: ++runs } });
  const { send, services } = make(declare({ path: '/a', run }));
  const got = send('GET', '/a');
  services.forwarded[0]!.answer({ again: true });
  await settle();
  t.same(services.forwarded[1]!.forward.args, { run: 2 });
  services.forwarded[1]!.answer(ok(',"n":1'));
  await settle();
  t.equal(got.json.n, 1);
  services.onForward = (sent) => sent.answer({ again: true });
  const never = send('GET', '/a');
  await settle();
  t.equal(never.status, 503);
  t.equal(runs, 5);
});

t.test('a partially completed command is answered with its code alone', async (t) => {
  const { send, services } = make(declare({ path: '/a', run: () => forwarded }));
  const got = send('GET', '/a?x=1');
  services.forwarded[0]!.answer({ ok: [], partial: 'REQUEST_TIMEOUT' });
  await settle();
  t.equal(got.status, 200);
  t.same(got.json, { result: 'partially_completed', msg: '', code: 'REQUEST_TIMEOUT' });
});

t.test('waiting polls have no deadline, and releaseHeld answers them', async (t) => {
  const { send, services, frontend } = make(declare({ path: '/a', run: () => ({ ...forwarded, held: true }) }));
  const [one, two] = [send('GET', '/a'), send('GET', '/a')];
  services.clock.advance(3_600_000);
  services.forwarded[0]!.answer(ok(''));
  await settle();
  t.equal(one.status, 200);
  t.equal(two.answers, 0);
  frontend.answerWaitingPollsForShutdown();
  await settle();
  t.equal(two.status, 200);
  t.same(two.json.events, []);
  t.ok(services.forwarded[1]!.cancelled);
  t.equal(services.clock.next(), undefined, 'no timer is left');
  const late = send('GET', '/a');
  await settle();
  t.same(late.json?.events, [], 'a poll that comes afterwards, on a connection kept alive, is not held');
});

t.test('a client that leaves cancels its forwarded command', async (t) => {
  const { send, services } = make(declare({ path: '/a', run: () => ({ ...forwarded, held: true }) }));
  const got = send('GET', '/a');
  got.abort();
  t.ok(services.forwarded[0]!.cancelled);
  services.forwarded[0]!.answer(ok(''));
  await settle();
  t.equal(got.answers, 0);
});

t.test('a request waits for a caller looked up elsewhere; a client that left meanwhile starts nothing', async (t) => {
  const { send, services } = make(declare({ path: '/a', run: () => forwarded }));
  services.slow = true;
  const [stays, leaves] = [send('GET', '/a'), send('GET', '/a')];
  leaves.abort();
  await settle();
  t.equal(services.forwarded.length, 1);
  services.forwarded[0]!.answer(ok(''));
  await settle();
  t.equal(stays.status, 200);
});

t.test('unknown exceptions are 500 without details, and logged', async (t) => {
  const { send, services } = make(
    declare({ path: '/a', run: () => JSON.parse('{') }),
    declare({ path: '/b', run: () => Promise.reject(new Error('secret')) }),
    declare({ path: '/c', run: () => forwarded }),
  );
  const answers = [send('GET', '/a'), send('GET', '/b'), send('GET', '/c')];
  services.forwarded[0]!.fail(new Error('secret'));
  await settle();
  for (const got of answers) {
    t.equal(got.status, 500);
    t.same(got.json, { result: 'error', msg: 'Internal server error' });
  }
  t.equal(services.logged.filter(({ level }) => level === 'error').length, 3);
});

t.test('refusals of operations and services are answered as they are', async (t) => {
  const { send, services } = make(
    declare({
      path: '/a',
      run: () => {
        throw apiError('NO_SUCH_USER');
      },
    }),
    declare({ path: '/b', run: () => forwarded }),
  );
  t.equal(send('GET', '/a').json.msg, 'No such user');
  const got = send('GET', '/b');
  services.forwarded[0]!.fail(apiError('SERVICE_UNAVAILABLE'));
  await settle();
  t.equal(got.status, 503);
});

t.test('an operation without credentials runs for the organization of the host', async (t) => {
  const { send } = make(declare({ path: '/a', guard: 'none', run: ({ caller }) => ({ fields: { caller } }) }));
  t.equal(send('GET', '/a', { authorization: '' }).json.caller, 0);
});

t.test('an answer may bring headers of its own', async (t) => {
  const run = () => ({ fields: {}, headers: { 'Cache-Control': 'max-age=60', 'X-A': 'b' } });
  const got = make(declare({ path: '/a', run })).send('GET', '/a');
  t.match(got.headers, { 'Cache-Control': 'max-age=60', 'X-A': 'b', 'Content-Type': 'application/json' });
});

const MULTIPART = { 'content-type': 'multipart/form-data; boundary=B' };
const fileForm = (bytes: string): string =>
  `--B\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n${bytes}\r\n--B--\r\n`;
const upload = declare({
  path: '/files',
  method: 'POST',
  takesFiles: true,
  run: ({ files }) => ({ fields: { got: files === 'too large' ? files : files.map((file) => file.bytes.length) } }),
});

t.test('files reach only operations that declare them', async (t) => {
  const { send } = make(
    upload,
    declare({ path: '/a', method: 'POST', run: ({ files }) => ({ fields: { got: files as [] } }) }),
  );
  const taken = send('POST', '/files', MULTIPART, fileForm('12345'));
  const skipped = send('POST', '/a', MULTIPART, fileForm('12345'));
  await settle();
  t.same([taken.json.got, skipped.json.got], [[5], []]);
});

t.test('without a valid key no file is read', async (t) => {
  const { send } = make(upload);
  for (const authorization of ['', 'Basic bm9uc2Vuc2U=', AUTH.replace(/.{8}$/, 'AAAAAAA=')]) {
    const refused = send('POST', '/files', { ...MULTIPART, authorization }, fileForm('x'));
    t.same([refused.status, refused.read, refused.answers], [401, false, 1]);
  }
});

t.test('a form is neither read nor parsed where credentials are needed and missing', async (t) => {
  const post = declare({ path: '/a', method: 'POST' });
  const open = declare({ path: '/open', method: 'POST', guard: 'none' });
  const visited = declare({ path: '/visited', method: 'POST', anonymous: true });
  const mixed = ['POST', 'PATCH'].map((method, i) =>
    declare({ path: '/mixed', method: method as 'POST', guard: i === 0 ? 'none' : 'user' }),
  );
  const { send, services } = make(post, open, visited, ...mixed);
  const none = { authorization: '', 'content-type': FORM };
  const outcome = ({ status, read }: FakeExchange) => [status, read];
  t.same(outcome(send('POST', '/a', none, 'x=1')), [401, false]);
  t.same(outcome(send('POST', '/visited', none, 'x=1')), [0, true], 'it is asked whether visitors are let in');
  t.same(outcome(send('POST', '/open', none, 'x=1')), [200, true]);
  t.same(outcome(send('POST', '/mixed', none, 'x=1')), [200, true], 'it may be for the one without');
  t.same(outcome(send('POST', '/mixed', none, 'method=PATCH')), [401, true]);
  t.same(outcome(send('PATCH', '/mixed', none, 'x=1')), [401, false]);
  t.same(outcome(send('PUT', '/mixed', none, 'x=1')), [405, false], 'no form makes that an operation');
  services.slow = true;
  services.authenticateApiKey = () => Promise.reject(apiError('API_KEY_UNKNOWN'));
  const unknown = send('POST', '/a', { 'content-type': 'multipart/form-data; boundary=B' }, 'no form');
  await settle();
  t.same([unknown.status, unknown.answers], [401, 1], 'what is wrong with the form is not found out');
});

t.test('uploads have their own limit, and a message of their own above it', async (t) => {
  const { send } = make(upload);
  t.same(send('POST', '/files', MULTIPART, 'x'.repeat(26 * 1_048_576)).json.got, 'too large');
});

t.test('uploads take no more memory than configured, and release it', async (t) => {
  const services = new FakeServices();
  const frontend = new HttpFrontend([upload], services, { requestIdPrefix: 'f1', maxFileMib: 1, uploadMemoryMib: 2 });
  let users = 0;
  const send = (head: Record<string, string> = {}): FakeExchange => {
    services.caller = { ...services.caller, user: user({ id: toUserId(++users) }) };
    const sent = { authorization: AUTH, ...MULTIPART, ...head };
    const exchange = new FakeExchange('POST', '/api/v1/files', sent, fileForm('x'.repeat(900_000)));
    frontend.handleRequest(exchange);
    return exchange;
  };
  const [one, two, three, four] = [send(), send(), send({ 'content-length': '900000' }), send()];
  t.same([three.status, three.read], [503, false], 'refused by its announced length');
  t.same([four.status, four.read], [503, true], 'refused while it arrives, without an announced length');
  one.abort();
  const five = send();
  await until('both are answered', () => two.answered && five.answered);
  t.same([one.answers, two.status, five.status], [0, 200, 200]);
  const [six, seven] = [send(), send()];
  await until('both are answered', () => six.answered && seven.answered);
  t.same([six.status, seven.status], [200, 200], 'answered uploads have released their memory');
});
