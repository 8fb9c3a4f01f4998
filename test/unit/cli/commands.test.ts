/** Commands on organizations and accounts, on a data directory without a server. */
import '../../support/cheap-passwords.js';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { loadServerConfig } from '#app/config';
import { startServer } from '#app/server';
import type { Logger } from '#base';
import { REAL_CLOCK } from '#base/clock';
import { type CommandOutput, runAndCapture } from '../../support/command-output.js';
import { until } from '../../support/until.js';

const SILENT = pino({ level: 'silent' }) as unknown as Logger;
const OWNER = 'owner@example.com';
const ANN = ['--email', 'ann@example.com', '--full-name', 'Ann', '--password', 'quietly-otter-ladder-27'];

class DataDir {
  /** The path is short: the socket file of a server needs that. */
  readonly folder = mkdtempSync(join(tmpdir(), 'conclave-commands-'));

  constructor(t: Test) {
    t.teardown(() => rmSync(this.folder, { recursive: true }));
  }

  attempt(...words: readonly string[]): Promise<CommandOutput> {
    return runAndCapture([...words, '--data-dir', this.folder]);
  }

  async run(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(...words);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  /** Starts a server. @param outgoing on or off */
  startServer(outgoing: string) {
    const options = { 'data-dir': this.folder, port: '0', workers: '0', 'owner-email': OWNER, outgoing };
    return startServer(loadServerConfig(options, {}), REAL_CLOCK, SILENT);
  }

  createRealm(subdomain: string, ...more: readonly string[]): Promise<string> {
    const who = ['--name', 'Example', '--email', OWNER, '--full-name', 'Owner'];
    return this.run('realm', 'create', '--subdomain', subdomain, ...who, ...more);
  }
}

t.test('a command that several organizations could be meant by changes none of them', async (t) => {
  const data = new DataDir(t);
  await data.createRealm('');
  t.equal(await data.run('realm', 'deactivate'), 'organization (root): deactivated\n', 'there is only one');
  t.equal(await data.run('realm', 'reactivate'), 'organization (root): active\n');
  await data.createRealm('team');
  for (const words of [
    ['realm', 'deactivate'],
    ['user', 'deactivate', OWNER],
    ['user', 'role', OWNER, 'member'],
    ['user', 'create', ...ANN],
    ['user', 'key', '--email', OWNER],
  ]) {
    const { code, stderr } = await data.attempt(...words);
    t.equal(code, 1, words.join(' '));
    t.match(stderr, /the server has 2 organizations .* name one by --realm SUBDOMAIN/);
  }
  t.match(
    (await data.attempt('export', join(data.folder, 'x'), '--usual-priority')).stderr,
    /by --subdomain SUBDOMAIN/,
  );
  t.equal(await data.run('realm', 'list'), '1\t(root)\n2\tteam\n');
  t.equal(await data.run('realm', 'deactivate', '--realm', 'team'), 'organization team: deactivated\n');
  t.equal(await data.run('realm', 'list'), '1\t(root)\n2\tteam\tdeactivated\n');
  const link = ['user', 'sign-in-link', '--email', OWNER, '--realm'];
  t.match((await data.attempt(...link, 'team')).stderr, 'organization team is deactivated: nobody signs in');
  t.match(await data.run(...link, ''), '#sign-in/');
  t.match(await data.run('user', 'create', ...ANN, '--realm='), /^\d+\n$/);
  t.equal(
    await data.run('user', 'role', 'ann@example.com', 'moderator', '--realm='),
    'organization (root): ann@example.com is moderator\n',
  );
});

t.test('mails that wait are sent by the server, not by a command', async (t) => {
  const data = new DataDir(t);
  const mails = (): string[] => readdirSync(join(data.folder, 'mail'));
  const held = await data.startServer('off');
  const body = new URLSearchParams({ email: OWNER });
  t.equal((await fetch(`${held.site}/accounts/password/reset`, { method: 'POST', body })).status, 200);
  await held.stop();
  t.same(mails(), [], 'a server with --outgoing off sends none');
  await data.run('realm', 'list');
  t.match(await data.run('user', 'key', '--email', OWNER), /^\w{32}\n$/);
  t.same(mails(), []);
  const sending = await data.startServer('on');
  await until('the mail is sent', () => mails().length === 1);
  await sending.stop();
});

t.test('mails about messages and invitations that wait in a closed organization are never sent', async (t) => {
  const data = new DataDir(t);
  await data.createRealm('');
  const id = (await data.run('user', 'create', ...ANN)).trim();
  const keyOf = async (email: string): Promise<string> => (await data.run('user', 'key', '--email', email)).trim();
  const [ownerKey, annKey] = [await keyOf(OWNER), await keyOf('ann@example.com')];
  const held = await data.startServer('off');
  t.teardown(() => held.stop());
  const call = async (method: string, path: string, user: string, params: Readonly<Record<string, string>>) => {
    const headers = { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
    const response = await fetch(`${held.site}/api/v1${path}`, { method, headers, body: new URLSearchParams(params) });
    t.equal(response.status, 200, path);
  };
  const [owner, ann] = [`${OWNER}:${ownerKey}`, `ann@example.com:${annKey}`];
  await call('PATCH', '/settings', ann, { email_notifications_batching_period_seconds: '1' });
  await call('POST', '/messages', owner, { type: 'private', to: `[${id}]`, content: 'a secret' });
  await call('POST', '/invites', owner, { invitee_emails: 'new@example.com', stream_ids: '[]' });
  const body = new URLSearchParams({ email: OWNER });
  t.equal((await fetch(`${held.site}/accounts/password/reset`, { method: 'POST', body })).status, 200);
  await until('mails about a message, an invitation and a password wait', async () => {
    const metrics = await (await fetch(`${held.ops}/metrics`)).text();
    return metrics.includes('conclave_waiting_deliveries{kind="mail"} 3');
  });
  await held.stop();
  await data.run('realm', 'deactivate');
  const sending = await data.startServer('on');
  const folder = join(data.folder, 'mail');
  await until('the mail about the password is sent', () => readdirSync(folder).length > 0);
  await sending.stop();
  const mails = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  t.match(mails, [/^Subject: A new password /m]);
  t.equal(mails.length, 1);
});

t.test('the files with API keys name the address under which people reach the organization', async (t) => {
  const data = new DataDir(t);
  const file = join(data.folder, 'key.zuliprc');
  const readSite = (): string | undefined => /^site=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  const external = ['--external-host', 'chat.example.com', '--external-scheme', 'https', '--zuliprc', file];
  await data.createRealm('team', ...external);
  t.equal(readSite(), 'https://team.chat.example.com');
  await data.run('user', 'key', '--email', OWNER, '--port', '9999', '--zuliprc', file);
  t.equal(readSite(), 'http://team.localhost:9999');
  await data.createRealm('', ...external);
  t.equal(readSite(), 'https://chat.example.com');
  await data.run('user', 'new-key', '--email', OWNER, '--realm', 'team', ...external);
  t.equal(readSite(), 'https://team.chat.example.com');
  await data.run('user', 'key', '--email', OWNER, '--realm', 'team', ...external, '--site', 'http://127.0.0.1:1');
  t.equal(readSite(), 'http://127.0.0.1:1');
});

t.test('a refused organization is refused with the reason', async (t) => {
  const data = new DataDir(t);
  await data.createRealm('team');
  for (const [subdomain, name, says] of [
    ['new', '', 'the name of the organization must be a name of at most 40 characters'],
    ['new', 'x'.repeat(41), 'the name of the organization must be a name of at most 40 characters'],
    ['team', 'Team', "the subdomain 'team' has an organization already, or an import to it has not ended"],
  ] as const) {
    const who = ['--name', name, '--email', OWNER, '--full-name', 'Owner'];
    const refused = await data.attempt('realm', 'create', '--subdomain', subdomain, ...who);
    t.same(refused, { code: says.includes('already') ? 1 : 2, stdout: '', stderr: `conclave: ${says}\n` });
  }
  t.equal(await data.run('realm', 'list'), '1\tteam\n');
});

/** Runs `action` while the standard input is a terminal at which these lines are typed. */
async function typing<T>(lines: string, action: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', {
    value: Object.assign(Readable.from([lines]), { isTTY: true }),
    configurable: true,
  });
  try {
    return await action();
  } finally {
    Object.defineProperty(process, 'stdin', before);
  }
}

