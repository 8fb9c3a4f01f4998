/** The cookie of a session as the frontend reads it. */
import t, { type Test } from 'tap';
import type { FrontendOptions } from '#frontend/http';
import { ClientAddressResolver } from '#frontend/limits';
import { makeExpiredSessionCookie, makeSessionCookie, sessionTokenOfCookieHeader } from '#frontend/web';
import type { WebSession } from '#model/records';
import { WEB_SESSION_OPERATIONS } from '../../../src/frontend/api/operations/web/sessions.js';
import { ADAPTERS, openFrontend } from './both-adapters.js';
import { AUTH, declare } from './support.js';

const TOKEN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
const OTHER = 'a'.repeat(32);
const PLAIN = `conclave_session=${TOKEN}`;
const SECURE = `__Host-conclave_session=${TOKEN}`;
const DAY = 86_400_000;

const WHO = declare({
  path: '/who',
  run: ({ caller, callerSessionId = null }) => ({ fields: { caller, session: callerSessionId } }),
});
const OPERATIONS = [
  ...WEB_SESSION_OPERATIONS,
  WHO,
  { ...WHO, id: 'post', method: 'POST' as const },
  declare({
    path: '/seen',
    root: true,
    webClient: true,
    guard: 'none',
    run: ({ sessionCookieScope }) => ({ fields: { ...sessionCookieScope } }),
  }),
];

