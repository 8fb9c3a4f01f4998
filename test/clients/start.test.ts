/** Failed starts: the server prints the reason in one line and exits with a code. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { runCommand } from './support/command-line.js';
import { Embedded, PASSWORD } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { bounded, conclave, type Ended, WITH_WORKERS } from './support/process.js';
import { HANG_TIMEOUT_MS } from './support/wait.js';

const start = (...args: string[]): Promise<Ended> => bounded(conclave(args), HANG_TIMEOUT_MS);

interface Refusal {
  readonly code: number;
  readonly says: RegExp;
  readonly lines?: number;
}

function refused(test: Test, ended: Ended, of: Refusal): void {
  test.comment(ended.stderr.trim());
  test.equal(ended.code ?? ended.signal, of.code);
  test.match(ended.stderr, of.says);
  test.equal(ended.stderr.trim().split('\n').length, of.lines ?? 1, 'stderr has the expected number of lines');
}

t.test('a data directory in use by another process is refused', async (test) => {
  process.env.CONCLAVE_LATE_PACKAGES = 'tell';
  const face = await Embedded.start();
  test.teardown(() => face.stop());
  const ended = await start('serve', '--data-dir', face.dataDir, '--port', '0');
  refused(test, ended, { code: 1, says: /^conclave: .*(in use|used by)/ });
  test.ok(ended.stderr.includes(face.dataDir), 'the message names the directory');
  test.ok(await face.api().register(), 'the first server still works');
  const loaded = face.server.stderr.match(/(?<=package loaded: ).*/g) ?? [];
  const [late] = /(?<=LOADED_LATE = \[).*(?=\])/.exec(readFileSync('tools/build.mjs', 'utf8')) ?? [];
  test.match(late, /'mongodb', 'nats'/);
  test.same(loaded, [], 'a server without cluster, mail and pushes loads no package for these');
  const cluster = ['--mongodb', 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=1', '--nats', 'nats://127.0.0.1:1'];
  const { stderr } = await start('store', 'format', ...cluster, '--secret', '0123456789abcdef0123456789abcdef');
  test.match(stderr, 'package loaded: mongodb', 'a command for a cluster loads the MongoDB driver');
  delete process.env.CONCLAVE_LATE_PACKAGES;
});

t.test('commands at the same time on the data directory of a stopped server wait for one another', async (test) => {
  const folder = temporary('start');
  test.teardown(() => remove(folder));
  const at = ['--data-dir', join(folder, 'data')];
  const owner = ['--name', 'Example', '--email', 'owner@example.com', '--full-name', 'Owner'];
  test.equal((await runCommand(['realm', 'create', ...owner, ...at])).code, 0);
  const made = await Promise.all(
    ['ann', 'bob', 'cay'].map((name) => {
      const who = ['--email', `${name}@example.com`, '--full-name', name, '--password', PASSWORD];
      return start('user', 'create', ...who, ...at);
    }),
  );
  test.same(
    made.map(({ code, stderr }) => [code, stderr]),
    made.map(() => [0, '']),
  );
  test.equal(new Set(made.map(({ stdout }) => stdout)).size, made.length, 'each account has an id of its own');
});

t.test('a port in use is refused', async (test) => {
  const folder = temporary('start');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    other.close();
    remove(folder);
  });
  const { port } = other.address() as { port: number };
  for (const more of [['--http-adapter', 'node'], WITH_WORKERS]) {
    const args = ['serve', '--data-dir', folder, '--port', String(port), ...more];
    const ended = await start(...args, '--log-level', 'error');
    refused(test, ended, { code: 1, says: new RegExp(`^conclave: .*127\\.0\\.0\\.1:${port}`) });
  }
});

t.test('invalid options are refused', async (test) => {
  refused(test, await start('serve', '--port', '-1'), { code: 2, says: /^conclave: --port: must be an integer/ });
  for (const [args, says] of [
    [['serve', '--port', 'x'], /^conclave: --port: must be an integer/],
    [['serve', '--nonsense', '1'], /^conclave: .*--nonsense/],
    [['serve', '--role', 'http'], /^conclave: --role http needs a cluster/],
    [['serve', '--nats', 'nats://127.0.0.1'], /^conclave: a cluster needs both/],
    [['serve', '--nats', '127.0.0.1', '--mongodb', 'mongodb://127.0.0.1'], /^conclave: --nats: must be an address/],
    [['nonsense'], /^conclave: no such command: nonsense/],
  ] as const) {
    refused(test, await runCommand(args), { code: 2, says });
  }
});

t.test('an unusable data directory is refused', async (test) => {
  const folder = temporary('start');
  test.teardown(() => remove(folder));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const dataDir of [file, join(file, 'below')]) {
    const ended = await start('serve', '--data-dir', dataDir, '--port', '0');
    refused(test, ended, { code: 2, says: /^conclave: .*(data directory|directory)/i });
    test.ok(ended.stderr.includes(file), 'names it');
  }
  // Root can read every file.
  if (process.getuid?.() === 0) return;
  const locked = join(folder, 'locked');
  mkdirSync(locked, { mode: 0o000 });
  refused(test, await start('serve', '--data-dir', locked, '--port', '0'), {
    code: 2,
    says: /^conclave: .*directory/i,
  });
});

t.test('a data directory whose path is too long for a socket is refused, and nothing is left behind', async (test) => {
  const folder = temporary('start');
  test.teardown(() => remove(folder));
  const ended = await start('serve', '--data-dir', join(folder, 'x'.repeat(125)), '--port', '0');
  refused(test, ended, { code: 2, says: /^conclave: --data-dir .* bytes too long for sockets$/m });
  test.same(readdirSync(folder), []);
});
