import { spawnSync } from 'node:child_process';
import t, { type Test } from 'tap';
import { ThreadJobFailedError, ThreadPool } from '#base/threads';
import { until } from '../../support/until.js';

const SCRIPT = new URL('./doubling.js', import.meta.url);

function pool(
  t: Pick<Test, 'teardown'>,
  options: { threads?: number; timeoutMs?: number; idleMs?: number; jobsPerThread?: number } = {},
) {
  const threads = new ThreadPool<number, number>({ script: SCRIPT, threads: 2, timeoutMs: 20_000, ...options });
  t.teardown(() => threads.close());
  return threads;
}

t.test('more jobs than threads are all done', { timeout: 60_000 }, async (t) => {
  const threads = pool(t);
  const numbers = Array.from({ length: 100 }, (_, i) => i + 1);
  t.same(
    await Promise.all(numbers.map((n) => threads.runJob(n))),
    numbers.map((n) => 2 * n),
  );
  t.ok(threads.runningThreadCount <= 2);
});

t.test('threads that are started before their first jobs do them', { timeout: 60_000 }, async (t) => {
  const threads = pool(t);
  const started = threads.startThreads();
  t.equal(threads.runningThreadCount, 2);
  await started;
  await threads.startThreads();
  t.same([await threads.runJob(3), threads.runningThreadCount], [6, 2]);
  const failing = new ThreadPool({ script: new URL('./missing.js', SCRIPT), threads: 1, timeoutMs: 20_000 });
  await failing.startThreads();
  await failing.close();
});

t.test('a job that throws fails alone', { timeout: 60_000 }, async (t) => {
  const threads = pool(t, { threads: 1 });
  const [bad, good] = [threads.runJob(-1), threads.runJob(4)];
  await t.rejects(bad, new ThreadJobFailedError('negative'));
  t.equal(await good, 8);
});

t.test('a job that never ends is given up, and the next one done', { timeout: 60_000 }, async (t) => {
  const threads = pool(t, { threads: 1, timeoutMs: 1_000 });
  await t.rejects(threads.runJob(0), new ThreadJobFailedError('it took too long'));
  // On a busy machine the start of the next thread may take as long.
  const next = (): Promise<number> => threads.runJob(3).catch(next);
  t.equal(await next(), 6);
});

t.test('another thread takes the jobs beside one that fails', { timeout: 60_000 }, async (t) => {
  const threads = pool(t, { threads: 1, timeoutMs: 3_000, jobsPerThread: 3 });
  t.same(await Promise.all([1, -1, 2].map((n) => threads.runJob(n).catch(() => 'failed'))), [2, 'failed', 4]);
  const [endless, ...others] = [0, 3, 4, 5].map((n) => threads.runJob(n));
  await t.rejects(endless!, new ThreadJobFailedError('it took too long'));
  t.same(await Promise.all(others), [6, 8, 10]);
  t.equal(threads.runningThreadCount, 1);
});

t.test('idle threads end, and are started again', { timeout: 60_000 }, async (t) => {
  const threads = pool(t, { idleMs: 1 });
  t.equal(await threads.runJob(1), 2);
  await until('no thread is left', () => threads.runningThreadCount === 0);
  t.equal(await threads.runJob(2), 4);
});

t.test('after close, waiting and new jobs fail', { timeout: 60_000 }, async (t) => {
  const threads = pool(t, { threads: 1 });
  const [under, waiting] = [threads.runJob(0), threads.runJob(1)];
  const refused = [t.rejects(under, ThreadJobFailedError), t.rejects(waiting, ThreadJobFailedError)];
  await threads.close();
  await Promise.all(refused);
  await t.rejects(threads.runJob(1), ThreadJobFailedError);
  t.equal(threads.runningThreadCount, 0);
});

t.test('a program ends beside an idle thread', { timeout: 60_000 }, async (t) => {
  const program = `import('${import.meta.resolve('#base/threads')}').then(async ({ ThreadPool }) => {
    const pool = new ThreadPool({ script: new URL('${SCRIPT}'), threads: 1, timeoutMs: 20_000 });
    process.stdout.write(String(await pool.runJob(2)));
  })`;
  const ended = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8', timeout: 30_000 });
  t.match(ended, { status: 0, stdout: '4' });
});