async function open(t: Test, kind: (typeof ADAPTERS)[number], options: Partial<FrontendOptions> = {}) {
  const { client, services } = await openFrontend(t, kind, OPERATIONS, { areSessionsAllowed: true, ...options });
  const of: WebSession = { id: 7, hash: 'h', client: 'Firefox', created: 0, used: services.clock.now() };
  services.session = { token: TOKEN, of };
  const browser = await client();
  const ask = async (headers: Record<string, string>, line = 'GET /api/v1/who', body = '') => {
    browser.request(line, { 'X-Conclave-Web': '1', ...headers }, body);
    return (await browser.response())!;
  };
  return { ask, services };
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

for (const kind of ADAPTERS) {
  t.test(`${kind}: a cookie names the session of its caller, with and without a body`, async (t) => {
    const { ask } = await open(t, kind);
    for (const answer of [
      await ask({ Cookie: PLAIN }),
      await ask({ Cookie: `a=b; ${PLAIN};c` }),
      await ask({ Cookie: PLAIN, ...FORM }, 'POST /api/v1/who', 'x=y'),
    ]) {
      t.match([answer.status, answer.json()], [200, { caller: 5, session: 7 }]);
    }
    for (const cookie of [
      `conclave_session=${OTHER}`,
      `conclave_session=${TOKEN}x`,
      `xconclave_session=${TOKEN}`,
      '=',
      ';',
    ]) {
      const refusals = [
        await ask({ Cookie: cookie }),
        await ask({ Cookie: cookie, ...FORM }, 'POST /api/v1/who', 'x=y'),
      ];
      for (const { status, headers } of refusals) {
        t.same([status, headers['www-authenticate']], [401, 'Session realm="Conclave"'], cookie);
      }
    }
    const program = await ask({ Cookie: PLAIN, 'X-Conclave-Web': '' });
    t.same([program.status, program.headers['www-authenticate']], [401, 'Session realm="Conclave"']);
    for (const headers of [{}, { Cookie: 'theme=dark' }, { 'Sec-Fetch-Site': 'none' }]) {
      const opened = await ask({ ...headers, 'X-Conclave-Web': '' });
      t.equal(opened.headers['www-authenticate'], 'Basic realm="Conclave"', 'a person who opens an address is asked');
    }
    for (const headers of [{ Cookie: `conclave_session=${OTHER}` }, { 'Sec-Fetch-Site': 'same-origin' }]) {
      const picture = await ask({ ...headers, 'X-Conclave-Web': '' });
      t.equal(picture.headers['www-authenticate'], 'Session realm="Conclave"', 'no window over the page for a picture');
    }
    t.match((await ask({ Cookie: PLAIN, Authorization: AUTH })).json(), { caller: 5, session: null });
  });

  t.test(`${kind}: where the web client is turned off, cookies mean nothing`, async (t) => {
    const { ask } = await open(t, kind, { areSessionsAllowed: false });
    t.equal((await ask({ Cookie: PLAIN })).status, 401);
  });

  t.test(`${kind}: behind TLS only the cookie counts that no other host can set`, async (t) => {
    const { ask } = await open(t, kind, { scheme: 'https' });
    t.equal((await ask({ Cookie: SECURE })).status, 200);
    t.equal((await ask({ Cookie: PLAIN })).status, 401);
    t.match((await ask({}, 'GET /seen')).json(), { secure: true });
  });

  t.test(`${kind}: a page is our own by its origin, also where a proxy leaves the port out`, async (t) => {
    const { ask } = await open(t, kind, { externalHost: 'chat.example.com:8443' });
    for (const [host, origin, status] of [
      ['chat.example.com', 'https://chat.example.com', 200],
      ['chat.example.com', 'https://chat.example.com:8443', 200],
      ['chat.example.com:8443', 'https://chat.example.com:8443', 200],
      ['CHAT.example.com', 'https://Chat.Example.com', 200],
      ['chat.example.com', 'https://chat.example.com:8444', 401],
      ['chat.example.com:9991', 'https://chat.example.com:8443', 401],
      ['chat.example.com', 'https://other.example.com', 401],
      ['chat.example.com', 'ftp://chat.example.com', 401],
      ['chat.example.com', 'https://chat.example.com.evil.example', 401],
      ['chat.example.com', 'null', 401],
    ] as const) {
      const name = `conclave_session_${host.includes(':9991') ? 9991 : 8443}`;
      const headers = { Host: host, Origin: origin, Cookie: `${name}=${TOKEN}` };
      t.equal((await ask(headers)).status, status, `${origin} at ${host}`);
    }
  });

  t.test(`${kind}: servers at different ports of one host do not touch each other's cookies`, async (t) => {
    const { ask } = await open(t, kind);
    const cookies = `conclave_session=${OTHER}; conclave_session_9991=${TOKEN}; conclave_session_9992=${OTHER}`;
    t.match((await ask({ Host: 'localhost:9991', Cookie: cookies })).json(), { caller: 5, session: 7 });
    const headers = { Host: 'localhost:9993', Cookie: cookies };
    t.equal((await ask(headers)).status, 401);
    const status = await ask(headers, 'GET /web/session');
    t.same([status.json().signed_in, status.headers['set-cookie']], [false, undefined]);
    const ended = await ask({ ...headers, Cookie: `${cookies}; conclave_session_9993=${OTHER}` }, 'GET /web/session');
    t.match(
      ended.headers['set-cookie'],
      /^conclave_session_9993=; .*Max-Age=0/,
      'only the cookie of this server is removed',
    );
  });

  t.test(`${kind}: only a trusted proxy says that a browser uses TLS`, async (t) => {
    const https = { 'X-Forwarded-Proto': 'https' };
    const behind = await open(t, kind, { clientAddressResolver: new ClientAddressResolver('127.0.0.0/8') });
    t.match((await behind.ask(https, 'GET /seen')).json(), { secure: true });
    t.match((await behind.ask({}, 'GET /seen')).json(), { secure: false });
    t.match((await behind.ask({ 'X-Forwarded-Proto': 'https, http' }, 'GET /seen')).json(), { secure: false });
    t.equal((await behind.ask({ ...https, Cookie: SECURE })).status, 200);
    t.equal((await behind.ask({ ...https, Cookie: PLAIN })).status, 401);
    for (const proxies of ['', '10.0.0.0/8']) {
      const direct = await open(t, kind, { clientAddressResolver: new ClientAddressResolver(proxies) });
      t.match((await direct.ask(https, 'GET /seen')).json(), { secure: false }, proxies);
      t.equal((await direct.ask({ ...https, Cookie: SECURE })).status, 401, proxies);
    }
  });

  t.test(`${kind}: a session that was not used for 30 days is over, and its use is noted once a day`, async (t) => {
    const { ask, services } = await open(t, kind);
    let noted = 0;
    services.recordSessionUse = () => void noted++;
    await ask({ Cookie: PLAIN });
    services.clock.advance(DAY - 1);
    await ask({ Cookie: PLAIN });
    t.equal(noted, 0);
    services.clock.advance(1);
    t.equal((await ask({ Cookie: PLAIN })).status, 200);
    t.equal(noted, 1);
    services.clock.advance(29 * DAY - 1);
    t.equal((await ask({ Cookie: PLAIN })).status, 200);
    services.clock.advance(1);
    t.equal((await ask({ Cookie: PLAIN })).status, 401);
  });
}

t.test('the cookie is out of reach for scripts, other sites and, behind TLS, other hosts', (t) => {
  const common = /; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict/;
  const [plain, tls] = [
    { secure: false, port: '' },
    { secure: true, port: '' },
  ];
  t.match(makeSessionCookie(TOKEN, plain), common);
  t.match(makeSessionCookie(TOKEN, tls), common);
  t.match(makeSessionCookie(TOKEN, tls), /^__Host-.*; Secure$/);
  t.notMatch(makeSessionCookie(TOKEN, tls), /Domain/i, 'a browser would refuse the prefix');
  for (const scope of [plain, tls]) {
    const [kept, gone] = [makeSessionCookie(TOKEN, scope), makeExpiredSessionCookie(scope)];
    t.equal(sessionTokenOfCookieHeader(kept.split(';')[0]!, scope), TOKEN);
    t.equal(sessionTokenOfCookieHeader(gone.split(';')[0]!, scope), '');
    t.equal(sessionTokenOfCookieHeader(kept.split(';')[0]!, { ...scope, secure: !scope.secure }), '');
    t.equal(sessionTokenOfCookieHeader(kept.split(';')[0]!, { ...scope, port: '8443' }), '');
    t.match(gone, /Max-Age=0/);
  }
  t.end();
});
