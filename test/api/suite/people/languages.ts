/** Languages of mails, notices and pages without scripts: that of the account, the browser or the organization. */

import { Client } from '../../support/client.js';
import type { RawAnswer } from '../../support/http.js';
import { linkIn, mailed } from '../../support/mails.js';
import {
  makeOrganization,
  NOTIFICATION_BOT,
  type Person,
  streamIdOf,
  subscribe,
  userGroup,
} from '../../support/organization.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const PASSWORD = 'brisk-otter-lantern-52';

export const languages: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const { owner, member, subdomain } = org;
  const name = `The ${subdomain}`;
  const nobody = new Client(server, 'nobody', { host: `${subdomain}.localhost` });
  let made = 0;
  const address = (): string => `speaks${++made}@${subdomain}.example.net`;
  const open = (path: string, language?: string): Promise<RawAnswer> =>
    nobody.raw({ method: 'GET', path, headers: language === undefined ? {} : { 'accept-language': language } });
  const send = (path: string, fields: Record<string, string>, language = ''): Promise<RawAnswer> =>
    nobody.raw({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
      body: new URLSearchParams(fields).toString(),
    });
  const heading = ({ text }: RawAnswer): string => /<h1>(.*)<\/h1>/.exec(text)?.[1] ?? '';
  const resetPath = '/accounts/password/reset';
  /** Signs up with a browser of this language. @returns settings of the new account */
  const settingsAfterSignUp = async (email: string, browser: string): Promise<Fields> => {
    await send('/signup', { email }, browser);
    const confirmation = (await mailed(server, email))[0]!;
    const done = await send(linkIn(confirmation), { full_name: 'Neu Hier', password: PASSWORD }, browser);
    t.equal(done.status, 200);
    const { api_key } = await nobody.ok('POST /fetch_api_key', { username: email, password: PASSWORD });
    const authorization = `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`;
    const api = new Client(server, 'newcomer', { authorization });
    const { user_settings } = await api.ok<{ user_settings: Fields }>('POST /register', {
      fetch_event_types: ['user_settings'],
    });
    return user_settings;
  };

  await t.test('a page has the language of the browser, or else of the organization', async (t) => {
    t.equal(heading(await open(resetPath)), 'Forgot your password?');
    const german = await open(resetPath, 'fr-FR, de-AT;q=0.8, en;q=0.5');
    t.equal(heading(german), 'Passwort vergessen?');
    t.match(german.text, '<html lang="de">');
    const gone = await open('/join/x', 'de');
    t.equal(heading(gone), 'Diese Einladung gilt nicht mehr');
    t.match(gone.text, '<a href="/">Anmelden, wenn du ein Konto hast</a>');
    t.equal(heading(await open(resetPath, 'fr')), 'Forgot your password?');
    await owner.api.ok('PATCH /realm', { default_language: 'de' });
    for (const language of [undefined, '', '*', 'fr', 'de;q=x', ';;,']) {
      t.equal(heading(await open(resetPath, language)), 'Passwort vergessen?', String(language));
    }
    t.equal(heading(await open(resetPath, 'en-US')), 'Forgot your password?');
    await owner.api.ok('PATCH /realm', { default_language: 'en' });
  });

  await t.test('a refusal on a page is in the language of the page, with its values', async (t) => {
    t.match((await send(resetPath, { email: 'x' }, 'de')).text, 'Das ist keine gültige E-Mail-Adresse.');
    await owner.api.ok('PATCH /realm', { invite_required: false, emails_restricted_to_domains: true });
    await owner.api.ok('POST /realm/domains', { domain: 'elsewhere.example', allow_subdomains: false });
    const email = address();
    t.match(
      (await send('/signup', { email }, 'de')).text,
      `Die Adresse ${email} ist in dieser Organisation nicht erlaubt.`,
    );
    await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: false });
  });

  await t.test('a mail has the language of its account, in texts and dates', async (t) => {
    await send(resetPath, { email: member.email });
    await member.api.ok('PATCH /settings', { default_language: 'de' });
    await send(resetPath, { email: member.email });
    const [english, german] = await mailed(server, member.email, 2);
    t.equal(english!.headers.get('subject'), `A new password for ${name}`);
    t.equal(german!.headers.get('subject'), `Ein neues Passwort für ${name}`);
    t.match(german!.text, `Hallo ${member.name},`);
    t.equal(heading(await open(linkIn(german!), 'de')), 'Neues Passwort');
  });

  await t.test('an invitation has the language of the organization', async (t) => {
    const email = address();
    await owner.api.ok('PATCH /realm', { default_language: 'de' });
    await owner.api.ok('POST /invites', { invitee_emails: email, stream_ids: [] });
    const [mail] = await mailed(server, email);
    t.equal(mail!.headers.get('subject'), `${owner.name} lädt dich zu ${name} ein`);
  });

  await t.test('a new account has the language of its browser, or else of the organization', async (t) => {
    const german = address();
    t.match(await settingsAfterSignUp(german, ''), { default_language: 'de', twenty_four_hour_time: true });
    t.equal((await mailed(server, german, 2))[1]!.headers.get('subject'), `Willkommen bei ${name}`);
    t.match(await settingsAfterSignUp(address(), '*'), { default_language: 'de' });
    t.match(await settingsAfterSignUp(address(), 'xx, fr-CH;q=0.9, de;q=0.5'), { default_language: 'fr' });
    t.match(await settingsAfterSignUp(address(), 'ko'), { default_language: 'ko', twenty_four_hour_time: false });
    const english = address();
    t.match(await settingsAfterSignUp(english, 'en-GB,en;q=0.9'), { default_language: 'en-gb' });
    t.equal((await mailed(server, english, 2))[1]!.headers.get('subject'), `Welcome to ${name}`);
  });

  const newestText = async (by: Person, operator: string, operand: unknown): Promise<string> => {
    const { messages } = await by.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      narrow: [{ operator, operand }],
      apply_markdown: false,
    });
    return messages[0]!.content;
  };
  const mention = ({ name: fullName, id }: Person): string => `@_**${fullName}|${id}**`;

  await t.test('a notice in a stream has the language of the organization; its topic is English', async (t) => {
    await owner.api.ok('PATCH /realm', { default_language: 'de' });
    await subscribe(owner, 'Küche');
    const newest = () => newestText(owner, 'stream', 'Küche');
    t.equal(
      await newest(),
      `${mention(owner)} hat diesen Stream erstellt. Zugriff: **Öffentlich**. **Beschreibung:**\n\`\`\`\` quote\n*Keine Beschreibung.*\n\`\`\`\``,
    );
    const stream_id = await streamIdOf(owner, 'Küche');
    const change = (params: Fields) => owner.api.ok('PATCH /streams/{stream_id}', { stream_id, ...params });
    await change({ is_private: true });
    const rights = '[Zugriffsrechte](/help/stream-permissions)';
    const kinds = 'von **Öffentlich** in **Privat, geschützter Verlauf**';
    t.equal(await newest(), `${mention(owner)} hat die ${rights} dieses Streams ${kinds} geändert.`);
    await change({ message_retention_days: 1 });
    t.match(await newest(), '* **Bisherige Dauer**: Unbegrenzt\n* **Neue Dauer**: 1 Tag\n\n');
    await change({ stream_post_policy: 2 });
    t.match(await newest(), '* **Bisher**: Alle im Stream.\n* **Jetzt**: Nur die Administration der Organisation.');
    const { id } = await owner.api.ok<{ id: number }>('POST /messages', {
      type: 'stream',
      to: 'Küche',
      topic: 'Herd',
      content: 'Ist er aus?',
    });
    await owner.api.ok('PATCH /messages/{message_id}', {
      message_id: id,
      topic: '✔ Herd',
      propagate_mode: 'change_all',
    });
    t.equal(await newest(), `${mention(owner)} hat dieses Thema als gelöst markiert.`);
    t.equal(await newestText(owner, 'topic', 'stream events'), await newestText(owner, 'topic', 'Stream Events'));
  });

  await t.test('a direct notice has the language of its receiver', async (t) => {
    const notices = (by: Person) => newestText(by, 'dm', [NOTIFICATION_BOT]);
    await subscribe(owner, 'Flur');
    await subscribe(owner, 'Flur', { principals: [member] });
    t.equal(await notices(member), `@**${owner.name}|${owner.id}** hat den Stream #**Flur** für dich abonniert.`);
    await subscribe(member, 'Dach');
    await subscribe(member, 'Dach', { principals: [owner] });
    t.equal(await notices(owner), `@**${member.name}|${member.id}** subscribed you to the stream #**Dach**.`);
    const user_group_id = await userGroup(owner, 'crew');
    await owner.api.ok('POST /user_groups/{user_group_id}/members', { user_group_id, add: [member.id] });
    t.equal(await notices(member), `${mention(owner)} hat dich in die Gruppe @_*crew* aufgenommen.`);
  });
};
