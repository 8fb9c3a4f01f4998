/** Weekly digests on both faces, with the real clock: the test plans them as the realm's actor does. */
import type { Test } from 'tap';
import { digestWeekdayOf } from '#domain/notifications';
import { toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { until } from '../../../support/until.js';
import type { TestServer } from '../../support/faces.js';
import { mailed, mailsTo } from '../../support/mails.js';
import { makeOrganization, type Person, say, subscribe } from '../../support/organization.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export async function digestByMail(t: Test, server: TestServer): Promise<void> {
  const org = await makeOrganization(server, ['moderator', 'member', 'other', 'guest']);
  const { owner, moderator, member, other, guest, realm, subdomain } = org;
  // Yesterday was the digest day, so the realm's actor itself plans nothing for today.
  const now = server.clock.now() - DAY_MS + HOUR_MS;
  await owner.api.ok('PATCH /realm', { digest_emails_enabled: true, digest_weekday: digestWeekdayOf(now) });
  for (const person of [moderator, member, other, owner]) await subscribe(person, 'quay');
  const origin = `http://${subdomain}.localhost`;
  /** Numbers of the mails to a person: a mail that is sent twice has the same number both times. */
  const mailIdsTo = ({ email }: Person): ReadonlySet<string> =>
    new Set(mailsTo(server, email).map(({ headers }) => headers.get('message-id')!));
  /** Plans a digest that is due at once. @param inactiveSince a time to come lets everybody count as away */
  const plan = (person: Person, at: number, inactiveSince = at + 2 * DAY_MS): Promise<unknown> =>
    server.actors.sendForReply(userActorKey(realm, toUserId(person.id)), userActorCommands.planDigest, {
      at,
      inactiveSince,
      origin,
    });

  await t.test('a user who was away gets the hottest topics and the new streams, once', async (t) => {
    await say(other, 'quay', 'cranes', 'the *crane* turns');
    await subscribe(other, 'lagoon');
    await until('the stream to be known to the actor of the user', async () => {
      const { streams } = await member.api.ok<{ streams: { name: string }[] }>('GET /streams');
      return streams.some(({ name }) => name === 'lagoon');
    });
    await plan(member, now);
    const [mail] = await mailed(server, member.email);
    t.equal(mail!.headers.get('subject'), `Your week at The ${subdomain}`);
    t.equal(mail!.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    t.match(mail!.headers.get('list-unsubscribe'), `<${origin}/unsubscribe/`);
    t.match(mail!.text, /#quay > cranes \(1 message from 1 person\)[\s\S]*the crane turns[\s\S]*#lagoon/);
    t.match(mail!.html, 'the <em>crane</em> turns');
    await say(other, 'quay', 'cranes', 'once more');
    await plan(member, now);
    await plan(member, now + 1);
    // The digest of the owner is the mark after which a second one would be there.
    await plan(owner, now);
    await mailed(server, owner.email);
    t.equal(mailIdsTo(member).size, 1);
  });

  await t.test('a user who was there, and one with nothing to see, get no digest', async (t) => {
    await server.restart();
    await say(member, 'quay', 'ropes', 'knots');
    await plan(other, now, now - 5 * DAY_MS);
    await plan(guest, now);
    // The digest of the moderator is the mark after which the others would be there.
    await plan(moderator, now);
    t.match((await mailed(server, moderator.email))[0]!.text, 'knots');
    t.equal(mailIdsTo(other).size, 0, 'the account is younger than five days');
    t.equal(mailIdsTo(guest).size, 0, 'a guest sees no public streams');
    await plan(other, now + 1);
    t.match((await mailed(server, other.email))[0]!.text, 'knots');
  });
}
