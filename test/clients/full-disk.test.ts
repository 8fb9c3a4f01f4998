/** A full disk of the embedded server: a limit on the size of files stands for it. */
import { execFileSync } from 'node:child_process';
import t from 'tap';
import { Embedded } from './support/face.js';
import { missing } from './support/missing.js';
import { WITH_WORKERS } from './support/process.js';
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
else
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
