/** File modes: only the server's user can read its files, whatever the umask and the modes of existing files. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readZuliprc } from '../support/credentials.js';
import { runCommand } from './support/command-line.js';
import { Embedded, PASSWORD } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { bounded, conclave } from './support/process.js';
import { HANG_TIMEOUT_MS, until } from './support/wait.js';

/** Runs a command as a separate process, because the umask belongs to a process. */
async function command(args: readonly string[]): Promise<void> {
  const ended = await bounded(conclave(args), HANG_TIMEOUT_MS);
  if (ended.code !== 0) throw new Error(ended.stderr);
}

const entriesOf = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
];

/** Entries that group or others may access, and entries whose mode is not 0600 (files) or 0700 (folders). */
const openEntries = (folder: string): string[] =>
  entriesOf(folder).flatMap((path) => {
    const found = lstatSync(path);
    const mode = found.mode & 0o777;
    const wanted = found.isDirectory() || found.isSocket() ? 0o700 : 0o600;
    return (mode & 0o077) === 0 && (found.isSocket() || mode === wanted) ? [] : [`${path} ${mode.toString(8)}`];
  });

function place(test: Test): string {
  const made = temporary('modes');
  test.teardown(() => remove(made));
  return made;
}

async function upload(): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob(['kept for ourselves']), 'notes.txt');
  const { email, key } = face.owner;
  const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
  const { status } = await fetch(`${face.site}/api/v1/user_uploads`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  if (status !== 200) throw new Error(`upload: ${status}`);
}

// Child processes inherit the umask.
process.umask(0);
const face = await Embedded.startEmpty();
t.teardown(() => face.stop());

t.test('with umask 0, all files are 0600 and folders 0700: data, uploads, mails, keys, backups', async (test) => {
  await upload();
  await face.api().ok('POST', '/invites', { invitee_emails: 'new@example.com', invite_as: 400, stream_ids: [] });
  const mails = (): number => readdirSync(join(face.dataDir, 'mail')).length;
  await until('the mail folder has a mail', () => mails() > 0);
  const names = readdirSync(face.dataDir);
  for (const name of ['data.mdb', 'lock.mdb', 'owner.zuliprc', 'blobs', 'mail', 'secret']) {
    test.ok(names.includes(name), `${name} exists`);
  }
  test.strictSame(openEntries(face.dataDir), [], 'a running server has no open entry');

  const folder = place(test);
  const [byServer, byCommand, restored] = [join(folder, 'server'), join(folder, 'command'), join(folder, 'restored')];
  mkdirSync(byCommand, { mode: 0o777 });
  await command(['backup', byServer, '--data-dir', face.dataDir]);
  await face.server.stop();
  await command(['backup', byCommand, '--data-dir', face.dataDir]);
  await command(['restore', byServer, '--data-dir', restored]);
  for (const made of [byServer, byCommand, restored]) {
    test.ok(entriesOf(made).length > 6, 'the copy is complete');
    test.strictSame(openEntries(made), []);
  }
});

t.test('a start closes files that others can read, but not a folder that also has other files', async (test) => {
  for (const path of entriesOf(face.dataDir)) chmodSync(path, lstatSync(path).isDirectory() ? 0o777 : 0o666);
  await face.up();
  test.strictSame(openEntries(face.dataDir), []);
  await face.server.stop();

  const theirs = join(face.dataDir, 'theirs.txt');
  writeFileSync(theirs, '');
  chmodSync(theirs, 0o644);
  chmodSync(face.dataDir, 0o755);
  chmodSync(join(face.dataDir, 'data.mdb'), 0o644);
  await face.up();
  test.strictSame(
    openEntries(face.dataDir),
    [`${face.dataDir} 755`, `${theirs} 644`],
    "only the server's own files are closed",
  );
});

t.test('credentials written over a file that others can read become private', async (test) => {
  const zuliprc = join(place(test), 'zuliprc');
  writeFileSync(zuliprc, 'of before', { mode: 0o644 });
  const account = ['--email', face.other.email, '--zuliprc', zuliprc, '--site', face.site];
  await command(['user', 'key', ...account, '--data-dir', face.dataDir]);
  test.equal(lstatSync(zuliprc).mode & 0o777, 0o600);
  test.strictSame(readZuliprc(zuliprc), { ...face.other, site: face.site });

  const ann = ['--email', 'ann@example.com', '--data-dir', face.dataDir];
  await command(['user', 'create', ...ann, '--full-name', 'Ann', '--password', PASSWORD]);
  const fresh = join(place(test), 'zuliprc');
  await command(['user', 'key', ...ann, '--zuliprc', fresh, '--site', face.site]);
  test.equal(lstatSync(fresh).mode & 0o777, 0o600);
  test.equal((await face.api(readZuliprc(fresh)).call('GET', '/users/me')).status, 200, 'the written credentials work');

  const nowhere = ['--zuliprc', join(place(test), 'missing', 'zuliprc')];
  const failed = await runCommand(['user', 'new-key', ...ann, ...nowhere]);
  test.equal(failed.code, 1);
  test.match(failed.stderr, /nothing was changed: .* can't be written/);
  test.equal((await face.api(readZuliprc(fresh)).call('GET', '/users/me')).status, 200, 'the former key is valid');
});

t.test('a command with a mistyped data directory makes none', async (test) => {
  const dataDir = join(place(test), 'typo');
  for (const words of [
    ['user', 'rate-limit', 'a@example.com', 'usual'],
    ['export', join(place(test), 'out')],
  ]) {
    const failed = await runCommand([...words, '--data-dir', dataDir]);
    test.equal(failed.code, 1);
    test.match(failed.stderr, /typo has no data of a server/);
    test.notOk(existsSync(dataDir));
  }
});
