/** Joining an organization that needs no invitation: pages and a mail (realm.md § Settings, invite_required). */

import { Client } from '../../support/client.js';
import type { RawAnswer } from '../../support/http.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { makeOrganization } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiUser, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const PASSWORD = 'brisk-otter-lantern-52';

export const signingUp: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const { owner, member } = org;
  const host = `${org.subdomain}.localhost`;
  const nobody = new Client(server, 'nobody', { host });
  const open = (path: string): Promise<RawAnswer> => nobody.raw({ method: 'GET', path });
  const send = (path: string, fields: Record<string, string>): Promise<RawAnswer> =>
    nobody.raw({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const linkOf = (text: string): string => new URL(/^http:.*$/m.exec(text)![0]).pathname;
  let made = 0;
  const address = (): string => `comes${++made}@${org.subdomain}.example.net`;
  const confirmed = async (email: string): Promise<string> => {
    t.equal((await send('/signup', { email })).status, 200);
    return linkOf((await mailed(server, email)).at(-1)!.text);
  };

  await t.test('sign-up is refused where an invitation is required', async (t) => {
    const email = address();
    for (const answer of [await open('/signup'), await send('/signup', { email })]) {
      t.equal(answer.status, 403);
      t.match(answer.text, /You need an invitation/);
    }
    t.same(mailsTo(server, email), []);
  });

  await owner.api.ok('PATCH /realm', { invite_required: false });

  await t.test('an address is confirmed by mail, then the account is made', async (t) => {
    t.match((await open('/signup')).text, /name="email"/);
    const email = address();
    const path = await confirmed(email);
    const shown = await open(path);
    t.equal(shown.status, 200);
    t.ok(shown.text.includes(email));
    const done = await send(path, { full_name: 'Self Made', password: PASSWORD });
    t.equal(done.status, 200);
    t.ok(done.text.includes(`http://${host}`));
    const { members } = await owner.api.ok<{ members: ApiUser[] }>('GET /users');
    t.match(members.at(-1), { full_name: 'Self Made', role: 400, delivery_email: email });
    t.match(await nobody.ok('POST /fetch_api_key', { username: email, password: PASSWORD }), { email });
    const again = await send(path, { full_name: 'Self Made', password: PASSWORD });
    t.equal(again.status, 400);
    t.match(again.text, /already in use/);
  });

  await t.test('a new account uses up the invitations to its address, however it was made', async (t) => {
    const [signed, added] = [address(), address()];
    const open = address();
    await owner.api.ok('POST /invites', { invitee_emails: [signed, added, open].join(','), stream_ids: [] });
    const queue = await Queue.register(owner, { event_types: ['invites_changed'] });
    const invited = async () =>
      (await owner.api.ok<{ invites: Fields[] }>('GET /invites')).invites.map((of) => of.email);
    await send('/signup', { email: signed });
    const [, confirming] = await mailed(server, signed, 2);
    t.equal((await send(linkOf(confirming!.text), { full_name: 'Self Made', password: PASSWORD })).status, 200);
    t.same(await invited(), [added, open], 'by sign-up');
    await owner.api.ok('POST /users', { email: added.toUpperCase(), full_name: 'Added One', password: PASSWORD });
    t.same(await invited(), [open], 'by an administrator');
    t.equal((await queue.take(2)).length, 2);
  });

  await t.test('an address that has an account learns so by mail only', async (t) => {
    const fresh = await send('/signup', { email: address() });
    const known = await send('/signup', { email: member.email });
    const without = ({ text }: RawAnswer) => text.replace(/<strong>.*<\/strong>/, '');
    t.equal(without(fresh), without(known));
    const [mail] = await mailed(server, member.email);
    t.match(mail!.text, /There is already an account with this address: sign in with it/);
    t.notMatch(mail!.text, /signup/);
  });

  await t.test('an address whose account was deactivated is told so by mail', async (t) => {
    const email = address();
    const args = { email, full_name: 'Gone One', password: PASSWORD };
    const { user_id } = await owner.api.ok<{ user_id: number }>('POST /users', args);
    await owner.api.ok('DELETE /users/{user_id}', { user_id });
    t.equal((await send('/signup', { email })).status, 200);
    const [, mail] = await mailed(server, email, 2);
    t.match(mail!.text, /was deactivated: ask an administrator/);
    t.notMatch(mail!.text, /sign in with it/);
  });

  await t.test(
    'an address can still sign up after too many requests for new passwords and invitations to it',
    async (t) => {
      const email = address();
      for (const status of [200, 200, 429]) {
        t.equal((await send('/accounts/password/reset', { email })).status, status);
      }
      const invite = () => owner.api.call('POST /invites', { invitee_emails: email, stream_ids: [], invite_as: 400 });
      t.equal((await invite()).status, 200, 'the address can still be invited');
      t.equal((await invite()).status, 200);
      t.equal((await invite()).status, 400);
      t.equal(
        (await mailed(server, email, 2)).length,
        2,
        'an address without an account gets no mail for a new password',
      );
      t.equal((await send('/signup', { email })).status, 200);
      t.match((await mailed(server, email, 3)).at(-1)!.text, /To create your account, open this link/);
    },
  );

  await t.test('addresses and names are checked; no text typed in becomes markup', async (t) => {
    for (const [email, problem] of [
      ['nonsense', 'Enter a valid email address.'],
      ['', 'Enter a valid email address.'],
      ['a@thrown-away.example', 'Disposable email addresses are not allowed in this organization'],
      ['"><script>x</script>@y.zz', 'Enter a valid email address.'],
    ] as const) {
      const { status, text } = await send('/signup', { email });
      t.equal(status, 400);
      t.ok(text.includes(problem), email);
      t.notOk(text.includes('<script'));
    }
    const path = await confirmed(address());
    for (const [fields, problem] of [
      [{ full_name: '<', password: PASSWORD }, 'Name too short!'],
      [{ full_name: 'Self Made', password: 'secret' }, 'The password is too weak.'],
      [{}, 'Name too short!'],
    ] as const) {
      const { status, text } = await send(path, fields);
      t.equal(status, 400);
      t.ok(text.includes(problem), problem);
    }
    await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: true });
    const outside = await send(path, { full_name: 'Self Made', password: PASSWORD });
    t.match([outside.status, outside.text], [400, /not allowed in this organization/], 'the rules of now');
    await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: false });
  });

  await t.test('made-up links open no page', async (t) => {
    const path = await confirmed(address());
    const changed = path.slice(0, -3) + (path.endsWith('AAA') ? 'BBB' : 'AAA');
    const key = server.secrets.seal(JSON.stringify(['link/change-email', org.realm, 8, 4e12]));
    for (const other of [changed, '/signup/x', `/signup/${Buffer.from(key, 'base64').toString('base64url')}`]) {
      t.equal((await open(other)).status, 404);
      t.equal((await send(other, { full_name: 'Mallory', password: PASSWORD })).status, 404);
    }
  });

  await t.test('sign-up pages can be neither cached nor framed, and opening one changes nothing', async (t) => {
    const { invite_link } = await owner.api.ok<{ invite_link: string }>('POST /invites/multiuse', {});
    await owner.api.ok('POST /invites', { invitee_emails: address(), stream_ids: [] });
    await member.api.ok('PATCH /settings', { email: address() });
    const moved = linkOf((await mailed(server, `comes${made}@${org.subdomain}.example.net`))[0]!.text);
    const invited = linkOf((await mailed(server, `comes${made - 1}@${org.subdomain}.example.net`))[0]!.text);
    const letter = await confirmed(address());
    const state = async () =>
      JSON.stringify([(await owner.api.ok('GET /users')).members, (await owner.api.ok('GET /invites')).invites]);
    const before = await state();
    // Changes a character before the last: some bits of the last one carry no data.
    const forged = (path: string) => `${path.slice(0, -9)}${path.at(-9) === 'A' ? 'B' : 'A'}${path.slice(-8)}`;
    const good = ['/signup', letter, new URL(invite_link).pathname, invited, moved];
    for (const path of [...good, ...good.slice(1).map(forged)]) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        // A form may name the method.
        const form =
          method === 'POST' ? { headers, body: 'method=GET&full_name=Mallory&password=x&email=m%40y.zz' } : {};
        const answer = await nobody.raw({ method, path, ...form });
        const is = answer.headers;
        t.equal(answer.status < 300, good.includes(path), `${method} ${path}`);
        t.match(is['cache-control'], 'no-store');
        t.match(
          [is['referrer-policy'], is['x-content-type-options'], is['x-frame-options']],
          ['no-referrer', 'nosniff', 'DENY'],
        );
        t.match(is['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/);
        t.equal(is['set-cookie'], undefined);
      }
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        t.equal((await nobody.raw({ method, path })).status, 405, `${method} ${path}`);
      }
      const huge = { email: 'x'.repeat(1_200_000) };
      t.equal((await send(path, huge).catch(() => ({ status: 413 }))).status, 413, path);
    }
    t.equal(await state(), before);
  });

  await t.test('snapshot and events agree', async (t) => {
    const path = await confirmed(address());
    await verifyAction(t, 'signing up', [owner, member], () =>
      send(path, { full_name: 'Watched', password: PASSWORD }),
    );
  });

  await t.test('a mail sent before the organization closed does not admit its reader', async (t) => {
    const path = await confirmed(address());
    await owner.api.ok('PATCH /realm', { invite_required: true });
    t.equal((await open(path)).status, 403);
    t.equal((await send(path, { full_name: 'Too Late', password: PASSWORD })).status, 403);
  });
};