t.test('an organization is deleted once its subdomain was typed again, and its subdomain is free', async (t) => {
  const data = new DataDir(t);
  await data.createRealm('');
  await data.createRealm('team');
  await data.run('realm', 'deactivate', '--realm', 'team');
  const mistyped = await typing('(root)\n', () => data.attempt('realm', 'delete', 'team'));
  t.match(mistyped, { code: 1, stderr: /nothing was deleted: another name was typed/ });
  t.equal(await data.run('realm', 'list'), '1\t(root)\n2\tteam\tdeactivated\n');
  t.equal(
    await typing('team\n', () => data.run('realm', 'delete', 'team')),
    'organization team: 1 accounts, 2 streams, with all messages and files\norganization team: deleted\n',
  );
  await data.createRealm('team');
  t.equal(await data.run('realm', 'list'), '1\t(root)\n3\tteam\n');
  await data.run('realm', 'deactivate', '--realm=');
  t.match(await data.run('realm', 'delete', '', '--yes'), /^organization \(root\): deleted$/m);
  t.equal(await data.run('realm', 'list'), '3\tteam\n');
});

t.test('a command refuses options and words that it does not take', async (t) => {
  for (const [words, says] of [
    [
      ['realm', 'deactivate', '--subdomain', 'team'],
      '--subdomain has no meaning for realm deactivate, which takes --realm',
    ],
    [
      ['user', 'deactivate', '--email', OWNER, OWNER],
      '--email has no meaning for user deactivate, which takes --realm',
    ],
    [['serve', '--realm', 'team'], '--realm has no meaning for serve'],
    [['user', 'create', '--email', OWNER], '--full-name is required'],
    [['user', 'role', OWNER], 'usage: conclave user role EMAIL ROLE'],
    [['realm', 'list', 'all'], 'usage: conclave realm list'],
    [['nonsense', 'x'], "no such command: nonsense x. 'conclave --help' lists them."],
    [['secret'], 'usage: conclave secret COMMAND. Commands: changed'],
    [['cluster', 'x', 'y'], 'no such command: cluster x. Commands of cluster: status, drain, undrain'],
    [['store', 'format'], 'this command is for clusters: give --nats and --mongodb'],
  ] as const) {
    t.same(await runAndCapture(words), { code: 2, stdout: '', stderr: `conclave: ${says}\n` });
  }
});

