/** Mails about missed messages, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { setRealmActive } from '#app/admin';
import { userActorCommands } from '#model/commands';
import type { PendingBusReply } from '#ports/bus';
import { FakeClock, settle } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { browserOf } from '../../support/browser.js';
import { startEmbedded } from '../../support/faces.js';
import { interceptMethods } from '../../support/intercept.js';
import { atLevel } from '../../support/levels.js';
import { mailsTo, type SentMail, unsubscribePathOf } from '../../support/mails.js';
import {
  addPerson,
  makeOrganization,
  PASSWORD,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';

/** Default of the setting email_notifications_batching_period_seconds, and a moment more. */
const PERIOD_MS = 121_000;
/** Time after which a user who was active counts as away, and a moment more. */
const AWAY_MS = 201_000;

export async function missedMails(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  /** Runs before the next command that changes settings of subscriptions. */
  let beforeSubscriptionSettings: (() => Promise<unknown>) | undefined;
  const requestAfterwards = (call: () => unknown, [, value]: readonly unknown[]): unknown => {
    const before = beforeSubscriptionSettings;
    if (!before || (value as { readonly name?: unknown }).name !== userActorCommands.subscriptionSettings)
      return call();
    beforeSubscriptionSettings = undefined;
    return { reply: before().then(() => (call() as PendingBusReply).reply), cancel() {} };
  };
  const server = await startEmbedded({
    clock,
    adjust: (ports) => ({ ...ports, bus: interceptMethods(ports.bus, ['request'], requestAfterwards) }),
  });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['admin', 'member', 'other']);
  const { owner, member, other } = org;
  await subscribe(member, 'dock');
  await subscribe(other, 'dock');
  await subscribe(owner, 'dock');
  const dock = await streamIdOf(member, 'dock');

  const seen = new Map<string, number>();
  /** Mails to a person since the last call. */
  const news = (to: Person): readonly SentMail[] => {
    const all = mailsTo(server, to.email);
    const before = seen.get(to.email) ?? 0;
    seen.set(to.email, all.length);
    return all.slice(before);
  };
  const expectMail = async (to: Person, count = 1): Promise<readonly SentMail[]> => {
    const before = seen.get(to.email) ?? 0;
    await until(
      `${count} mails to ${to.role}`,
      () => {
        // Mails that are due now are sent when the clock goes on.
        clock.advance(10);
        return mailsTo(server, to.email).length >= before + count;
      },
      5_000,
    );
    return news(to);
  };
  const subjects = (mails: readonly SentMail[]): string[] => mails.map(({ headers }) => headers.get('subject') ?? '');

  await t.test('direct messages of a batching period come in one mail', async (t) => {
    await tell(other, [member], 'first *thing*');
    await clock.advanceAsync(60_000);
    await tell(other, [member], 'second');
    t.same(news(member), []);
    await clock.advanceAsync(PERIOD_MS - 60_000);
    const [mail, ...more] = await expectMail(member);
    t.same(more, []);
    t.equal(mail!.headers.get('subject'), `Direct messages with ${other.name}`);
    t.match(mail!.text, /first thing[\s\S]*second/);
    t.match(mail!.html, /first <em>thing<\/em>/);
    t.match(mail!.headers.get('references'), /^<t-.*@/);
    t.equal(mail!.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    t.match(mail!.html, `/#narrow/dm/${other.id}-dm/near/`);
    await clock.advanceAsync(10 * PERIOD_MS);
    t.same(news(member), [], 'the mail comes once');
  });

  await t.test('a read message is in no mail', async (t) => {
    const read = await tell(other, [member], 'read');
    await tell(other, [owner], 'mark');
    await member.api.ok('POST /messages/flags', { messages: [read], op: 'add', flag: 'read' });
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    t.same(news(member), []);
  });

  await t.test('mentions in a stream are mailed with the messages before them', async (t) => {
    await say(other, 'dock', 'tides', 'the tide is high');
    await say(other, 'dock', 'tides', `@**${member.name}** look, ||secret||`);
    await clock.advanceAsync(PERIOD_MS);
    const [mail] = await expectMail(member);
    t.equal(mail!.headers.get('subject'), '#dock > tides');
    t.match(mail!.text, /the tide is high[\s\S]*look/);
    t.match(mail!.html, `/#narrow/stream/${dock}-dock/topic/tides/near/`);
  });

  await t.test('messages of muted users are not among those before a mention', async (t) => {
    const muted_user_id = owner.id;
    await member.api.ok('POST /users/me/muted_users/{muted_user_id}', { muted_user_id });
    await say(owner, 'dock', 'mutes', 'of the muted one');
    await say(other, 'dock', 'mutes', 'of another');
    await say(other, 'dock', 'mutes', `@**${member.name}** look`);
    await clock.advanceAsync(PERIOD_MS);
    const [mail] = await expectMail(member);
    t.match(mail!.text, /of another[\s\S]*look/);
    t.notMatch(mail!.text, /of the muted one/);
    await member.api.ok('DELETE /users/me/muted_users/{muted_user_id}', { muted_user_id });
  });

  await t.test('a mention that an edit adds is mailed once, without what was mailed before', async (t) => {
    const edit = (message_id: number, content: string) =>
      other.api.ok('PATCH /messages/{message_id}', { message_id, content });
    const edited = await say(other, 'dock', 'edits', 'nothing yet');
    await say(other, 'dock', 'edits', `@**${member.name}** a later one`);
    await clock.advanceAsync(PERIOD_MS);
    t.match((await expectMail(member))[0]!.text, /a later one/);

    await edit(edited, `now for @**${member.name}**`);
    await clock.advanceAsync(PERIOD_MS);
    const [mail] = await expectMail(member);
    t.equal(mail!.headers.get('subject'), '#dock > edits');
    t.match(mail!.text, /now for/);
    t.notMatch(mail!.text, /a later one/, 'a message that was mailed does not come twice');

    await edit(edited, 'without it');
    await edit(edited, `and for @**${member.name}** again, @**${owner.name}**`);
    await clock.advanceAsync(PERIOD_MS);
    t.match((await expectMail(owner))[0]!.text, /again/, 'who was mentioned for the first time gets a mail');
    t.same(news(member), [], 'who was mentioned before does not');

    await edit(edited, '@**all** of you');
    await member.api.ok('POST /messages/flags', { messages: [edited], op: 'add', flag: 'read' });
    await clock.advanceAsync(PERIOD_MS);
    t.match((await expectMail(owner))[0]!.text, /of you/, 'a mention of all counts, too');
    t.same(news(member), [], 'who has read the message gets none');
  });

  await t.test('mails of one conversation are in one thread', async (t) => {
    await tell(other, [member], 'again');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(member);
    const [first, ...others] = mailsTo(server, member.email).filter(({ headers }) =>
      headers.get('subject')?.startsWith('Direct'),
    );
    t.ok(others.length > 0);
    for (const { headers } of others) {
      t.equal(headers.get('in-reply-to'), first!.headers.get('in-reply-to'));
      t.not(headers.get('message-id'), first!.headers.get('message-id'));
    }
  });

  await t.test(
    'what came before the last activity is not mailed; what came after it waits until the user is away',
    async (t) => {
      await tell(other, [member], 'before');
      await clock.advanceAsync(30_000);
      await member.api.ok('POST /users/me/presence', { status: 'active' });
      await tell(other, [owner], 'mark');
      await clock.advanceAsync(PERIOD_MS);
      await expectMail(owner);
      t.same(news(member), []);
      await member.api.ok('POST /users/me/presence', { status: 'active' });
      await clock.advanceAsync(5_000);
      await tell(other, [member], 'after');
      await tell(other, [owner], 'mark');
      await clock.advanceAsync(PERIOD_MS);
      await expectMail(owner);
      t.same(news(member), [], 'the user is still seen as there');
      await clock.advanceAsync(AWAY_MS - PERIOD_MS);
      const [mail] = await expectMail(member);
      t.match(mail!.text, /after/);
      t.notMatch(mail!.text, /\bbefore\b.*:/);
    },
  );

  await t.test('streams with e-mail notifications are mailed, muted topics are not', async (t) => {
    const data = [{ stream_id: dock, property: 'email_notifications', value: true }];
    await member.api.ok('POST /users/me/subscriptions/properties', { subscription_data: data });
    await say(other, 'dock', 'fish', 'cod');
    await member.api.ok('POST /user_topics', { stream_id: dock, topic: 'crabs', visibility_policy: 1 });
    await say(other, 'dock', 'crabs', 'pinch');
    await clock.advanceAsync(PERIOD_MS);
    t.same(subjects(await expectMail(member)), ['#dock > fish']);
    await say(other, 'dock', 'Big Fish', 'tuna');
    await clock.advanceAsync(PERIOD_MS);
    t.same(subjects(await expectMail(member)), ['#dock > Big Fish'], 'a topic with capital letters');
  });

  await t.test('followed topics are mailed, though their stream is not, unless the user turns that off', async (t) => {
    const setMailsOfMember = (value: boolean) =>
      member.api.ok('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: dock, property: 'email_notifications', value }],
      });
    await setMailsOfMember(false);
    await owner.api.ok('POST /user_topics', { stream_id: dock, topic: 'tides', visibility_policy: 3 });
    await owner.api.ok('POST /user_topics', { stream_id: dock, topic: 'rocks', visibility_policy: 2 });
    const data = [{ stream_id: dock, property: 'is_muted', value: true }];
    await owner.api.ok('POST /users/me/subscriptions/properties', { subscription_data: data });
    await say(other, 'dock', 'Tides', 'ebb');
    await say(other, 'dock', 'rocks', 'sharp');
    await clock.advanceAsync(PERIOD_MS);
    const [mail, ...more] = await expectMail(owner);
    t.same([mail!.headers.get('subject'), more.length], ['#dock > Tides', 0]);
    t.match(mail!.text, /You get this mail because you follow the topic\./);
    const set = (value: boolean) =>
      atLevel(owner).api.ok('PATCH /settings', { enable_followed_topic_email_notifications: value });
    await set(false);
    await say(other, 'dock', 'tides', 'flood');
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    t.same(subjects(await expectMail(owner)), [`Direct messages with ${other.name}`]);
    await set(true);
    await owner.api.ok('POST /user_topics', { stream_id: dock, topic: 'TIDES', visibility_policy: 2 });
    await say(other, 'dock', 'tides', 'ebb again');
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    t.same(subjects(await expectMail(owner)), [`Direct messages with ${other.name}`], 'no longer followed');
    await owner.api.ok('POST /user_topics', { stream_id: dock, topic: 'tides', visibility_policy: 3 });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await say(other, 'dock', 'tides', 'the last');
    await clock.advanceAsync(PERIOD_MS);
    const [last] = await expectMail(owner);
    const path = unsubscribePathOf(last!);
    t.equal((await org.nobody.raw({ method: 'POST', path, headers: form, body: '' })).status, 200);
    const { user_settings } = await atLevel(owner).api.ok('POST /register', { fetch_event_types: ['user_settings'] });
    t.match(
      user_settings,
      { enable_followed_topic_email_notifications: false },
      'the link of the mail ends these mails',
    );
    await owner.api.ok('PATCH /settings', { enable_offline_email_notifications: true });
    await owner.api.ok('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: dock, property: 'is_muted', value: false }],
    });
    await setMailsOfMember(true);
  });

  await t.test('a mention is mailed, whatever its topic had before that is not mailed', async (t) => {
    for (const person of [owner, other]) await subscribe(person, 'cove');
    const cove = await streamIdOf(owner, 'cove');
    const set = (property: string, value: boolean) =>
      owner.api.ok('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: cove, property, value }],
      });
    const expectMentionAfter = async (topic: string, content: string): Promise<void> => {
      await say(other, 'cove', topic, content);
      await clock.advanceAsync(10_000);
      await say(other, 'cove', topic, `@**${owner.name}** ahoy`);
      await clock.advanceAsync(PERIOD_MS);
      t.match((await expectMail(owner))[0]!.text, /ahoy/, topic);
    };
    await set('push_notifications', true);
    await expectMentionAfter('with pushes', 'hello');
    await set('push_notifications', false);
    await set('wildcard_mentions_notify', false);
    await expectMentionAfter('without mentions of everybody', '@**all** hello');
    await set('wildcard_mentions_notify', true);
    await set('is_muted', true);
    await expectMentionAfter('of a muted stream', '@**all** hello');
    await owner.api.ok('POST /users/me/alert_words', { alert_words: ['kraken'] });
    await expectMentionAfter('with an alert word', 'a kraken');
    await owner.api.ok('DELETE /users/me/alert_words', { alert_words: ['kraken'] });
    await set('is_muted', false);
  });

  await t.test('a message is in one mail, wherever it was moved in the meantime', async (t) => {
    const mention = (topic: string, text: string) => say(other, 'cove', topic, `@**${owner.name}** ${text}`);
    const move = (message_id: number, topic: string, propagate_mode: string) =>
      other.api.ok('PATCH /messages/{message_id}', { message_id, topic, propagate_mode });
    /** Subjects of the mails of two batching periods, each with the words in its text. */
    const expectMails = async (count: number) => {
      await clock.advanceAsync(PERIOD_MS);
      await clock.advanceAsync(PERIOD_MS);
      const mails = await expectMail(owner, count);
      await tell(other, [member], 'mark');
      await clock.advanceAsync(PERIOD_MS);
      await expectMail(member);
      t.same(news(owner), [], 'no further mail');
      return mails
        .map(({ headers, text }) => [
          headers.get('subject'),
          text
            .split('-- ')[0]!
            .match(/one|two|three/g)
            ?.join(),
        ])
        .sort();
    };
    news(owner);
    const question = await mention('question', 'one');
    await clock.advanceAsync(30_000);
    await move(question, '✔ question', 'change_all');
    await mention('✔ question', 'two');
    t.same(await expectMails(1), [['#cove > ✔ question', 'one,two']], 'its topic was resolved');

    await mention('target', 'two');
    await clock.advanceAsync(20_000);
    const merged = await mention('source', 'one');
    await move(merged, 'target', 'change_all');
    t.same(
      (await expectMails(2)).map(([subject]) => subject),
      ['#cove > target', '#cove > target'],
      'its topic was merged into one whose mail is due before',
    );

    const first = await mention('split', 'one');
    const second = await mention('split', 'two');
    await owner.api.ok('POST /users/me/alert_words', { alert_words: ['three'] });
    const third = await say(other, 'cove', 'split', 'three');
    await owner.api.ok('DELETE /users/me/alert_words', { alert_words: ['three'] });
    await move(second, 'second', 'change_one');
    await move(third, 'third', 'change_one');
    await owner.api.ok('POST /messages/flags', { messages: [first], op: 'add', flag: 'read' });
    t.same(
      await expectMails(2),
      [
        ['#cove > second', 'two'],
        ['#cove > third', 'three'],
      ],
      'it was not the first of its topic',
    );

    await mention('edits', 'one');
    const edited = await say(other, 'cove', 'edits', 'nothing yet');
    await move(edited, 'others', 'change_one');
    await mention('others', 'two');
    await other.api.ok('PATCH /messages/{message_id}', {
      message_id: edited,
      content: `for @**${owner.name}** three`,
    });
    t.same(
      await expectMails(2),
      [
        ['#cove > edits', 'one'],
        ['#cove > others', 'three,two'],
      ],
      'an edit mentions the user after the move',
    );
  });

  await t.test('a message that notifies as one of the whole stream is mailed after its topic was split', async (t) => {
    const stream_id = await streamIdOf(owner, 'cove');
    const set = (value: boolean) =>
      owner.api.ok('POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id, property: 'email_notifications', value }],
      });
    await set(true);
    news(owner);
    const first = await say(other, 'cove', 'parted', 'one');
    const second = await say(other, 'cove', 'parted', 'two');
    await other.api.ok('PATCH /messages/{message_id}', {
      message_id: second,
      topic: 'departed',
      propagate_mode: 'change_later',
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    });
    await owner.api.ok('POST /messages/flags', { messages: [first], op: 'add', flag: 'read' });
    await clock.advanceAsync(PERIOD_MS);
    await clock.advanceAsync(PERIOD_MS);
    const [mail] = await expectMail(owner);
    t.equal(mail!.headers.get('subject'), '#cove > departed');
    t.match(mail!.text, /two/);
    await set(false);
  });

  await t.test('a mention that an edit adds after a move is mailed to who has left the stream before', async (t) => {
    for (const person of [owner, other]) await subscribe(person, 'attic');
    const message_id = await say(other, 'attic', 'boxes', 'nothing yet');
    const stream_id = await streamIdOf(owner, 'cove');
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, stream_id, propagate_mode: 'change_one' });
    await owner.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['attic'] });
    await other.api.ok('PATCH /messages/{message_id}', { message_id, content: `for @**${owner.name}**` });
    await clock.advanceAsync(PERIOD_MS);
    t.same(subjects(await expectMail(owner)), ['#cove > boxes']);
  });

  await t.test('a link of the mail ends the mails with one click', async (t) => {
    await say(other, 'dock', 'fish', 'herring');
    await clock.advanceAsync(PERIOD_MS);
    const [mail] = await expectMail(member);
    const path = unsubscribePathOf(mail!);
    t.match(mail!.text, path, 'the text has the same link');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const open = (method: string, at: string, body?: string) =>
      org.nobody.raw({ method, path: at, headers: form, ...(body === undefined ? {} : { body }) });
    const settings = async () =>
      (
        await member.api.ok<{ user_settings: Record<string, unknown> }>('POST /register', {
          fetch_event_types: ['user_settings'],
        })
      ).user_settings;
    const page = await open('GET', path);
    t.equal(page.status, 200);
    t.equal((await settings()).enable_offline_email_notifications, true, 'opening the page changes nothing');
    t.equal((await open('POST', `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`, '')).status, 404, 'forged');
    t.equal((await open('POST', path, 'List-Unsubscribe=One-Click')).status, 200);
    t.equal((await settings()).enable_offline_email_notifications, false);
    await say(other, 'dock', 'fish', 'salmon');
    await tell(other, [member], 'quiet');
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    await clock.advanceAsync(PERIOD_MS);
    t.same(news(member), []);
    await member.api.ok('PATCH /settings', { enable_offline_email_notifications: true });
  });

  await t.test('the greeting of the Welcome Bot is not mailed as a missed message', async (t) => {
    const email = `greeted@${org.subdomain}.example.net`;
    await owner.api.ok('POST /users', { email, full_name: 'Greeted One', password: PASSWORD });
    await clock.advanceAsync(PERIOD_MS);
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    t.same(subjects(mailsTo(server, email)), [`Welcome to The ${org.subdomain}`]);
  });

  /** Subscribes to streams with mails about all messages, and returns the mail about a message in the last stream. */
  const getMailAboutLastOf = async (streams: readonly string[]): Promise<SentMail> => {
    for (const name of streams) {
      for (const person of [member, other]) await subscribe(person, name);
      const data = [{ stream_id: await streamIdOf(member, name), property: 'email_notifications', value: true }];
      await member.api.ok('POST /users/me/subscriptions/properties', { subscription_data: data });
    }
    await say(other, streams.at(-1)!, 'wind', 'strong');
    await clock.advanceAsync(PERIOD_MS);
    return (await expectMail(member))[0]!;
  };
  const unsubscribeWithOneClick = async (mail: SentMail): Promise<number> => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const click = { method: 'POST', path: unsubscribePathOf(mail), headers, body: 'List-Unsubscribe=One-Click' };
    return (await org.nobody.raw(click)).status;
  };

  await t.test('the link of a mail about one stream ends the mails about all streams', async (t) => {
    const notified = ['north', 'south'];
    t.equal(await unsubscribeWithOneClick(await getMailAboutLastOf(notified)), 200);
    for (const name of notified) await say(other, name, 'wind', 'stronger');
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    await clock.advanceAsync(PERIOD_MS);
    t.same(subjects(news(member)), []);
    await member.api.ok('PATCH /settings', { enable_offline_email_notifications: true });
  });

  await t.test('the link ends the mails about all streams, even if the user is leaving one of them', async (t) => {
    const mail = await getMailAboutLastOf(['east', 'west']);
    beforeSubscriptionSettings = () => member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['east'] });
    t.equal(await unsubscribeWithOneClick(mail), 200);
    t.equal(beforeSubscriptionSettings, undefined, 'the stream was left');
    await say(other, 'west', 'wind', 'stronger');
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    await clock.advanceAsync(PERIOD_MS);
    t.same(subjects(news(member)), []);
    await member.api.ok('PATCH /settings', { enable_offline_email_notifications: true });
  });

  await t.test('settings of the user and of the organization leave content and names out', async (t) => {
    const one = async (): Promise<SentMail> => {
      await tell(other, [member], 'confidential');
      await clock.advanceAsync(PERIOD_MS);
      return (await expectMail(member))[0]!;
    };
    const title = `The ${org.subdomain}`;
    await member.api.ok('PATCH /settings', { realm_name_in_email_notifications_policy: 2 });
    t.equal((await one()).headers.get('subject'), `Direct messages with ${other.name} [${title}]`);
    await member.api.ok('PATCH /settings', { realm_name_in_email_notifications_policy: 3 });
    t.equal((await one()).headers.get('subject'), `Direct messages with ${other.name}`);
    await member.api.ok('PATCH /settings', { message_content_in_email_notifications: false });
    const withheld = async (reason: RegExp): Promise<void> => {
      const mail = await one();
      t.equal(mail.headers.get('subject'), 'New messages');
      t.match(mail.text, reason);
      for (const part of [mail.text, mail.html]) t.notMatch(part, new RegExp(`confidential|${other.name}`));
    };
    await withheld(/your settings/);
    await member.api.ok('PATCH /settings', { message_content_in_email_notifications: true });
    await owner.api.ok('PATCH /realm', { message_content_allowed_in_email_notifications: false });
    await withheld(/settings of the organization/);
    await owner.api.ok('PATCH /realm', { message_content_allowed_in_email_notifications: true });
  });

  await t.test('a message sent while the clock was ahead holds up no mails about later messages', async (t) => {
    const year = 365 * 86_400_000;
    clock.correctWallTime(year);
    await tell(owner, [member], 'sent in the future');
    clock.correctWallTime(-year);
    await tell(owner, [member], 'sent now');
    await clock.advanceAsync(PERIOD_MS);
    const [mail] = await expectMail(member);
    t.match(mail!.text, /sent in the future[\s\S]*sent now/);
  });

  await t.test('a mail that was planned while the clock was ahead is sent once it is right', async (t) => {
    const year = 365 * 86_400_000;
    clock.correctWallTime(year);
    await tell(owner, [member], 'planned in the future');
    await settle(50);
    clock.correctWallTime(-year);
    for (let period = 0; period < 3; period++) {
      await settle(50);
      await clock.advanceAsync(PERIOD_MS);
    }
    const [mail] = await expectMail(member);
    t.match(mail!.text, /planned in the future/);
  });

  await t.test('the batching period is the one of the user', async (t) => {
    await member.api.ok('PATCH /settings', { email_notifications_batching_period_seconds: 5 });
    await tell(other, [member], 'quick');
    await clock.advanceAsync(6_000);
    await expectMail(member);
    await member.api.ok('PATCH /settings', { email_notifications_batching_period_seconds: 3_600 });
    await tell(other, [member], 'slow');
    await clock.advanceAsync(1_800_000);
    await tell(other, [member], 'slower');
    t.same(news(member), []);
    await clock.advanceAsync(1_801_000);
    const [mail] = await expectMail(member);
    t.match(mail!.text, /slow[\s\S]*slower/);
    await say(other, 'dock', 'period', `@**${member.name}** hastened`);
    await member.api.ok('PATCH /settings', { email_notifications_batching_period_seconds: 120 });
    await clock.advanceAsync(PERIOD_MS);
    t.match((await expectMail(member))[0]!.text, /hastened/, 'a shorter period counts for what waits');
    await say(other, 'dock', 'period', `@**${member.name}** next`);
    await clock.advanceAsync(PERIOD_MS);
    t.match((await expectMail(member))[0]!.text, /next/, 'and for later messages of the conversation');
  });

  await t.test(
    'a log-in from a new device is mailed, from a known one not, and not if the user wants none',
    async (t) => {
      const logIn = (agent: string, by: Person = member) =>
        org.nobody.with({ 'user-agent': agent }).ok('POST /fetch_api_key', { username: by.email, password: PASSWORD });
      await logIn('ZulipMobile/27.0 (Android 13)');
      const [mail] = await expectMail(member);
      t.equal(mail!.headers.get('subject'), `New sign-in from ZulipMobile on Android [The ${org.subdomain}]`);
      t.match(mail!.text, member.email);
      t.match(mail!.headers.get('list-unsubscribe'), '/unsubscribe/');
      await logIn('ZulipMobile/27.1 (Android 13)');
      const { api } = await browserOf(org, member);
      t.equal((await api.call('GET /users/me')).status, 200);
      t.match((await expectMail(member))[0]!.headers.get('subject'), /^New sign-in from /);
      await other.api.ok('PATCH /settings', { enable_login_emails: false });
      await logIn('ZulipMobile/27.0 (Android 13)', other);
      await clock.advanceAsync(PERIOD_MS);
      t.same([news(member), news(other)], [[], []]);
      const young = await addPerson(org, 'young');
      await logIn('ZulipMobile/27.0 (Android 13)', young);
      await clock.advanceAsync(PERIOD_MS);
      t.same(news(young), [], 'not in the first minute of the account');
    },
  );

  await t.test('deleted messages, and streams that the user has left, are in no mail', async (t) => {
    const { admin } = org;
    const gone = await tell(other, [member], 'gone');
    await say(other, 'dock', 'left', `@**${member.name}** hello`);
    await owner.api.ok('PATCH /realm', { delete_own_message_policy: 5 });
    await other.api.ok('DELETE /messages/{message_id}', { message_id: gone });
    await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['dock'] });
    await tell(admin, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    await clock.advanceAsync(PERIOD_MS);
    t.same(news(member), []);
  });

  await t.test('members of a deactivated organization get no mails', async (t) => {
    const gone = await makeOrganization(server, ['member']);
    await tell(gone.owner, [gone.member], 'farewell');
    await setRealmActive(server.actors, gone.realm, false);
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    t.same(mailsTo(server, gone.member.email), []);
    await setRealmActive(server.actors, gone.realm, true);
    await tell(other, [owner], 'mark');
    await clock.advanceAsync(PERIOD_MS);
    await expectMail(owner);
    t.same(mailsTo(server, gone.member.email), [], 'nor when it is active again');
  });
}
