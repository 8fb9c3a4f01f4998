/** A full disk of the embedded server: a limit on the size of files stands for it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Embedded } from './support/face.js';
import { missing } from './support/missing.js';
import { Child, cleanEnvironment, MAIN, WITH_WORKERS } from './support/process.js';
import { until } from './support/wait.js';

const STREAM = 'general';
const after = { type: 'stream', to: STREAM, topic: 'test', content: 'after' };

/** Limits the size of the files that a process may write to, bytes. @throws Error without the program prlimit */
const limitFileSize = (pid: number, bytes: number | 'unlimited'): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);

function canLimit(): boolean {
  try {
    limitFileSize(process.pid, 'unlimited');
    return true;
  } catch {
    return false;
  }
}

const faces = [
  ['without workers', []],
  ['with workers', WITH_WORKERS],
] as const;

if (!canLimit()) missing('prlimit is not installed');
else {
  t.test('a full disk with the log file stops no requests, and the log goes on when there is room', async (test) => {
    const face = await Embedded.start();
    test.teardown(() => face.stop());
    await face.server.stop();
    const log = join(face.dataDir, 'server.log');
    const serve = ['serve', '--data-dir', face.dataDir, '--port', String(face.port), '--log-level', 'debug'];
    const words = ['-c', 'exec "$@" 2>>"$0"', log, process.execPath, MAIN, ...serve];
    face.server = new Child('sh', words, cleanEnvironment());
    const ready = `${await face.server.ops()}/health/ready`;
    // The last write to the Store: the test is about the log file.
    await face.api().send(STREAM, 'before');
    const hasLine = (): boolean => readFileSync(log, 'utf8').includes('while-it-is-full');
    limitFileSize(face.server.pid, 0);
    const headers = { 'x-request-id': 'while-it-is-full' };
    test.equal((await fetch(`${face.site}/api/v1/server_settings`, { headers })).status, 200);
    test.equal((await fetch(ready)).status, 200);
    test.notOk(hasLine());

    limitFileSize(face.server.pid, 'unlimited');
    await until('the log has the line of the request', hasLine);
    test.equal((await face.server.stop()).code, 0);
  });

  for (const [name, options] of faces)
    t.test(`a full disk ends writes with 503, and neither reading nor the server (${name})`, async (test) => {
      const face = await Embedded.start(options);
      test.teardown(() => face.stop());
      const api = face.api();
      const readNewest = () => api.ok('GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0 });
      await api.send(STREAM, 'before');
      await readNewest();
      limitFileSize(face.server.pid, 0);

      for (let i = 0; i < 3; i++) {
        const began = performance.now();
        await test.rejects(api.send(STREAM, `full ${i}`), /^503: /);
        test.ok(performance.now() - began < 15_000, 'long before the deadline of a request');
      }
      test.match(await readNewest(), { messages: [{ content: /before/ }] });
      test.equal((await fetch(`${await face.server.ops()}/health/ready`)).status, 200);
      const countOf = (text: string): number => face.server.stderr.split(text).length - 1;
      test.equal(countOf('actor stopped'), 1, 'the log has one line');
      test.ok(countOf('Write error') < 10, 'few writes are tried');

      limitFileSize(face.server.pid, 'unlimited');
      const trySend = async () => (await api.call('POST', '/messages', after)).status === 200;
      await until('a message is sent', trySend);
      test.equal((await face.server.stop()).code, 0);
    });
}
