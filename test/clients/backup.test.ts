/**
 * Embedded face: a backup taken while users write is complete, and a server restored from it ends old event queues and
 * reuses no message id.
 */
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { rounds } from '../support/rounds.js';
import type { Api, QueueEvent } from './support/api.js';
import { Follower, findEventFaults, findHistoryFaults, Sender, stopTraffic } from './support/chatter.js';
import { runCommand } from './support/command-line.js';
import { command, Embedded } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { bounded, conclave, type Ended, run } from './support/process.js';
import { HANG_TIMEOUT_MS, until } from './support/wait.js';

const STREAM = 'general';

/** Acknowledged sends before the backup; half as many follow after it. */
const SENDS = rounds(80, 200);

/** Runs a command to its end. `serve` runs as a separate process, because it is expected to fail. */
const runToExit = (...args: string[]): Promise<Ended> =>
  args[0] === 'serve' ? bounded(conclave(args), HANG_TIMEOUT_MS) : runCommand(args);

const face = await Embedded.start();
t.teardown(() => face.stop());

function folder(test: Test): string {
  const made = temporary('backup');
  test.teardown(() => remove(made));
  return made;
}

/** @returns path of the uploaded file below the site */
async function upload(api: Api, text: string): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([text]), 'notes.txt');
  const { email, key } = api.account;
  const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
  const answer = await fetch(`${api.site}/api/v1/user_uploads`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  return ((await answer.json()) as { uri: string }).uri;
}

async function download(api: Api, uri: string): Promise<string> {
  const { url } = (await api.ok('GET', uri)) as { url: string };
  return (await fetch(`${api.site}${url}`)).text();
}

t.test('a backup taken under load contains everything acknowledged before it', async (test) => {
  const api = face.api();
  await api.subscribe(STREAM);
  const uri = await upload(api, 'what was said on Tuesday');
  await api.send(STREAM, `see [notes](${uri})`);
  const follower = await Follower.start([api]);
  const sender = new Sender([api], STREAM, 'm', HANG_TIMEOUT_MS, rounds(4, 8));
  test.teardown(() => stopTraffic(sender, follower));
  await until(`${SENDS} sends`, () => sender.acknowledged.size >= SENDS);

  const before = new Map(sender.acknowledged);
  const backup = join(folder(test), 'monday');
  test.match(await command(['backup', backup, '--data-dir', face.dataDir]), /monday: \d+ files, \d+ bytes/);
  await until('sends after the backup are acknowledged', () => sender.acknowledged.size >= before.size + SENDS / 2);
  const late = await upload(api, 'came too late');
  await sender.stop();
  await follower.has(sender.acknowledged.keys());
  follower.stop();
  test.strictSame([sender.failed, findEventFaults(follower)], [[], []], 'no send or poll fails during the backup');
  test.equal(
    (await run('sh', ['-c', 'cd "$0" && sha256sum -c --quiet SHA256SUMS', backup], HANG_TIMEOUT_MS)).code,
    0,
    'the checksums of the backup match',
  );

  const restored = join(folder(test), 'data');
  test.match(await command(['restore', backup, '--data-dir', restored]), /data: as of 20\d\d-/);
  const again = await Embedded.startOn(restored, face.owner, face.other);
  test.teardown(() => again.stop());
  const old = again.api();
  const history = await old.history(STREAM, 5_000);
  test.strictSame(
    findHistoryFaults(history, { acknowledged: before } as Sender),
    [],
    'the restored history has every message acknowledged before the backup once',
  );
  const written = new Set(sender.acknowledged.values());
  const unknown = history.slice(1).filter(({ id }) => !written.has(id));
  test.strictSame(unknown, [], 'the restored history has no message that was not sent');
  test.equal(await download(old, uri), 'what was said on Tuesday');
  const { status } = await fetch(`${again.site}${late}?api_key=${face.owner.key}`);
  test.equal(status, 404, 'a file uploaded after the backup is absent');

  const refused = await old.call('GET', '/events', { queue_id: follower.queue, last_event_id: follower.last });
  test.match(
    refused,
    { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } },
    'event queues from before the backup have ended',
  );
  const queue = await old.register();
  const id = await old.send(STREAM, 'a new beginning');
  test.ok(id > Math.max(...sender.acknowledged.values()), 'message ids that clients have seen are not reused');
  const events: QueueEvent[] = await old.events(queue.queue_id, queue.last_event_id);
  test.strictSame(
    events.map(({ message }) => message?.id),
    [id],
  );
  test.ok(await face.api().send(STREAM, 'still here'), 'the first server still works');
});

