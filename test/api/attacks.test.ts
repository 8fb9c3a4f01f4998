/** Attacks that need a server of their own: data left on its disk, and requests under a forged Host. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ProcessPorts } from '#app/server';
import type { OutgoingMail } from '#domain/mail';
import { until } from '../support/until.js';
import { basic, Client } from './support/client.js';
import { complaints, type EmbeddedOptions, startEmbedded, type TestServer } from './support/faces.js';
import { closeIdle, type RawAnswer } from './support/http.js';
import { mailed } from './support/mails.js';
import { makeBot, makeOrganization, say, subscribe } from './support/organization.js';

t.setTimeout(120_000);

const EVIL = 'evil.example';
const NEW_PASSWORD = 'brisk-otter-lantern-52';

async function attack(title: string, options: EmbeddedOptions, run: (t: Test, server: TestServer) => Promise<void>) {
  const server = await startEmbedded(options);
  try {
    await t.test(title, (t) => run(t, server));
  } finally {
    closeIdle();
    await server.close();
  }
}

const post = (by: Client, path: string, fields: Record<string, string>): Promise<RawAnswer> =>
  by.raw({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

const urlIn = (text: string): URL => new URL(/^https?:.*$/m.exec(text)![0]);
const tokenIn = (text: string): string => urlIn(text).pathname.split('/').at(-1)!;

async function newestMail(server: TestServer, address: string): Promise<string> {
  return (await mailed(server, address)).at(-1)!.text;
}

/** The owner of the organization that the first start made. */
function first(server: TestServer): Client {
  const text = readFileSync(join(server.dataDir!, 'owner.zuliprc'), 'utf8');
  const [email, key] = ['email', 'key'].map((name) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)![1]!);
  return new Client(server, 'owner', { authorization: basic(email!, key!) });
}

/** All texts that a server called under a forged name gives to others. @param site beginning of its links */
const forged =
  (siteOf: (subdomain: string) => string) =>
  async (t: Test, server: TestServer): Promise<void> => {
    const org = await makeOrganization(server, ['member']);
    const site = siteOf(org.subdomain);
    const owner = org.owner.api.with({ host: EVIL });
    const member = org.member.api.with({ host: EVIL });
    const nobody = new Client(server, 'nobody', { host: EVIL });
    const address = (name: string): string => `${name}@${org.subdomain}.example.net`;
    await owner.ok('PATCH /realm', { invite_required: false, send_welcome_emails: true });

    await owner.ok('POST /invites', { invitee_emails: address('invited'), stream_ids: [] });
    const { invite_link } = await owner.ok<{ invite_link: string }>('POST /invites/multiuse', {});
    t.match(invite_link, site);
    const { invites } = await owner.ok<{ invites: { link_url?: string; id: number }[] }>('GET /invites');
    t.match(invites.find(({ link_url }) => link_url)?.link_url, site);
    const single = invites.find(({ link_url }) => !link_url)!;
    await owner.ok('POST /invites/{prereg_id}/resend', { prereg_id: single.id });
    // A name that is no organization's leads to the first.
    await first(server).ok('PATCH /realm', { invite_required: false });
    await post(nobody, '/signup', { email: address('asks') });
    await post(nobody, new URL(invite_link).pathname, { email: address('linked') });
    await member.ok('PATCH /settings', { email: address('moved') });
    const made = { email: address('made'), password: NEW_PASSWORD, full_name: 'Made Here' };
    await owner.ok('POST /users', made);
    for (const name of ['invited', 'asks', 'linked', 'moved', 'made']) {
      const text = await newestMail(server, address(name));
      t.ok(urlIn(text).href.startsWith(name === 'asks' ? siteOf('') : site), `${name}: ${text}`);
    }
    for (const [path, fields] of [
      [urlIn(await newestMail(server, address('invited'))).pathname, {}],
      [urlIn(await newestMail(server, address('asks'))).pathname, {}],
    ] as const) {
      const done = await post(nobody, path, { full_name: 'New Comer', password: NEW_PASSWORD, ...fields });
      t.equal(done.status, 200, done.text);
      t.ok(done.text.includes('Server address'));
      t.notOk(done.text.includes(EVIL));
    }
    const bot = await owner.ok<{ user_id: number }>('POST /bots', { full_name: 'A Bot', short_name: 'a' });
    await member.ok('PATCH /settings', { email_address_visibility: 4 });
    await subscribe(org.owner, ['one', 'two']);
    const message_id = await say(org.owner, 'one', 'topic', 'text');
    await owner.ok('PATCH /messages/{message_id}', {
      message_id,
      topic: 'elsewhere',
      send_notification_to_old_thread: true,
    });
    const honest = org.owner.api;
    const { members } = await honest.ok('GET /users');
    t.notOk(JSON.stringify(members).includes(EVIL), 'nor is anybody named after it');
    t.ok(JSON.stringify(members).includes(`"user_id":${bot.user_id}`));
    const { messages } = await honest.ok('GET /messages', {
      anchor: 'newest',
      num_before: 100,
      num_after: 0,
      apply_markdown: false,
    });
    t.notOk(JSON.stringify(messages).includes(EVIL), 'nor do notices lead there');
    for (const mail of server.mails()) t.notOk(mail.includes(EVIL));
  };

