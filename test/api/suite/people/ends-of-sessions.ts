/** Every way in which a session of a browser ends, and that nothing else ends it. */
import { createOneTimeSignInUrl } from '#app/admin';
import { refused } from '../../harness.js';
import {
  browserOf,
  cookieIn,
  endSession,
  NOT_LOGGED_IN,
  pageOf,
  pollEverywhere,
  sessionsOf,
  setCookie,
  signIn,
  signInOnce,
} from '../../support/browser.js';
import { bad, type Refusal } from '../../support/client.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { addPerson, makeOrganization, PASSWORD, type Person } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { Facts } from '../facts.js';

const WRONG: Refusal = {
  status: 401,
  code: 'AUTHENTICATION_FAILED',
  msg: 'Your username or password is incorrect',
};
const VOID_LINK: Refusal = { status: 401, code: 'AUTHENTICATION_FAILED', msg: 'This link was used or has expired' };

export const endsOfSessions: Facts = async (t, server) => {
  await t.test('people see their sessions, and end one, all others, or their own', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const [first, second, third] = [
      await browserOf(org, org.member),
      await browserOf(org, org.member),
      await browserOf(org, org.member),
    ];
    const foreign = await browserOf(org, org.other);
    const list = await sessionsOf(first.api);
    t.same(
      list.map(({ id, client, current }) => [id, client, current]),
      [
        [1, 'Firefox on Linux', true],
        [2, 'Firefox on Linux', false],
        [3, 'Firefox on Linux', false],
      ],
    );
    t.ok(list.every(({ created, last_used }) => created === last_used && Number(created) > 1_700_000_000));
    t.same(Object.keys(list[0]!).sort(), ['client', 'created', 'current', 'id', 'last_used', 'push']);
    await refused(t, endSession(foreign.api, '/web/sessions/2'), bad('No such session'), 'of somebody else');
    t.equal((await endSession(first.api, '/web/sessions/2')).status, 200);
    await refused(t, endSession(first.api, '/web/sessions/2'), bad('No such session'));
    await refused(t, second.api.call('GET /users/me'), NOT_LOGGED_IN, 'the session that was ended');
    t.equal((await endSession(first.api, '/web/sessions')).status, 200);
    await refused(t, third.api.call('GET /users/me'), NOT_LOGGED_IN, 'one of the others');
    t.same(
      (await sessionsOf(first.api)).map(({ id }) => id),
      [1],
    );
    const out = await endSession(first.api);
    t.same([out.status, cookieIn(out)], [200, 'conclave_session=']);
    t.match(setCookie(out), /Max-Age=0/);
    await refused(t, first.api.call('GET /users/me'), NOT_LOGGED_IN, 'after signing out');
    t.equal((await foreign.api.call('GET /users/me')).status, 200, 'sessions of others stay');
    t.equal((await org.member.api.call('GET /users/me')).status, 200, 'and so does the API key');
  });

  await t.test('a poll that waits with a session that is ended is refused at once', async (t) => {
    const org = await makeOrganization(server, ['member', 'other']);
    const [here, there] = [await browserOf(org, org.member), await browserOf(org, org.member)];
    const kept = await pollEverywhere(here);
    const gone = await pollEverywhere(there);
    t.equal((await endSession(here.api, '/web/sessions')).status, 200);
    for (const answer of gone) await refused(t, answer, NOT_LOGGED_IN);
    await org.other.api.ok('POST /messages', {
      type: 'direct',
      to: JSON.stringify([org.member.id]),
      content: 'still here?',
    });
    for (const answer of kept) t.equal((await answer).status, 200);
  });

  await t.test('a new password ends every session but the one that changed it, and voids links', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const [here, there] = [await browserOf(org, org.member), await browserOf(org, org.member)];
    const link = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, org.member.email, 'http://x');
    const gone = await pollEverywhere(there);
    const new_password = 'quietly-otter-ladder-27';
    await refused(t, here.api.call('PATCH /settings', { old_password: 'wrong', new_password }), bad('Wrong password!'));
    t.equal((await there.api.call('GET /users/me')).status, 200, 'a refused change ends nothing');
    t.equal((await here.api.call('PATCH /settings', { old_password: PASSWORD, new_password })).status, 200);
    for (const answer of gone) await refused(t, answer, NOT_LOGGED_IN);
    for (let frontend = 0; frontend < 2; frontend++) {
      t.equal((await here.api.call('GET /users/me')).status, 200);
    }
    await refused(t, there.api.call('GET /users/me'), NOT_LOGGED_IN);
    await refused(t, signInOnce(pageOf(org), link), VOID_LINK);
    await refused(t, signIn(pageOf(org), org.member.email), WRONG, 'the old password');
    t.match((await mailed(server, org.member.email))[0]!.text, /changed, and all other browsers were signed out/);
    const again = await browserOf(org, org.member, new_password);
    await org.member.api.ok('PATCH /settings', { old_password: new_password, new_password: PASSWORD });
    for (const { api } of [again, here])
      await refused(t, api.call('GET /users/me'), NOT_LOGGED_IN, 'changed by a program');
  });

  await t.test(
    'ending all other sessions voids the links of the account, even if there are no other sessions',
    async (t) => {
      const org = await makeOrganization(server, ['member']);
      const { email } = org.member;
      const here = await browserOf(org, org.member);
      for (const others of [1, 0]) {
        if (others > 0) await browserOf(org, org.member);
        const link = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, email, 'http://x');
        const asked = mailsTo(server, email).length + 1;
        const post = (path: string, fields: Record<string, string>) =>
          org.nobody.raw({
            method: 'POST',
            path,
            headers: { 'content-type': 'application/x-www-form-urlencoded', host: `${org.subdomain}.localhost` },
            body: new URLSearchParams(fields).toString(),
          });
        t.equal((await post('/accounts/password/reset', { email })).status, 200);
        const moved = `moved${others}.${email}`;
        await org.member.api.ok('PATCH /settings', { email: moved });
        const mails = [(await mailed(server, email, asked)).at(-1)!, (await mailed(server, moved))[0]!];
        const [reset, confirm] = mails.map(({ text }) => new URL(/^http.*$/m.exec(text)![0]).pathname) as [
          string,
          string,
        ];
        t.equal((await endSession(here.api, '/web/sessions')).status, 200);
        const of = `beside ${others} others`;
        await refused(t, signInOnce(pageOf(org), link), VOID_LINK, of);
        t.equal((await post(reset, { password: 'quietly-otter-ladder-27' })).status, 404, of);
        t.equal((await post(confirm, {})).status, 400, of);
        t.equal((await here.api.call('GET /users/me')).status, 200, 'the session that ended the others stays');
      }
    },
  );

  await t.test('deactivation ends all sessions for good, waiting polls included', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const leaver = await addPerson(org, 'leaver');
    const browser = await browserOf(org, leaver);
    const earlier = await browserOf(org, leaver);
    t.equal((await endSession(earlier.api, '/web/session')).status, 200);
    const gone = await pollEverywhere(browser);
    await org.owner.api.ok('DELETE /users/{user_id}', { user_id: leaver.id });
    const over = { status: 401, code: 'USER_DEACTIVATED', msg: 'Account is deactivated' };
    for (const answer of gone) await refused(t, answer, over, 'a waiting poll');
    await refused(t, browser.api.call('GET /users/me'), over, 'the cookie of a session that the deactivation ended');
    await refused(t, earlier.api.call('GET /users/me'), NOT_LOGGED_IN, 'that of a session that had ended before');
    await refused(t, signIn(pageOf(org), leaver.email), over);
    await org.owner.api.ok('POST /users/{user_id}/reactivate', { user_id: leaver.id });
    await refused(t, browser.api.call('GET /users/me'), NOT_LOGGED_IN, 'after reactivation, too');
    t.equal((await signIn(pageOf(org), leaver.email)).status, 200);
  });

  await t.test('the first refusal after the end of an organization names it, whichever request meets it', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browser = await browserOf(org, org.member);
    const { id, last } = await Queue.register(browser, { event_types: ['message'] });
    const poll = browser.api.call('GET /events', { queue_id: id, last_event_id: last });
    const saved = Array.from({ length: 30 }, (_, n) =>
      browser.api.call('PATCH /settings', { full_name: `Half A Word ${n}` }),
    );
    const closed = org.owner.api.ok('POST /realm/deactivate');
    const later = Array.from({ length: 30 }, (_, n) =>
      browser.api.call('PATCH /settings', { full_name: `A Word ${n}` }),
    );
    await closed;
    const answers = await Promise.all([...saved, ...later, poll, browser.api.call('GET /users/me')]);
    const refusals = answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.code]);
    t.same([...new Set(refusals.map(String))], ['401,REALM_DEACTIVATED'], 'also the poll that no event ends');
    t.ok(refusals.length > 2, 'some changes came after the end');
  });

  await t.test('a new API key leaves sessions alone', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browser = await browserOf(org, org.member);
    await org.member.api.ok('POST /users/me/api_key/regenerate');
    t.equal((await browser.api.call('GET /users/me')).status, 200);
  });

  await t.test('sessions survive a restart, and ended ones stay ended', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const [kept, ended] = [await browserOf(org, org.member), await browserOf(org, org.member)];
    t.equal((await endSession(ended.api)).status, 200);
    const link = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, org.member.email, 'http://x');
    await server.restart();
    t.equal((await kept.api.ok('GET /users/me')).user_id, org.member.id);
    await refused(t, ended.api.call('GET /users/me'), NOT_LOGGED_IN);
    t.equal((await signInOnce(pageOf(org), link)).status, 200);
  });

  await t.test('browsers that are signed in are bounded: one too many ends the one used least recently', async (t) => {
    const org = await makeOrganization(server, ['member']);
    const browsers: Person[] = [];
    for (let i = 0; i < 51; i++) browsers.push(await browserOf(org, org.member));
    await refused(t, browsers[0]!.api.call('GET /users/me'), NOT_LOGGED_IN);
    t.equal((await sessionsOf(browsers[1]!.api)).length, 50);
  });
};