t.test('a failed backup or restore prints one line and changes nothing', async (test) => {
  const place = folder(test);
  const good = join(place, 'good');
  await command(['backup', good, '--data-dir', face.dataDir]);
  const refused = async (args: string[], says: RegExp, code = 1): Promise<void> => {
    const ended = await runToExit(...args);
    test.equal(ended.code, code, args.join(' '));
    test.match(ended.stderr, says);
    test.equal(ended.stderr.trim().split('\n').length, 1, ended.stderr);
  };

  await refused(['backup', good, '--data-dir', face.dataDir], /good is not empty/);
  await refused(['backup', join(place, 'x'), '--data-dir', join(place, 'nothing')], /has no data of a server/);
  await refused(['backup', '/proc/conclave', '--data-dir', face.dataDir], /can't be written to \/proc\/conclave/);
  await refused(['restore', good, '--data-dir', '/proc/conclave'], /can't be restored to/);
  test.notOk(existsSync(join(place, 'nothing')), 'the missing data directory is not created');
  await refused(['backup', '--data-dir', face.dataDir], /usage: conclave backup DIR/, 2);
  await refused(['restore', good, '--data-dir', face.dataDir], /is not empty/);
  const other = await runToExit(
    'restore',
    good,
    '--data-dir',
    join(place, 'other'),
    '--secret',
    'quite another secret',
  );
  test.equal(other.code, 2);
  test.match(other.stderr, /written under another server secret/, 'a restore tells that the secret is another one');
  truncateSync(join(good, 'data.mdb'), 4_096);
  await refused(['restore', good, '--data-dir', join(place, 'new')], /damaged: data\.mdb differs from what/);
  test.notOk(existsSync(join(place, 'new')), 'the failed restore leaves no directory');

  writeFileSync(join(place, 'restore-unfinished'), 'from there\n');
  const half = folder(test);
  for (const name of ['restore-unfinished', 'data.mdb']) writeFileSync(join(half, name), 'from there\n');
  for (const words of [
    ['serve', '--port', '0'],
    ['restore', good],
    ['secret', 'changed'],
  ])
    await refused([...words, '--data-dir', half], /restoring .* from there did not end/);
  await refused(['serve', '--data-dir', place, '--port', '0'], /restoring .* from there did not end/);
  test.ok(await face.api().register(), 'the running server still works');
});

t.test('the server refuses to start on data of a newer version', async (test) => {
  const { openLmdbEnvironment } = await import('../../src/ports/store/index.js');
  const place = folder(test);
  await (await openLmdbEnvironment(place, 7)).close();
  writeFileSync(join(place, 'secret'), `${'0123456789abcdef'.repeat(3)}\n`);
  const ended = await runToExit('serve', '--data-dir', place, '--port', '0');
  test.equal(ended.code, 1);
  test.match(ended.stderr, /^conclave: data directory .* is in format 7, this program knows up to \d+: use the newer/);
});

// Last test of the file, because it stops the server.
t.test(
  'without a running server the data directory is copied, and a restored directory can be backed up',
  async (test) => {
    await face.api().subscribe('kept');
    const id = await face.api().send('kept', 'kept');
    await face.server.stop();
    const place = folder(test);
    await command(['backup', join(place, 'a'), '--data-dir', face.dataDir]);
    mkdirSync(join(place, 'b'));
    await command(['restore', join(place, 'a'), '--data-dir', join(place, 'b')]);
    await command(['backup', join(place, 'c'), '--data-dir', join(place, 'b')]);
    await command(['restore', join(place, 'c'), '--data-dir', join(place, 'd')]);
    const again = await Embedded.startOn(join(place, 'd'), face.owner, face.other);
    test.teardown(() => again.stop());
    test.strictSame(
      (await again.api().history('kept')).map((m) => m.id),
      [id],
    );
  },
);