t.test('a value that nothing allows is wrong usage, and makes no data directory', async (t) => {
  const data = new DataDir(t);
  await data.createRealm('');
  const missing = join(data.folder, 'missing');
  const create = ['realm', 'create', '--name', 'X', '--email', OWNER, '--full-name', 'Owner'];
  for (const [words, says] of [
    [[...create, '--type', 'club', '--data-dir', missing], /--type is one of .*business/],
    [[...create, '--subdomain', '-', '--data-dir', data.folder], /[Ss]ubdomain/],
    [[...create, '--email', 'x', '--data-dir', data.folder], /not an e-mail address: x/],
    [['user', 'role', OWNER, 'king', '--data-dir', data.folder], /king is no role: they are owner, /],
    [['user', 'billing', OWNER, 'yes', '--data-dir', data.folder], /on or off, not yes/],
    [['user', 'rate-limit', OWNER, 'many', '--data-dir', data.folder], /many/],
  ] as const) {
    const { code, stderr } = await runAndCapture(words);
    t.equal(code, 2, words.join(' '));
    t.match(stderr, says);
  }
  t.notOk(existsSync(missing));
  t.equal((await data.attempt('user', 'role', 'unknown@example.com', 'member')).code, 1, 'a failure, not wrong usage');
});

t.test('the version of the program is shown', async (t) => {
  t.match(await runAndCapture(['--version']), { code: 0, stdout: /^conclave \d+\.\d+\.\d+\n$/ });
});

