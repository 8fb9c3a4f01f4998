/** Pages for browsers on a server with `--web off`, on both faces: none leads to a web client that is not there. */
import t, { type Test } from 'tap';
import { Client } from './support/client.js';
import { facesFor, services, type TestServer } from './support/faces.js';
import { closeIdle, type RawAnswer } from './support/http.js';
import { linkIn, mailed } from './support/mails.js';
import { makeOrganization } from './support/organization.js';

t.setTimeout(120_000);

const PASSWORD = 'quietly-otter-ladder-27';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** An issuer that is never asked. */
const OIDC = JSON.stringify([{ id: 'house', name: 'House', issuer: 'https://login.example', client_id: 'conclave' }]);

async function runFacts(t: Test, web: 'on' | 'off', server: TestServer): Promise<void> {
  const org = await makeOrganization(server, ['member']);
  const { owner, member } = org;
  const browser = new Client(server, 'nobody', { host: `${org.subdomain}.localhost` });
  const open = (path: string): Promise<RawAnswer> => browser.raw({ method: 'GET', path });
  const send = (path: string, fields: Record<string, string>): Promise<RawAnswer> =>
    browser.raw({ method: 'POST', path, headers: FORM, body: new URLSearchParams(fields).toString() });
  const leadsHome = (t: Test, { status, text }: RawAnswer, expected: number, words: RegExp, title: string): void => {
    t.equal(status, expected, title);
    t.match(text, words, title);
    t.equal(text.includes('href="/"'), web === 'on', title);
  };
  const goOn =
    web === 'on'
      ? /<a href="\/">(Back to sign-in|Sign in|Sign in, if you have an account)<\/a>/
      : /To sign in, go back to your app\./;

  await t.test('a forgotten password', async (t) => {
    const ask = '/accounts/password/reset';
    leadsHome(t, await open(ask), 200, goOn, 'the form');
    leadsHome(t, await send(ask, { email: 'bogus' }), 400, goOn, 'the form with a problem');
    leadsHome(t, await send(ask, { email: member.email }), 200, goOn, 'after the request');
    const link = linkIn((await mailed(server, member.email))[0]!);
    leadsHome(t, await send(link, { password: PASSWORD }), 200, goOn, 'after the change');
  });

  await t.test('a new account', async (t) => {
    const email = `invited@${org.subdomain}.example.com`;
    await owner.api.ok('POST /invites', { invitee_emails: email, stream_ids: [] });
    const path = linkIn((await mailed(server, email))[0]!);
    const words = web === 'on' ? /Sign in with this browser<\/a>, or/ : /ready. Sign in with an app of your choice/;
    leadsHome(t, await send(path, { full_name: 'Ivy Invited', password: PASSWORD }), 200, words, 'after joining');
    leadsHome(t, await open(path), 404, goOn, 'a used invitation');
  });

  await t.test('single sign-on', async (t) => {
    leadsHome(t, await open('/accounts/login/oidc/unknown'), 403, goOn, 'a failure');
    if (web === 'on') return;
    for (const query of ['', `?desktop_flow_otp=${'0'.repeat(64)}`]) {
      leadsHome(t, await open(`/accounts/login/oidc/house${query}`), 403, /no client for browsers/, query);
    }
  });
}

const cluster = services(t);
for (const web of ['on', 'off'] as const) {
  const title = `pages with --web ${web}`;
  for (const { face, start } of facesFor(title, cluster)) {
    await t.test(`${title}, ${face}`, async (t) => {
      const server = await start({ web, oidc: OIDC });
      try {
        await runFacts(t, web, server);
      } finally {
        await server.close();
      }
    });
  }
}

closeIdle();