await attack(
  'a forged Host, where none is configured',
  {},
  forged(() => 'http://'),
);
await attack(
  'a forged Host, where an external host is configured',
  { externalHost: 'chat.example.org' },
  forged((subdomain) => `http://${subdomain === '' ? '' : `${subdomain}.`}chat.example.org`),
);

/** Bytes of everything below, but for mails that went out and the file that is made to have a key in it. */
function onDisk(dir: string): Buffer[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (name === 'mail' || name.endsWith('.zuliprc') || name === 'secret') return [];
    const stat = statSync(path);
    if (stat.isDirectory()) return onDisk(path);
    return stat.isFile() ? [readFileSync(path)] : [];
  });
}

/** Mails that wait to be sent. None is sent here: waiting mails are what the Store keeps longest. */
const waiting: OutgoingMail[] = [];

const withoutMailServer = (ports: ProcessPorts): ProcessPorts => ({
  ...ports,
  actors: ports.actors && {
    ...ports.actors,
    mailer: {
      async send(mail) {
        waiting.push(mail);
        throw new Error('not now');
      },
      close: async () => {},
    },
  },
});

async function lastLetter(address: string): Promise<string> {
  await until(`a mail to ${address}`, () => waiting.some(({ to }) => to === address));
  return waiting.findLast(({ to }) => to === address)!.text;
}

await attack(
  'what lies on the disk opens nothing, nor does the log',
  { adjust: withoutMailServer },
  async (t, server) => {
    const org = await makeOrganization(server);
    const { owner, member, nobody } = { ...org, nobody: org.nobody };
    const address = (name: string): string => `${name}@${org.subdomain}.example.net`;
    const secrets: Record<string, string> = { 'key of the owner': owner.key, 'key of a member': member.key };
    await subscribe(owner, 'a stream that is found');
    await owner.api.ok('PATCH /realm', { invite_required: false });

    const hook = { bot_type: 3, payload_url: JSON.stringify('http://127.0.0.1:1/') };
    const bot = await makeBot(member, hook);
    secrets['key of a bot'] = bot.key;
    const again = await member.api.ok<{ api_key: string }>('POST /bots/{bot_id}/api_key/regenerate', {
      bot_id: bot.id,
    });
    secrets['new key of a bot'] = again.api_key;
    const { realm_bots } = await member.api.ok('POST /register', { fetch_event_types: ['realm_bot'] });
    secrets['token of a webhook'] = /"token":"(\w{32})"/.exec(JSON.stringify(realm_bots))![1]!;
    const { api_key } = await org.other.api.ok<{ api_key: string }>('POST /users/me/api_key/regenerate');
    secrets['new key of a member'] = api_key;

    const { invite_link } = await owner.api.ok<{ invite_link: string }>('POST /invites/multiuse', {});
    secrets['token of a link'] = tokenIn(invite_link);
    await owner.api.ok('POST /invites', { invitee_emails: address('invited'), stream_ids: [] });
    secrets['token of an invitation'] = tokenIn(await lastLetter(address('invited')));
    await post(nobody, new URL(invite_link).pathname, { email: address('linked') });
    secrets['token of a letter'] = tokenIn(await lastLetter(address('linked')));
    await member.api.ok('PATCH /settings', { email: address('moved') });
    secrets['token of a new address'] = tokenIn(await lastLetter(address('moved')));

    const path = urlIn(await lastLetter(address('linked'))).pathname;
    const passwords = ['brisk-otter-lantern-52', 'sunny-cactus-violin-77', 'quiet-badger-cinema-19'] as const;
    t.equal((await post(nobody, path, { full_name: 'By Link', password: passwords[0] })).status, 200);
    await owner.api.ok('POST /users', { email: address('made'), full_name: 'Made', password: passwords[1] });
    const known = { username: member.email, password: 'wrong-velvet-harbor-33' };
    await nobody.with({ host: `${org.subdomain}.localhost` }).call('POST /fetch_api_key', known);
    await nobody
      .with({ host: `${org.subdomain}.localhost` })
      .call('POST /fetch_api_key', { ...known, username: 'x@y.zz' });
    const change = { old_password: 'sadly-walrus-tempo-81', new_password: passwords[2] };
    await member.api.ok('PATCH /settings', change);
    for (const password of [...passwords, known.password, change.old_password])
      secrets[`password ${password}`] = password;

    await server.restart();
    const files = onDisk(server.dataDir!);
    const isThere = (text: string): boolean =>
      files.some((bytes) => bytes.includes(text) || bytes.includes(text, 0, 'utf16le'));
    t.ok(isThere('a stream that is found'), 'what is no secret is found this way');
    for (const [what, secret] of Object.entries(secrets)) {
      t.ok(secret.length >= 16, what);
      t.notOk(isThere(secret), what);
      t.notOk(
        complaints.some((line) => line.includes(secret)),
        `${what} in the log`,
      );
    }
  },
);
