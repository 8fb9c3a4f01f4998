/** Inviting, listing, revoking, repeating (realm.md § Invitations). */

import { Gate } from '../../../support/gate.js';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { makeBot, makeOrganization, PASSWORD, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const OWNER: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };
const ADMIN: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const NOT_ADMIN = bad('Must be an organization administrator');
const NOT_ALLOWED = bad('Insufficient permission');
const NONE = bad('No such invitation');

type Invite = Fields & { readonly id: number; readonly email: string; readonly link_url: string };

const failed = (msg: string, errors: readonly (readonly [string, string, boolean])[], sent = false): Refusal => ({
  code: 'INVITATION_FAILED',
  msg,
  extra: { errors, sent_invitations: sent, license_limit_reached: false, daily_limit_reached: false },
});
const WRONG = "Some emails did not validate, so we didn't send any invitations.";
const ALL_TAKEN = "We weren't able to invite anyone.";
const DAILY_LIMIT =
  'To protect users, Conclave limits the number of invitations you can send in one day. Because you have reached the limit, no invitations were sent.';
const SOME_TAKEN =
  "Some of those addresses are already using Conclave, so we didn't send them an invitation. We did send invitations to everyone else!";

export const invitations: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(member, 'open');
  await subscribe(member, 'closed', { invite_only: true });
  const [open, closed] = [await streamIdOf(member, 'open'), await streamIdOf(member, 'closed')];
  let made = 0;
  const address = (): string => `new${++made}@${org.subdomain}.example.net`;
  const invite = (by: Person, invitee_emails: string, params: Params = {}) =>
    by.api.call('POST /invites', { invitee_emails, stream_ids: [], ...params });
  const link = (by: Person, params: Params = {}) => by.api.call('POST /invites/multiuse', params);
  const list = async (by: Person) => (await by.api.ok('GET /invites')).invites as Invite[];
  const revoke = (by: Person, prereg_id: number) => by.api.call('DELETE /invites/{prereg_id}', { prereg_id });
  const revokeLink = (by: Person, invite_id: number) =>
    by.api.call('DELETE /invites/multiuse/{invite_id}', { invite_id });
  const resend = (by: Person, prereg_id: number) => by.api.call('POST /invites/{prereg_id}/resend', { prereg_id });
  const invited = async (by: Person, params: Params = {}): Promise<Invite> => {
    const email = address();
    await by.api.ok('POST /invites', { invitee_emails: email, stream_ids: [], ...params });
    return (await list(owner)).find((of) => of.email === email)!;
  };
  const settings = (of: Params) => owner.api.ok('PATCH /realm', of);

  await t.test('an invitation is mailed with a link, listed, and published to administrators', async (t) => {
    const [told, untold] = [await Queue.register(admin), await Queue.register(member)];
    const [one, two] = [address(), address()];
    const { body } = await invite(member, ` ${one}\nSomebody New <${two}>, ,${one.toUpperCase()}`, {
      stream_ids: [open, closed],
    });
    t.same(body, { result: 'success', msg: '' });
    t.same(
      (await told.take(1)).map(({ type }) => type),
      ['invites_changed'],
    );
    t.same(
      (await settled(untold)).map(({ type }) => type),
      [],
    );
    const [mail] = await mailed(server, one);
    t.match(mail!.headers.get('subject'), new RegExp(`^${member.name} invites you to The ${org.subdomain}$`));
    t.match(mail!.text, /^http:\/\/127\.0\.0\.1\/invitation\/[\w-]{30,}$/m);
    t.equal((await mailed(server, two)).length, 1);
    t.same(mailsTo(server, one.toUpperCase()), [], 'once');
    const [first, second] = await list(member);
    t.same([first!.email, second!.email], [one, two]);
    t.match(first, {
      invited_by_user_id: member.id,
      invited_as: 400,
      is_multiuse: false,
      expiry_date: (first!.invited as number) + 14_400 * 60,
    });
    t.same(Object.keys(first!).sort(), [
      'email',
      'expiry_date',
      'id',
      'invited',
      'invited_as',
      'invited_by_user_id',
      'is_multiuse',
    ]);
    t.same(await list(other), [], 'own ones only');
    t.equal((await list(admin)).length, 2);
    t.same(await list(elsewhere.owner), []);
  });

  await t.test('a reusable link is listed for administrators', async (t) => {
    const { invite_link } = (await link(admin, { invite_as: 600, invite_expires_in_minutes: null, stream_ids: [open] }))
      .body;
    t.match(invite_link, /^http:\/\/127\.0\.0\.1\/join\/[\w-]{30,}$/);
    const of = (await list(owner)).find(({ is_multiuse }) => is_multiuse)!;
    t.match(of, { link_url: invite_link, invited_by_user_id: admin.id, invited_as: 600, expiry_date: null });
    t.same(Object.keys(of).sort(), [
      'expiry_date',
      'id',
      'invited',
      'invited_as',
      'invited_by_user_id',
      'is_multiuse',
      'link_url',
    ]);
    t.notOk((await list(member)).some(({ is_multiuse }) => is_multiuse));
    const { invite_link: forOwners } = (await link(owner, { invite_as: 100 })).body;
    t.ok((await list(owner)).some(({ link_url }) => link_url === forOwners));
    t.notOk(
      (await list(admin)).some(({ link_url }) => link_url === forOwners),
      'no administrator becomes an owner by it',
    );
    t.equal((await link(admin)).status, 200, 'without parameters');
    await refused(t, link(member, { stream_ids: 'x' }), ADMIN, 'before parameters');
    await refused(t, link(admin, { invite_as: 100 }), OWNER);
    t.equal((await link(owner, { invite_as: 100 })).status, 200);
    await refused(t, link(admin, { invite_as: 500 }), bad('Invalid invite_as'));
    for (const id of [closed, 987_654, -1]) {
      await refused(t, link(admin, { stream_ids: [open, id] }), bad(`Invalid stream ID ${id}. No invites were sent.`));
    }
  });

  await t.test('the right to invite is checked by role and policy, in this order', async (t) => {
    await settings({ invite_to_realm_policy: 4 });
    await refused(t, invite(member, '', { invite_as: 100 }), NOT_ALLOWED, 'the policy first');
    t.equal((await invite(moderator, address())).status, 200);
    await settings({ invite_to_realm_policy: 1 });
    await refused(t, invite(guest, 'x'), bad('Not allowed for guest users'));
    await refused(t, invite(member, '', { invite_as: 100 }), OWNER);
    await refused(t, invite(admin, '', { invite_as: 100 }), OWNER);
    for (const invite_as of [200, 300])
      await refused(t, invite(moderator, '', { invite_as }), NOT_ADMIN, `${invite_as}`);
    await refused(
      t,
      invite(member, ' , \n', { stream_ids: [closed, 99] }),
      bad('You must specify at least one email address.'),
    );
    for (const [by, id] of [
      [member, 987_654],
      [other, closed],
      [admin, closed],
      [member, -1],
    ] as const) {
      const gone = bad(`Stream does not exist with id: ${id}. No invites were sent.`);
      await refused(t, invite(by, 'nonsense', { stream_ids: [open, id] }), gone, `${by.role} ${id}`);
    }
    await settings({ invite_to_stream_policy: 2 });
    const may = bad('You do not have permission to subscribe other users to streams.');
    await refused(t, invite(member, 'nonsense', { stream_ids: [open] }), may);
    t.equal((await invite(member, address())).status, 200, 'to no stream');
    await settings({ invite_to_stream_policy: 1 });
    await settings({ invite_required: false });
    const young =
      'Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.';
    await refused(t, invite(moderator, 'nonsense'), failed(young, []));
    t.equal((await invite(admin, address())).status, 200);
    await settings({ invite_required: true });
    for (const [by, invite_as] of [
      [owner, 100],
      [admin, 200],
      [admin, 300],
      [member, 400],
      [member, 600],
    ] as const) {
      t.equal((await invite(by, address(), { invite_as })).status, 200, `${by.role} invites ${invite_as}`);
    }
    await refused(t, member.api.call('POST /invites', { invitee_emails: 'x' }), missing('stream_ids'));
    await refused(t, member.api.call('POST /invites', { stream_ids: [] }), missing('invitee_emails'));
    await refused(t, invite(member, 'x', { invite_as: 401 }), bad('Invalid invite_as'));
    await refused(t, invite(member, 'x', { stream_ids: ['x'] }), bad('stream_ids[0] is not an integer'));
    for (const minutes of [0, -5, 2 ** 40]) {
      const wrong = bad('Invalid invite_expires_in_minutes');
      await refused(t, invite(member, 'x', { invite_expires_in_minutes: minutes }), wrong, `${minutes}`);
      await refused(t, link(admin, { invite_expires_in_minutes: minutes }), wrong, `link, ${minutes}`);
    }
  });

  await t.test('the refusal names the addresses that cannot be invited', async (t) => {
    const good = address();
    const before = (await list(owner)).length;
    const wrong = [
      ['nonsense', 'Invalid address.', false],
      ['a b@c.de', 'Invalid address.', false],
    ] as const;
    const taken = [[other.email, 'Already has an account.', false]] as const;
    await refused(t, invite(member, `${good},nonsense,${other.email}\na b@c.de`), failed(WRONG, [...wrong, ...taken]));
    const bot = 'notification-bot@conclave.invalid';
    const reserved = [bot, 'Reserved for system bots.', false] as const;
    await refused(t, invite(member, `${other.email},${bot}`), failed(ALL_TAKEN, [...taken, reserved]));
    await refused(
      t,
      invite(member, 'x@mail.thrown-away.example'),
      failed(WRONG, [['x@mail.thrown-away.example', 'Please use your real email address.', false]]),
    );
    await owner.api.ok('POST /realm/domains', { domain: 'acme.com', allow_subdomains: true });
    await settings({ emails_restricted_to_domains: true });
    const outside = [
      ['x@else.com', 'Outside your domain.', false],
      ['a+b@acme.com', 'Email addresses containing + are not allowed.', false],
    ] as const;
    await refused(t, invite(member, 'x@else.com, a+b@acme.com, fine@sub.acme.com'), failed(WRONG, outside));
    await settings({ emails_restricted_to_domains: false });
    t.equal((await list(owner)).length, before);
    t.same(mailsTo(server, good), []);
    await refused(t, invite(member, `${good},${other.email}`), failed(SOME_TAKEN, taken, true));
    t.equal((await list(owner)).length, before + 1);
    t.equal((await mailed(server, good)).length, 1);
  });

  await t.test('no address in a list becomes a mail header', async (t) => {
    const hostile = [`x@y.zz\r\nBcc: victim@y.zz`, 'x\u0000@y.zz', '\ud800@y.zz', '@', '<<a@b.cd>>', 'a@b.cd>'];
    for (const text of hostile) {
      const { status, body } = await invite(member, text);
      t.same([status, body.code], [400, 'INVITATION_FAILED'], JSON.stringify(text));
    }
    await refused(t, invite(member, '<>,'), bad('You must specify at least one email address.'));
    await settings({ name: 'Line one\r\nBcc: victim@example.com' });
    const email = address();
    await invite(member, email);
    const [mail] = await mailed(server, email);
    t.equal(mail!.headers.get('subject'), `${member.name} invites you to Line one Bcc: victim@example.com`);
    t.notOk(mail!.headers.has('bcc'));
    await settings({ name: `The ${org.subdomain}` });
    t.same(mailsTo(server, 'victim@y.zz'), []);
  });

  await t.test('an invitation is revoked by its inviter or an administrator', async (t) => {
    const of = await invited(member);
    for (const by of [other, moderator]) {
      await refused(t, revoke(by, of.id), NOT_ADMIN, by.role);
      await refused(t, resend(by, of.id), NOT_ADMIN, by.role);
    }
    await refused(t, revoke(guest, of.id), bad('Not allowed for guest users'));
    for (const call of [revoke, resend]) {
      await refused(t, call(elsewhere.owner, of.id), NONE);
      await refused(t, call(owner, 987_654), NONE);
    }
    t.equal((await revoke(member, of.id)).status, 200);
    await refused(t, revoke(member, of.id), NONE);
    await refused(t, resend(member, of.id), NONE);
    t.equal((await revoke(admin, (await invited(member)).id)).status, 200);
    const owners = await invited(owner, { invite_as: 100 });
    await refused(t, revoke(admin, owners.id), OWNER);
    await refused(t, resend(admin, owners.id), OWNER);
    t.equal((await revoke(owner, owners.id)).status, 200);
    t.notOk((await list(owner)).some(({ id, is_multiuse }) => !is_multiuse && [of.id, owners.id].includes(id)));
  });

  await t.test('the mail of an invitation that was revoked or used while it waited is not sent', async (t) => {
    const [first, revoked, used, valid, last] = [address(), address(), address(), address(), address()];
    const gate = new Gate();
    let waits = false;
    server.beforeMail = (to) => {
      if (to !== first) return;
      waits = true;
      return gate.opened;
    };
    t.teardown(() => {
      server.beforeMail = undefined;
      gate.open();
    });
    t.equal((await invite(owner, first)).status, 200);
    await until('a mail is being sent, for which later ones wait', () => waits);
    t.equal((await invite(owner, [revoked, used, valid].join())).status, 200);
    t.equal((await revoke(owner, (await list(owner)).find(({ email }) => email === revoked)!.id)).status, 200);
    await owner.api.ok('POST /users', { email: used, full_name: 'Used It', password: PASSWORD });
    gate.open();
    await mailed(server, valid);
    t.equal((await invite(owner, last)).status, 200);
    await mailed(server, last);
    const invitationsTo = (email: string) =>
      mailsTo(server, email).filter(({ headers }) => headers.get('subject')?.includes('invites you'));
    t.same([revoked, used].flatMap(invitationsTo), []);
    t.equal(invitationsTo(valid).length, 1);
  });

  await t.test('a link is revoked by an administrator, once', async (t) => {
    await link(owner, { invite_as: 100 });
    const { id } = (await list(owner)).filter(({ is_multiuse }) => is_multiuse).at(-1)!;
    for (const by of [moderator, member, guest]) await refused(t, revokeLink(by, id), ADMIN, by.role);
    await refused(t, revokeLink(admin, id), OWNER);
    t.equal((await revokeLink(owner, id)).status, 200);
    await refused(t, revokeLink(owner, id), bad('Invitation has already been revoked'));
    for (const none of [987_654, 0]) await refused(t, revokeLink(owner, none), NONE);
    await refused(t, revokeLink(elsewhere.owner, id), NONE);
  });

  await t.test('an invitation is sent again with the same link', async (t) => {
    const of = await invited(member, { invite_expires_in_minutes: 60 });
    const { timestamp } = (await resend(admin, of.id)).body as { timestamp: number };
    const [first, second] = await mailed(server, of.email, 2);
    t.equal(second!.text, first!.text.replace(/valid until .*/, /valid until .*/.exec(second!.text)![0]));
    const again = (await list(owner)).find(({ id, is_multiuse }) => id === of.id && !is_multiuse)!;
    t.same([again.invited, again.expiry_date], [timestamp, timestamp + 3_600]);
  });

  await t.test('a bot cannot invite', async (t) => {
    const bot = await makeBot(member);
    const no = bad('This endpoint does not accept bot requests.');
    await refused(t, bot.api.call('GET /invites'), no);
    await refused(t, invite(bot, address()), no);
    await refused(t, revoke(bot, 1), no);
    await refused(t, resend(bot, 1), no);
  });

  await t.test('an invitation by a deactivated user is void', async (t) => {
    const left = await invited(other);
    await link(admin);
    const gone = (await list(owner)).filter(({ invited_by_user_id }) =>
      [other.id, admin.id].includes(Number(invited_by_user_id)),
    );
    t.ok(gone.length >= 2);
    const told = await Queue.register(owner, { event_types: ['invites_changed'] });
    for (const { id: user_id } of [other, admin]) await owner.api.ok('DELETE /users/{user_id}', { user_id });
    t.equal((await told.take(2)).length, 2);
    t.same(
      (await list(owner)).filter((of) =>
        gone.some(({ id, is_multiuse }) => id === of.id && is_multiuse === of.is_multiuse),
      ),
      [],
    );
    const [mail] = await mailed(server, left.email);
    const path = new URL(/^http:.*$/m.exec(mail!.text)![0]).pathname;
    t.equal((await org.nobody.raw({ method: 'GET', path })).status, 404);
    const deactivated = failed(ALL_TAKEN, [[other.email, 'Account has been deactivated.', true]]);
    await refused(t, invite(member, other.email), deactivated);
    await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: admin.id });
    t.same(
      (await list(owner)).filter(({ invited_by_user_id }) => invited_by_user_id === admin.id),
      [],
      'for good',
    );
  });

  await t.test('a lower role voids the invitations that it does not allow, and no others', async (t) => {
    const { owner, admin, member } = await makeOrganization(server, ['admin', 'member']);
    const all = async () => (await list(owner)).map((of) => [of.invited_by_user_id, of.invited_as, of.is_multiuse]);
    const setRole = (user_id: number, role: number) => owner.api.ok('PATCH /users/{user_id}', { user_id, role });
    await setRole(admin.id, 100);
    for (const invite_as of [100, 200, 400]) {
      await link(admin, { invite_as });
      t.equal((await invite(admin, address(), { invite_as })).status, 200);
    }
    t.equal((await invite(member, address())).status, 200);
    await setRole(admin.id, 200);
    const kept = [200, 400].flatMap((role) => [false, true].map((is) => [admin.id, role, is]));
    t.strictSame((await all()).sort(), [[member.id, 400, false], ...kept].sort(), 'as an administrator');
    const told = await Queue.register(owner, { event_types: ['invites_changed'] });
    await setRole(admin.id, 400);
    t.equal((await told.take(1)).length, 1);
    const singles = [admin, member].map(({ id }) => [id, 400, false]);
    t.strictSame((await all()).sort(), singles.sort(), 'as a member');
    await setRole(admin.id, 300);
    t.equal((await all()).length, 2, 'a higher role voids none');
    await setRole(admin.id, 600);
    t.strictSame(await all(), [[member.id, 400, false]], 'as a guest');
  });

  await t.test('an address gets two mails an hour, however often it is invited', async (t) => {
    const { id, email } = await invited(member);
    t.equal((await resend(member, id)).status, 200);
    const limited = await resend(admin, id);
    t.equal(limited.status, 429);
    t.ok(Number(limited.body['retry-after']) > 3_000);
    const reason = [[email, 'Too many invitations to this address. Try again later.', false]] as const;
    await refused(t, invite(member, email), failed(ALL_TAKEN, reason));
    const more = address();
    await refused(t, invite(member, `${more}, ${email}`), failed(SOME_TAKEN, reason, true));
    await mailed(server, more);
    t.equal(mailsTo(server, email).length, 2);
  });

  await t.test('a member may have 1,000 invitations mailed in a day', async (t) => {
    const { member: inviter, admin: administrator } = await makeOrganization(server);
    const inviteMany = (by: Person, n: number) => invite(by, Array.from({ length: n }, address).join());
    for (const n of [500, 499]) t.equal((await inviteMany(inviter, n)).status, 200);
    const { extra, ...refusal } = failed(DAILY_LIMIT, []);
    const spent = { ...refusal, extra: { ...extra, daily_limit_reached: true } };
    await refused(t, inviteMany(inviter, 2), spent);
    t.equal((await inviteMany(inviter, 1)).status, 200);
    const [first, second] = await list(inviter);
    t.equal((await revoke(inviter, first!.id)).status, 200);
    await refused(t, inviteMany(inviter, 1), spent, 'a revoked one counts');
    await refused(t, resend(inviter, second!.id), spent, 'one that is sent again counts');
    t.equal((await resend(administrator, second!.id)).status, 200);
  });

  await t.test('snapshot and events agree', async (t) => {
    const people = [owner, member];
    const email = address();
    await verifyAction(t, 'invite', people, () => invite(member, email));
    await verifyAction(t, 'invite by a link', people, () => link(owner));
    const all = await list(owner);
    const single = all.find((of) => of.email === email)!;
    await verifyAction(t, 'resend', people, () => resend(member, single.id));
    await verifyAction(t, 'revoke', people, () => revoke(member, single.id));
    await verifyAction(t, 'revoke a link', people, () => revokeLink(owner, all.at(-1)!.id));
  });

  await t.test('the list of invitations is bounded, and a restart loses no invitation', async (t) => {
    const many = Array.from({ length: 10_000 }, (_, i) => `a${i}@many.example.net`).join();
    await refused(t, invite(member, many), bad('invitee_emails is too long (limit: 30000 characters)'));
    const few = (await list(owner)).length;
    const some = Array.from({ length: 500 }, (_, i) => `a${i}@many.example.net`);
    t.equal((await invite(member, some.join())).status, 200);
    t.equal((await list(owner)).length, few + some.length);

    const before = await list(owner);
    await server.restart();
    t.same(await list(owner), before);
  });
};