t.test('the help shows commands with their options', async (t) => {
  const { stdout } = await runAndCapture(['--help']);
  const [, commands = ''] = /\nCommands:\n(.*?)\n\n/s.exec(stdout) ?? [];
  t.ok(commands.includes('realm deactivate            Close an organization to all its users. [--realm SUBDOMAIN]'));
  t.notOk(
    stdout
      .split('\n\nOptions')[0]
      ?.split('\n')
      .some((line) => line.length > 120),
  );
});

t.test('an export that is interrupted leaves nothing', async (t) => {
  const data = new DataDir(t);
  await data.createRealm('team');
  const target = t.testdir({ empty: {} });
  const others = new Set(process.listeners('SIGTERM'));
  for (const [name, watched] of [
    ['export.tar.gz', target],
    ['empty', join(target, 'empty')],
  ] as const) {
    // The first file of the export sends the signal.
    const watcher = watch(watched, () => {
      for (const listener of process.listeners('SIGTERM')) if (!others.has(listener)) listener('SIGTERM');
    });
    const { code, stderr } = await data.attempt('export', join(target, name), '--usual-priority');
    watcher.close();
    t.equal(stderr, 'conclave: the export was interrupted: nothing is left of it\n', name);
    t.equal(code, 1, name);
    t.strictSame(readdirSync(target, { recursive: true }), ['empty'], name);
  }
});

t.test('an export replaces no file and makes no folder but its own', async (t) => {
  const data = new DataDir(t);
  await data.createRealm('team');
  const target = t.testdir();
  const write = (name: string) => data.attempt('export', join(target, name), '--subdomain', 'team', '--usual-priority');
  for (const [name, reason] of [
    ['taken.tar.gz', /taken\.tar\.gz exists already: remove it first, or give another name\n/],
    ['taken', /taken exists already: remove it first, or give another name\n/],
    ['a.zip', /a\.zip: an export is written into a folder, or into an archive whose name ends in \.tar\.gz or \.tgz\n/],
    ['a.tar', /ends in \.tar\.gz/],
    ['a.gz', /ends in \.tar\.gz/],
    ['a.TAR.GZ', /ends in \.tar\.gz/],
    ['missing/a.tar.gz', /there is no folder \S+missing\n/],
    ['missing/a', /there is no folder \S+missing\n/],
    ['full', /full is not empty/],
  ] as const) {
    for (const taken of ['taken', 'taken.tar.gz']) writeFileSync(join(target, taken), 'precious');
    mkdirSync(join(target, 'full'), { recursive: true });
    writeFileSync(join(target, 'full', 'file'), 'precious');
    const { code, stderr } = await write(name);
    t.equal(code, 1, name);
    t.match(stderr, reason, name);
    t.strictSame(readdirSync(target, { recursive: true }).sort(), ['full', 'full/file', 'taken', 'taken.tar.gz']);
    for (const taken of ['taken', 'taken.tar.gz', 'full/file'])
      t.equal(readFileSync(join(target, taken), 'utf8'), 'precious', taken);
  }
  for (const name of ['new.tar.gz', 'new.tgz', 'new']) t.equal((await write(name)).code, 0, name);
  t.ok(existsSync(join(target, 'new', 'realm.json')));
});
