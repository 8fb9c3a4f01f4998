/** Weekly digests, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { digestWeekdayOf, latestDigestDayStart } from '#domain/notifications';
import { toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { FakeClock, settle } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { startEmbedded } from '../../support/faces.js';
import { mailsTo, type SentMail, unsubscribePathOf } from '../../support/mails.js';
import { makeBot, makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export async function weeklyDigests(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['admin', 'member', 'other', 'guest']);
  const { owner, admin, member, other, guest } = org;
  for (const person of [admin, member, other, guest]) {
    await subscribe(owner, ['dock', 'noise'], { principals: [person] });
  }
  const dock = await streamIdOf(member, 'dock');
  const noise = await streamIdOf(member, 'noise');
  /** The digest day begins six days from now. */
  const weekday = (digestWeekdayOf(clock.now()) + 6) % 7;

  /** Digests to a person, without the mails about missed messages. */
  const digestsTo = ({ email }: Person): readonly SentMail[] =>
    mailsTo(server, email).filter(({ headers }) => headers.get('subject')?.startsWith('Your week'));
  const seen = new Map<string, number>();
  /** Digests to a person since the last call. */
  const news = (to: Person): readonly SentMail[] => {
    const all = digestsTo(to);
    const before = seen.get(to.email) ?? 0;
    seen.set(to.email, all.length);
    return all.slice(before);
  };
  const expectMail = async (to: Person): Promise<SentMail> => {
    const before = seen.get(to.email) ?? 0;
    await until(
      `a digest to ${to.role}`,
      () => {
        // Timers that are due now fire when the clock goes on.
        clock.advance(10);
        return digestsTo(to).length > before;
      },
      5_000,
    );
    const [mail, ...more] = news(to);
    t.same(more, [], 'one mail');
    return mail!;
  };
  /** Moves the clock to the end of the next digest day, when all digests of that day are due. */
  const toDigestDay = async (): Promise<void> => {
    const next = latestDigestDayStart(clock.now(), weekday) + 7 * DAY_MS;
    clock.leap(next + DAY_MS - 1 - clock.now());
    await settle();
  };
  /** Moves the clock on until digests that could still come have come. */
  const pass = async (): Promise<void> => {
    for (let i = 0; i < 12; i++) {
      clock.leap(5 * 60_000);
      await settle(20);
    }
  };
  const everybody = [owner, admin, member, other, guest];
  const expectNoNews = async (t: Test, people: readonly Person[] = everybody): Promise<void> => {
    await pass();
    t.same(
      people.filter((person) => news(person).length > 0).map(({ role }) => role),
      [],
    );
  };

  await t.test('an organization that wants no digests sends none', async (t) => {
    await say(other, 'dock', 'tides', 'low');
    await toDigestDay();
    await expectNoNews(t);
  });

  await t.test('the digest has hot topics and new streams that the user may see, without muted ones', async (t) => {
    await owner.api.ok('PATCH /realm', { digest_emails_enabled: true, digest_weekday: weekday });
    await expectNoNews(t);
    const bot = await makeBot(other);
    await member.api.ok('POST /user_topics', { stream_id: dock, topic: 'crabs', visibility_policy: 1 });
    const muted = [{ stream_id: noise, property: 'is_muted', value: true }];
    await member.api.ok('POST /users/me/subscriptions/properties', { subscription_data: muted });
    for (const text of ['cod', 'herring', 'eel', 'pike']) await say(other, 'dock', 'fish', text);
    await say(admin, 'dock', 'tides', 'the *tide* is high');
    await say(other, 'dock', 'tides', 'and rising');
    await say(other, 'dock', 'crabs', 'pinching');
    await say(other, 'noise', 'drums', 'booming');
    await say(bot, 'dock', 'builds', 'beeping');
    const read = await say(other, 'dock', 'seen', 'known');
    await member.api.ok('POST /messages/flags', { messages: [read], op: 'add', flag: 'read' });
    await subscribe(other, 'lagoon');
    await subscribe(other, 'cellar', { invite_only: true });
    await clock.longAsync(2 * DAY_MS);
    await admin.api.ok('POST /users/me/presence', { status: 'active' });
    await toDigestDay();
    const mail = await expectMail(member);
    t.equal(mail.headers.get('subject'), `Your week at The ${org.subdomain}`);
    t.equal(mail.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const { text, html } = mail;
    t.match(text, /tides \(3 messages from 2 people\)[\s\S]*fish \(4 messages from 1 person\)/);
    t.match(text, /the tide is high[\s\S]*and rising/);
    t.match(text, 'and 1 more message');
    t.match(text, /New streams:[\s\S]*#lagoon/);
    t.match(html, `/#narrow/stream/${dock}-dock/topic/tides/near/`);
    for (const part of [text, html]) t.notMatch(part, /crabs|drums|builds|known|cellar/);
    const forGuest = await expectMail(guest);
    t.match(forGuest.text, /#dock > tides/);
    t.notMatch(forGuest.text, /lagoon|cellar/);
    t.match((await expectMail(owner)).text, /#lagoon/);
    await expectNoNews(t, [admin, member, guest, owner]);
    t.same(digestsTo(bot), []);
    news(other);
  });

  await t.test('no second digest comes within a week, also after a restart and a change of the day', async (t) => {
    await say(other, 'dock', 'fish', 'salmon');
    await server.restart();
    await expectNoNews(t);
    clock.leap(DAY_MS);
    await owner.api.ok('PATCH /realm', { digest_weekday: digestWeekdayOf(clock.now()) });
    await expectNoNews(t, [member, guest]);
    // The end of this new digest day.
    clock.leap(latestDigestDayStart(clock.now(), digestWeekdayOf(clock.now())) + DAY_MS - 1 - clock.now());
    await settle();
    await expectNoNews(t, [member, guest]);
    await owner.api.ok('PATCH /realm', { digest_weekday: weekday });
    await toDigestDay();
    for (const person of [member, guest, admin]) t.match((await expectMail(person)).text, 'salmon');
    await expectNoNews(t, [member, guest, admin]);
    news(other);
  });

  await t.test('settings of the user and of the organization leave content and names out', async (t) => {
    const withheld = async (reason: RegExp): Promise<void> => {
      await say(other, 'dock', 'whales', 'confidential');
      await toDigestDay();
      const { text, html } = await expectMail(member);
      t.match(text, reason);
      t.match(text, /\d+ messages? in \d busy topics?/);
      for (const part of [text, html]) t.notMatch(part, new RegExp(`confidential|whales|dock|${other.name}`));
      for (const person of [guest, admin]) await expectMail(person);
      await pass();
      everybody.map(news);
    };
    await member.api.ok('PATCH /settings', { message_content_in_email_notifications: false });
    await withheld(/your settings/);
    await member.api.ok('PATCH /settings', { message_content_in_email_notifications: true });
    await owner.api.ok('PATCH /realm', { message_content_allowed_in_email_notifications: false });
    await withheld(/settings of the organization/);
    await owner.api.ok('PATCH /realm', { message_content_allowed_in_email_notifications: true });
  });

  await t.test('a link of the mail ends the digests with one click', async (t) => {
    await say(other, 'dock', 'fish', 'trout');
    await toDigestDay();
    const mail = await expectMail(member);
    for (const person of [guest, admin]) await expectMail(person);
    const path = unsubscribePathOf(mail);
    t.match(mail.text, path, 'the text has the same link');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const click = { method: 'POST', path, headers, body: 'List-Unsubscribe=One-Click' };
    t.equal((await org.nobody.raw(click)).status, 200);
    await say(other, 'dock', 'fish', 'carp');
    await toDigestDay();
    for (const person of [guest, admin]) t.match((await expectMail(person)).text, 'carp');
    await expectNoNews(t, [member]);
    await member.api.ok('PATCH /settings', { enable_digest_emails: true });
    everybody.map(news);
  });

  await t.test('deactivated users, those who left the stream, and those with nothing new get none', async (t) => {
    await say(other, 'dock', 'fish', 'perch');
    await member.api.ok('POST /mark_all_as_read');
    await owner.api.ok('DELETE /users/{user_id}', { user_id: guest.id });
    await admin.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['dock'] });
    await subscribe(owner, 'dock');
    await say(other, 'dock', 'fish', 'mark');
    await member.api.ok('POST /mark_all_as_read');
    await toDigestDay();
    t.match((await expectMail(owner)).text, 'mark');
    await expectNoNews(t, [admin, member, guest]);
  });

  await t.test('an organization that turns digests off sends none any more', async (t) => {
    await say(other, 'dock', 'fish', 'sole');
    await owner.api.ok('PATCH /realm', { digest_emails_enabled: false });
    await toDigestDay();
    await expectNoNews(t);
  });

  await t.test('a digest that is planned already obeys the settings of its moment', async (t) => {
    const turnOn = () =>
      owner.api.ok('PATCH /realm', {
        digest_emails_enabled: true,
        digest_weekday: digestWeekdayOf(clock.now() + MINUTE_MS),
      });
    const plan = (person: Person) =>
      server.actors.sendForReply(userActorKey(org.realm, toUserId(person.id)), userActorCommands.planDigest, {
        at: clock.now() + MINUTE_MS,
        inactiveSince: clock.now(),
        origin: 'http://localhost',
      });
    await turnOn();
    await plan(member);
    await plan(guest);
    await member.api.ok('PATCH /settings', { enable_digest_emails: false });
    await expectNoNews(t, [member, guest]);
    await member.api.ok('PATCH /settings', { enable_digest_emails: true });
    await plan(member);
    await owner.api.ok('PATCH /realm', { digest_emails_enabled: false });
    await expectNoNews(t, [member]);
    await turnOn();
    await plan(member);
    await owner.api.ok('PATCH /realm', { digest_weekday: digestWeekdayOf(clock.now() + DAY_MS) });
    await expectNoNews(t, [member]);
    await turnOn();
    await plan(member);
    clock.leap(MINUTE_MS);
    t.match((await expectMail(member)).text, 'sole');
  });
}
