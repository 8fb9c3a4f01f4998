/** Name, password and address of one's own account in PATCH /settings (users.md § PATCH /settings). */
import type { Test } from 'tap';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad, basic, type Params } from '../../support/client.js';
import { linkIn, mailed, mailsTo } from '../../support/mails.js';
import { makeOrganization, PASSWORD, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiUser, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const STRONG = 'gently-otter-basil-37';
const TOO_MANY = /^You're making too many attempts! Try again in (\d+) seconds\.$/;

export const ownAccount: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest, subdomain } = org;
  const patch = (params: Params, by: Person = member) => by.api.call('PATCH /settings', params);
  const fetchKey = (of: Person, password: string, username = of.email) =>
    org.nobody.with({ host: `${subdomain}.localhost` }).call('POST /fetch_api_key', { username, password });
  const userOf = async (id: number, by: Person = owner): Promise<ApiUser> =>
    (await by.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id: id })).user;
  const address = (local: string): string => `${local}@${subdomain}.example.com`;

  await t.test('a name is trimmed, checked, and published to all users', async (t) => {
    const queue = await Queue.register(guest, { event_types: ['realm_user', 'message'] });
    t.equal((await patch({ full_name: '  Renamed Person ' })).status, 200);
    const person = { user_id: member.id, full_name: 'Renamed Person' };
    t.same((await queue.take(1))[0]!.person, person);
    t.equal((await userOf(member.id)).full_name, 'Renamed Person');
    await patch({ full_name: 'Renamed Person' });
    for (const [name, msg] of [
      ['x'.repeat(101), 'Name too long!'],
      ['x', 'Name too short!'],
      ['   ', 'Name too short!'],
      ['', 'Name too short!'],
      ['some*body', 'Invalid characters in name!'],
      ['some\u0000body', 'Invalid characters in name!'],
      ['somebody|12', 'Invalid format!'],
    ] as const) {
      await refused(t, patch({ full_name: name, enter_sends: true }), bad(msg), JSON.stringify(name));
    }
    const state = await member.api.ok('POST /register', { fetch_event_types: ['user_settings'] });
    t.equal((state.user_settings as Fields).enter_sends, false, 'an error changes nothing');
    t.same(await settled(queue), []);
  });

  await t.test(
    'where names are fixed, only administrators change theirs; for others the parameter is ignored',
    async (t) => {
      await owner.api.ok('PATCH /realm', { name_changes_disabled: true });
      t.equal((await patch({ full_name: '*' })).status, 200, 'whatever it is');
      t.equal((await patch({ full_name: 'Moderator The Great' }, moderator)).status, 200);
      t.equal((await userOf(member.id)).full_name, 'Renamed Person');
      t.equal((await userOf(moderator.id)).full_name, moderator.name);
      t.equal((await patch({ full_name: 'Admin The Great' }, admin)).status, 200);
      t.equal((await userOf(admin.id)).full_name, 'Admin The Great');
      await owner.api.ok('PATCH /realm', { name_changes_disabled: false });
    },
  );

  await t.test('a new password needs the old one, and replaces it', async (t) => {
    await refused(t, patch({ new_password: STRONG }), bad('Wrong password!'));
    await refused(t, patch({ old_password: 'wrong', new_password: STRONG }), bad('Wrong password!'));
    await refused(
      t,
      patch({ old_password: 'wrong', new_password: 'x' }),
      bad('Wrong password!'),
      'before its strength',
    );
    for (const weak of ['x', 'aaaaaa', 'password1', member.email]) {
      await refused(t, patch({ old_password: PASSWORD, new_password: weak }), bad('New password is too weak!'), weak);
    }
    t.equal((await patch({ old_password: 'whatever' })).status, 200, 'alone it is nothing');
    t.same(mailsTo(server, member.email), [], 'no mail of a refused change');
    t.equal((await patch({ old_password: PASSWORD, new_password: STRONG })).status, 200);
    t.equal((await fetchKey(member, STRONG)).status, 200);
    t.equal((await fetchKey(member, PASSWORD)).status, 401);
    t.equal((await member.api.call('GET /users/me')).status, 200, 'the key is as before');
    const [notice] = await mailed(server, member.email);
    t.match(String(notice!.headers.get('subject')), /^Your password for .* was changed$/);
    t.match(notice!.text, 'all browsers were signed out');
    t.match(notice!.text, 'If not, set a new password at once');
    t.notMatch(notice!.text, /http/);
  });

  await t.test(
    'the first of several errors is returned: settings, password, address, name; nothing is changed',
    async (t) => {
      const wrong = { email: 'bogus', full_name: '*' };
      const passwords = { old_password: 'wrong', new_password: STRONG };
      await refused(t, patch({ ...wrong, ...passwords, emojiset: 'x' }, guest), bad('Invalid emojiset'));
      await refused(t, patch({ ...wrong, ...passwords }, guest), bad('Wrong password!'));
      await refused(
        t,
        patch({ ...wrong, old_password: PASSWORD, new_password: 'x' }, guest),
        bad('New password is too weak!'),
      );
      const good = { old_password: PASSWORD, new_password: STRONG };
      await refused(t, patch({ ...wrong, ...good }, guest), bad('Invalid address.'));
      await refused(t, patch({ ...good, email: address('fresh'), full_name: '*' }, guest), bad('Name too short!'));
      t.equal((await fetchKey(guest, PASSWORD)).status, 200, 'the password is the old one');
      t.same(mailsTo(server, address('fresh')), []);
    },
  );

  await t.test('after five wrong passwords within half an hour even the right one is refused', async (t) => {
    for (let i = 0; i < 3; i++) t.equal((await fetchKey(other, 'wrong')).status, 401);
    for (let i = 0; i < 2; i++) {
      await refused(t, patch({ old_password: 'wrong', new_password: STRONG }, other), bad('Wrong password!'));
    }
    for (const password of ['wrong', PASSWORD]) {
      const { status, body, headers } = await fetchKey(other, password);
      t.match([status, body.code, body.msg], [429, 'RATE_LIMIT_HIT', 'API usage exceeded rate limit']);
      t.ok(Number(body['retry-after']) > 1_700 && Number(body['retry-after']) <= 1_800, String(body['retry-after']));
      t.equal(Number(headers['retry-after']), Math.ceil(Number(body['retry-after'])));
      const { status: of, body: answer } = await patch({ old_password: password, new_password: STRONG }, other);
      t.equal(of, 400);
      const seconds = Number(TOO_MANY.exec(String(answer.msg))?.[1]);
      t.ok(seconds > 1_700 && seconds <= 1_800, String(answer.msg));
    }
    t.equal((await fetchKey(admin, PASSWORD)).status, 200, 'others are not concerned');
  });

  await t.test('at most five of many concurrent attempts are checked; a right password clears the count', async (t) => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) t.equal((await fetchKey(moderator, 'wrong')).status, 401);
      t.equal((await fetchKey(moderator, PASSWORD)).status, 200);
    }
    const answers = await Promise.all(Array.from({ length: 12 }, () => fetchKey(moderator, 'wrong')));
    t.same(answers.map(({ status }) => status).sort(), [...Array(5).fill(401), ...Array(7).fill(429)]);
  });

  await emailChanges(t);

  async function emailChanges(t: Test): Promise<void> {
    const open = (path: string, method = 'GET') =>
      org.nobody.raw({ method, path, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' });

    await t.test('a refused address sends no mail', async (t) => {
      for (const [email, msg] of [
        ['bogus', 'Invalid address.'],
        ['', 'Invalid address.'],
        ['a@b.example.com\r\nBcc: c@d.example.com', 'Invalid address.'],
        [admin.email.toUpperCase(), 'Already has an account.'],
        [member.email.toUpperCase(), 'Already has an account.'],
        ['notification-bot@conclave.invalid', 'Reserved for system bots.'],
      ] as const) {
        await refused(t, patch({ email }), bad(msg), JSON.stringify(email));
      }
      t.equal((await patch({ email: ` ${member.email} ` })).status, 200, 'the own one is no change');
      await owner.api.ok('PATCH /realm', { email_changes_disabled: true });
      const disabled = bad('Email address changes are disabled in this organization.');
      await refused(t, patch({ email: 'bogus' }), disabled);
      await refused(t, patch({ email: 'bogus' }, admin), bad('Invalid address.'), 'administrators may');
      await owner.api.ok('PATCH /realm', { email_changes_disabled: false, emails_restricted_to_domains: true });
      await refused(t, patch({ email: address('a+b') }), bad('Email addresses containing + are not allowed.'));
      await refused(t, patch({ email: 'a@elsewhere.example.com' }), bad('Outside your domain.'));
      await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: false });
      await refused(t, patch({ email: 'a@thrown-away.example' }), bad('Please use your real email address.'));
      t.same(mailsTo(server, 'a@elsewhere.example.com'), []);
    });

    await t.test('a new address takes effect when its link is confirmed, not when it is opened', async (t) => {
      const fresh = address('fresh-member');
      const queues = await Promise.all([other, guest].map((of) => Queue.register(of, { event_types: ['realm_user'] })));
      t.equal((await patch({ email: fresh })).status, 200);
      const link = linkIn((await mailed(server, fresh))[0]!);
      const page = await open(link);
      t.equal(page.status, 200);
      t.match(page.headers['content-type'], 'text/html');
      t.match(page.text, /<form method="post">/);
      t.equal((await userOf(member.id)).email, member.email, 'a scanner that opens it changes nothing');
      const done = await open(link, 'POST');
      t.equal(done.status, 200);
      t.match(done.text, fresh);
      for (const queue of queues) {
        t.same(
          (await queue.take(3)).map(({ person }) => Object.keys(person as Fields).filter((key) => key !== 'user_id')),
          [['delivery_email'], ['avatar_source', 'avatar_url', 'avatar_url_medium', 'avatar_version'], ['new_email']],
        );
      }
      await until('shown', async () => (await userOf(member.id)).email === fresh);
      t.equal((await userOf(member.id)).delivery_email, fresh);
      t.match((await mailed(server, member.email, 2)).at(-1)!.text, fresh, 'the old address is told');
      t.equal((await fetchKey(member, STRONG, fresh)).status, 200);
      t.equal((await fetchKey(member, STRONG)).status, 401);
      const again = await open(link, 'POST');
      t.same([again.status, /no longer valid/.test(again.text)], [400, true], 'a link is good for one time');
      await refused(t, patch({ email: fresh }, other), bad('Already has an account.'));
    });

    await t.test('a user who may not see an address gets no event of a new one', async (t) => {
      await moderator.api.ok('PATCH /settings', { email_address_visibility: 3 });
      const hidden = (await userOf(moderator.id)).email;
      const [high, low] = await Promise.all(
        [admin, guest].map((of) => Queue.register(of, { event_types: ['realm_user'] })),
      );
      const fresh = address('hidden-moderator');
      await patch({ email: fresh }, moderator);
      t.equal((await open(linkIn((await mailed(server, fresh))[0]!), 'POST')).status, 200);
      const [told] = await high!.take(2);
      t.same(told!.person, { user_id: moderator.id, delivery_email: fresh });
      const [avatar, ...more] = await low!.take(1);
      t.same([Object.keys(avatar!.person as Fields).includes('avatar_url'), more], [true, []]);
      t.equal((await userOf(moderator.id)).email, hidden, 'what stands for it stays');
    });

    await t.test('a forged link, or one replaced by a newer one, does nothing', async (t) => {
      const [first, second] = [address('first'), address('second')];
      await patch({ email: first }, guest);
      const old = linkIn((await mailed(server, first))[0]!);
      await patch({ email: second }, guest);
      const link = linkIn((await mailed(server, second))[0]!);
      const token = link.slice(link.lastIndexOf('/') + 1);
      const forged = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
      for (const path of [link.replace(token, forged), link.replace(token, 'x'), link.replace(token, '%00')]) {
        for (const method of ['GET', 'POST']) t.equal((await open(path, method)).status, 400, `${method} ${path}`);
      }
      t.equal((await open(old, 'POST')).status, 400, 'the older link');
      t.equal((await userOf(guest.id)).email, guest.email);
      const limited = await patch({ email: address('third') }, guest);
      t.same([limited.status, limited.body.code], [429, 'RATE_LIMIT_HIT'], 'two changes an hour');
      t.same(mailsTo(server, address('third')), []);
      await server.restart();
      t.equal((await open(link, 'POST')).status, 200, 'a link outlives a restart');
      await until('shown', async () => (await userOf(guest.id)).email === second);
    });

    await t.test('the address of a deactivated account stays taken', async (t) => {
      await owner.api.ok('DELETE /users/{user_id}', { user_id: guest.id });
      const gone = address('second').toUpperCase();
      await refused(t, patch({ email: gone }, other), bad('Account has been deactivated.'));
    });

    await t.test('an address taken before the confirmation is not given twice', async (t) => {
      const wanted = address('wanted-by-two');
      await patch({ email: wanted }, admin);
      await patch({ email: wanted }, owner);
      await until('two mails', () => mailsTo(server, wanted).length === 2);
      const [one, two] = mailsTo(server, wanted).map(linkIn);
      t.equal((await open(one!, 'POST')).status, 200);
      const late = await open(two!, 'POST');
      t.same([late.status, /Already has an account\./.test(late.text)], [400, true]);
    });

    await t.test('the state after the change equals snapshot + events', async (t) => {
      const renamed = address('verified');
      await verifyAction(t, 'name', [other, owner], () =>
        other.api.ok('PATCH /settings', { full_name: 'Verified Other', dense_mode: false }),
      );
      await other.api.ok('PATCH /settings', { email_address_visibility: 3 });
      // The API address stays when the address changes, so that polls continue.
      const hidden = basic((await userOf(other.id)).email, other.key);
      const self = { ...other, api: other.api.with({ authorization: hidden }) };
      await patch({ email: renamed }, other);
      const link = linkIn((await mailed(server, renamed))[0]!);
      await verifyAction(t, 'address', [self, owner], () => open(link, 'POST'));
    });
  }
};
