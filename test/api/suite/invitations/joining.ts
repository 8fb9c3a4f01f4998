/**
 * Making an account with an invitation through the pages behind its links (realm.md § Invitations, users.md § POST
 * /users).
 */

import { Client, type Params } from '../../support/client.js';
import type { RawAnswer } from '../../support/http.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { makeOrganization, NOTIFICATION_BOT, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiMessage, ApiUser, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const PASSWORD = 'brisk-otter-lantern-52';
const GONE = 'This invitation is no longer valid';

export const joining: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['admin', 'member', 'guest']);
  const { owner, admin, member } = org;
  const nobody = new Client(server, 'nobody', {});
  await subscribe(owner, ['for all', 'signups', 'team'], { principals: [owner, member] });
  await subscribe(owner, 'secret', { invite_only: true });
  const [all, signups, team, secret] = await Promise.all(
    ['for all', 'signups', 'team', 'secret'].map((name) => streamIdOf(owner, name)),
  );
  await owner.api.ok('POST /default_streams', { stream_id: all });
  let made = 0;
  const address = (): string => `joins${++made}@${org.subdomain}.example.net`;
  const pathOf = (url: string): string => new URL(url).pathname;
  /** Address and path of the link. */
  const invited = async (params: Params = {}, by: Person = owner): Promise<[string, string]> => {
    const email = address();
    await by.api.ok('POST /invites', { invitee_emails: email, stream_ids: [], ...params });
    const [mail] = await mailed(server, email);
    return [email, pathOf(/^http:.*$/m.exec(mail!.text)![0])];
  };
  const link = async (params: Params = {}): Promise<string> =>
    pathOf((await owner.api.ok<{ invite_link: string }>('POST /invites/multiuse', params)).invite_link);
  const open = (path: string): Promise<RawAnswer> => nobody.raw({ method: 'GET', path, headers: {} });
  const send = (path: string, fields: Record<string, string>): Promise<RawAnswer> =>
    nobody.raw({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  /** Path of the link in the mail that the page behind a link sends. */
  const confirmed = async (path: string, email: string): Promise<string> => {
    const { status, text } = await send(path, { email });
    t.equal(status, 200, text);
    return pathOf(/^http:.*$/m.exec((await mailed(server, email.trim())).at(-1)!.text)![0]);
  };
  const typed = (full_name: string, more: Record<string, string> = {}) => ({ full_name, password: PASSWORD, ...more });
  const people = async (): Promise<ApiUser[]> => (await owner.api.ok('GET /users')).members as ApiUser[];
  const account = async (email: string): Promise<ApiUser | undefined> =>
    (await people()).find(({ delivery_email }) => delivery_email === email);
  const streamsOf = async (user_id: number): Promise<number[]> => {
    const found: number[] = [];
    for (const stream_id of [all!, signups!, team!, secret!]) {
      const { subscribers } = await owner.api.ok<{ subscribers: number[] }>('GET /streams/{stream_id}/members', {
        stream_id,
      });
      if (subscribers.includes(user_id)) found.push(stream_id);
    }
    return found;
  };
  const invites = async () => (await owner.api.ok('GET /invites')).invites as Fields[];
  const said = async (by: Person, narrow: unknown): Promise<ApiMessage[]> =>
    (await by.api.ok('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0, narrow, apply_markdown: false }))
      .messages as ApiMessage[];

  await t.test('the link of an invitation opens a page, through which the account is made', async (t) => {
    const [email, path] = await invited({ stream_ids: [team, secret], invite_as: 300 });
    const shown = await open(path);
    t.equal(shown.status, 200);
    t.match(shown.headers['content-type'], 'text/html');
    t.match(shown.headers['content-security-policy'], /default-src 'none'/);
    t.equal(shown.headers['referrer-policy'], 'no-referrer');
    t.ok(shown.text.includes(email) && shown.text.includes(owner.name) && shown.text.includes(`The ${org.subdomain}`));
    t.notMatch(shown.text, /name="email"|<script/);
    const queue = await Queue.register(admin, { event_types: ['invites_changed', 'realm_user'] });
    const done = await send(path, typed('Ann Newcomer'));
    t.equal(done.status, 200);
    t.ok(done.text.includes('http://127.0.0.1') && done.text.includes(email));
    const user = (await account(email))!;
    t.match(user, { full_name: 'Ann Newcomer', role: 300, is_active: true });
    t.same(await streamsOf(user.user_id), [team, secret], 'those of the invitation, and no others');
    t.same(
      (await queue.take(2)).map(({ type, op }) => [type, op]),
      [
        ['realm_user', 'add'],
        ['invites_changed', undefined],
      ],
    );
    const { api_key } = await nobody
      .with({ host: `${org.subdomain}.localhost` })
      .ok<{ api_key: string }>('POST /fetch_api_key', { username: email, password: PASSWORD });
    t.match(api_key, /^\w{32}$/);
    const dm = (await said(owner, [{ operator: 'dm', operand: [NOTIFICATION_BOT] }])).at(-1)!;
    t.equal(dm.content, `@_**Ann Newcomer|${user.user_id}** has accepted your invitation.`);
    for (const again of [await open(path), await send(path, typed('Ann Again'))]) {
      t.equal(again.status, 404);
      t.ok(again.text.includes(GONE));
      t.ok(again.text.includes('<a href="/">Sign in, if you have an account</a>'), 'the new member signs in there');
    }
    t.same(await invites(), []);
  });

  await t.test('an invitation without streams gives the default streams, but not to guests', async (t) => {
    for (const [invite_as, streams] of [
      [400, [all]],
      [600, []],
    ] as const) {
      const [email, path] = await invited({ invite_as });
      t.equal((await send(path, typed('Default Streams'))).status, 200);
      const user = (await account(email))!;
      t.same([user.role, await streamsOf(user.user_id)], [invite_as, streams]);
    }
  });

  await t.test('a reusable link makes any number of accounts, each with an address confirmed by mail', async (t) => {
    const path = await link({ stream_ids: [team] });
    const page = (await open(path)).text;
    t.match(page, /name="email"/);
    t.notMatch(page, /name="password"/);
    const addresses = [address(), address()];
    for (const email of addresses) {
      const letter = await confirmed(path, ` ${email} `);
      t.equal(await account(email), undefined, 'not before the letter was read');
      t.match(await open(letter), { status: 200, text: new RegExp(`${owner.name} invites you.*`) });
      const done = await send(letter, typed('By Link', { email: address() }));
      t.equal(done.status, 200, done.text);
      t.same(await streamsOf((await account(email))!.user_id), [team]);
    }
    const dm = (await said(owner, [{ operator: 'dm', operand: [NOTIFICATION_BOT] }])).at(-1)!;
    t.match(dm.content, /^@_\*\*By Link\|\d+\*\* has accepted your invitation\.$/);
    const letter = await confirmed(path, address());
    const { id } = (await invites()).find(({ is_multiuse }) => is_multiuse)!;
    await owner.api.ok('DELETE /invites/multiuse/{invite_id}', { invite_id: id });
    for (const answer of [
      await send(path, { email: address() }),
      await open(letter),
      await send(letter, typed('Late')),
    ]) {
      t.same([answer.status, answer.text.includes(GONE)], [404, true]);
    }
  });

  await t.test('the sign-up stream gets a notice', async (t) => {
    await owner.api.ok('PATCH /realm', { signup_notifications_stream_id: signups });
    const [email, path] = await invited();
    await send(path, typed('Zoë @ Signup'.replace(' @', '')));
    const { user_id } = (await account(email))!;
    const notice = (await said(owner, [{ operator: 'topic', operand: 'signups' }])).at(-1)!;
    const total = (await people()).filter(({ is_active, is_bot }) => is_active && !is_bot).length;
    t.equal(notice.content, `@_**Zoë Signup|${user_id}** just signed up for Conclave. (total: ${total})`);
    t.equal(notice.display_recipient, 'signups');
  });

  await t.test(
    'sign-up refuses the same data as POST /users, says so on the page, and leaves the invitation',
    async (t) => {
      const path = await link();
      const email = address();
      await owner.api.ok('POST /realm/domains', { domain: 'acme.com', allow_subdomains: false });
      const check = async (at: string, fields: Record<string, string>, text: string): Promise<void> => {
        const { status, text: html } = await send(at, fields);
        t.equal(status, 400, text);
        t.ok(html.includes(text), `${text} in ${html.slice(0, 2_000)}`);
        t.notOk(html.includes(PASSWORD), 'never shows a password');
      };
      await check(path, { email: 'nonsense' }, 'Enter a valid email address.');
      await check(path, {}, 'Enter a valid email address.');
      const disposable = 'Disposable email addresses are not allowed in this organization';
      await check(path, { email: 'b@thrown-away.example' }, disposable);
      const letter = await confirmed(path, email);
      const wrong: [Record<string, string>, string][] = [
        [typed('x'), 'Name too short!'],
        [typed('x'.repeat(101)), 'Name too long!'],
        [typed('x'.repeat(60_000)), 'Name too long!'],
        [typed('a*b'), 'Invalid characters in name!'],
        [typed('Bob|12'), 'Invalid format!'],
        [{ full_name: 'Bob', password: 'secret' }, 'The password is too weak.'],
        [{ full_name: 'Bob' }, 'The password is too weak.'],
        [{}, 'Name too short!'],
      ];
      for (const [fields, text] of wrong) await check(letter, fields, text);
      await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: true });
      const outside = (address: string) => `Email &#x27;${address}&#x27; not allowed in this organization`;
      await check(letter, typed('Bob'), outside(email));
      const other = address();
      await check(path, { email: other }, outside(other));
      await check(path, { email: 'b+c@acme.com' }, 'Email addresses containing + are not allowed.');
      t.same(mailsTo(server, other), [], 'no letter goes where the organization admits nobody from');
      await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: false });
      t.equal(await account(email), undefined);
      t.equal((await send(letter, typed('Bob'))).status, 200);
      await check(letter, typed('Bob'), `Email &#x27;${email}&#x27; already in use`);
    },
  );

  await t.test('an address gets two mails an hour, whoever asks and whether it has an account', async (t) => {
    const path = await link();
    for (const email of [address(), org.guest.email]) {
      for (let i = 0; i < 2; i++) t.equal((await send(path, { email })).status, 200);
      const third = await send(path, { email: email.toUpperCase() });
      t.match([third.status, third.text], [429, /Too many mails/]);
      t.equal((await mailed(server, email, 2)).length, 2);
    }
    await server.restart();
    const again = await send(path, { email: org.guest.email });
    t.match([again.status, again.text], [429, /Too many mails/], 'wherever the organization is by then');
  });

  await t.test('no text typed in becomes markup', async (t) => {
    const path = await link();
    const evil = `"><script>alert('1')</script>`;
    const letter = await confirmed(path, address());
    for (const at of [path, letter]) {
      const { text } = await send(at, { full_name: evil, email: evil, password: evil });
      t.notOk(text.includes('<script'), text);
      t.ok(text.includes('&quot;&gt;&lt;script&gt;'));
    }
    await owner.api.ok('PATCH /realm', { name: `<b>bold</b>${'&'.repeat(3)}` });
    const page = (await open(path)).text;
    t.notOk(page.includes('<b>'));
    t.ok(page.includes('&lt;b&gt;bold&lt;/b&gt;&amp;&amp;&amp;'));
    await owner.api.ok('PATCH /realm', { name: `The ${org.subdomain}` });
  });

  await t.test('made-up links open no page', async (t) => {
    const [, path] = await invited();
    const token = path.split('/')[2]!;
    const flipped = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    const [realm, id, nonce, mac] = token.split('-');
    const others = [
      `/invitation/${flipped}`,
      `/join/${token}`,
      `/invitation/${realm}-${Number.parseInt(id!, 36) + 1}-${nonce}-${mac}`,
      `/invitation/1-1-00000000-${mac}`,
      '/invitation/x',
      '/invitation/%00',
      `/join/${'9'.repeat(5_000)}`,
    ];
    for (const other of others) {
      for (const answer of [await open(other), await send(other, typed('Mallory', { email: address() }))]) {
        t.same([answer.status, answer.text.includes(GONE)], [404, true], other.slice(0, 60));
      }
    }
    t.equal((await open(path)).status, 200);
  });

  await t.test('one of two concurrent users of the same invitation gets an account', async (t) => {
    const [email, path] = await invited();
    const before = (await people()).length;
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => send(path, typed(`Racer ${i}`))));
    t.same(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404, 404]);
    t.equal((await people()).length, before + 1);
    t.ok(await account(email));
    const shared = await link();
    const same = address();
    const letter = await confirmed(shared, same);
    const raced = await Promise.all(Array.from({ length: 4 }, () => send(letter, typed('Racer'))));
    t.same(raced.map(({ status }) => status).sort(), [200, 400, 400, 400], 'the same address by a link');
    t.equal((await people()).length, before + 2);
  });

  await t.test('an invitation used by an address voids the others to the same address', async (t) => {
    const [email, path] = await invited();
    await member.api.ok('POST /invites', { invitee_emails: email.toUpperCase(), stream_ids: [] });
    t.equal((await send(path, typed('Twice Invited'))).status, 200);
    t.notOk((await invites()).some((of) => String(of.email).toLowerCase() === email));
  });

  await t.test('snapshot and events agree, with default streams and notices', async (t) => {
    const [, path] = await invited();
    await verifyAction(t, 'joining', [owner, member, org.guest], () => send(path, typed('Watched Newcomer')));
    const shared = await link({ stream_ids: [secret], invite_as: 600 });
    const letter = await confirmed(shared, address());
    await verifyAction(t, 'joining by a link', [owner, member], () => send(letter, typed('Watched Guest')));
  });
};
