/** Weekly digests on both faces, with the real clock: the test plans them as the realm's actor does. */
import type { Test } from 'tap';
import { digestWeekdayOf } from '#domain/notifications';
import { toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import type { TestServer } from '../../support/faces.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { makeOrganization, type Person, say, subscribe } from '../../support/organization.js';

const DAY_MS = 86_400_000;

export async function digestByMail(t: Test, server: TestServer): Promise<void> {
  const org = await makeOrganization(server, ['member', 'other', 'guest']);
  const { owner, member, other, guest, realm, subdomain } = org;
  const now = server.clock.now();
  await owner.api.ok('PATCH /realm', { digest_emails_enabled: true, digest_weekday: digestWeekdayOf(now) });
  for (const person of [member, other, owner]) await subscribe(person, 'quay');
  const origin = `http://${subdomain}.localhost`;
  /** Plans a digest for now. @param inactiveSince a time to come lets everybody count as away */
  const plan = (person: Person, at: number, inactiveSince = at + DAY_MS): Promise<unknown> =>
    server.actors.send(userActorKey(realm, toUserId(person.id)), userActorCommands.planDigest, {
      at,
      inactiveSince,
      origin,
    });

  await t.test('a user who was away gets the hottest topics and the new streams, once', async (t) => {
    await say(other, 'quay', 'cranes', 'the *crane* turns');
    await subscribe(other, 'lagoon');
    await plan(member, now);
    const [mail] = await mailed(server, member.email);
    t.equal(mail!.headers.get('subject'), `Your week in The ${subdomain}`);
    t.equal(mail!.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    t.match(mail!.headers.get('list-unsubscribe'), `<${origin}/unsubscribe/`);
    t.match(mail!.text, /#quay > cranes \(1 message by 1 person\)[\s\S]*the crane turns[\s\S]*#lagoon/);
    t.match(mail!.html, 'the <em>crane</em> turns');
    await plan(member, now);
    await plan(member, now + 1);
    // The digest of the owner is the mark after which a second one would be there.
    await plan(owner, now);
    await mailed(server, owner.email);
    t.equal(mailsTo(server, member.email).length, 1);
  });

  await t.test('a user who was there, one who wants none, and one with nothing to see get no digest', async (t) => {
    await server.restart();
    await say(member, 'quay', 'ropes', 'knots');
    await plan(other, now, now - 5 * DAY_MS);
    await guest.api.ok('PATCH /settings', { enable_digest_emails: true });
    await plan(guest, now);
    await other.api.ok('PATCH /settings', { enable_digest_emails: false });
    await plan(other, now + 1);
    await other.api.ok('PATCH /settings', { enable_digest_emails: true });
    await plan(other, now + 2);
    const [mail] = await mailed(server, other.email);
    t.match(mail!.text, 'knots');
    t.equal(mailsTo(server, other.email).length, 1);
    t.same(mailsTo(server, guest.email), [], 'a guest sees no public streams');
  });
}
