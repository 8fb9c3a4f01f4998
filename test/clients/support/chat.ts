/** Runs a chat script against both faces. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { Cluster, Embedded } from './face.js';
import { services } from './missing.js';
import { type Ended, run } from './process.js';

/** A file beside the sources of the tests, which the compiler does not copy. */
export function source(name: string): string {
  const beside = fileURLToPath(new URL(`../../../../test/clients/${name}`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`test/clients/${name}`, `file://${process.cwd()}/`));
}

const SCRIPT_MS = 30_000;

function judge(test: Test, ended: Ended): void {
  for (const line of ended.stdout.trim().split('\n')) test.comment(line);
  test.equal(ended.code, 0, `the script ends by itself with 0 (${Math.round(ended.ms)} ms)`);
  test.match(ended.stdout, /^complete$/m, 'each client received all four messages');
  if (ended.code !== 0) test.comment(ended.stderr);
}

/** @param words command and arguments before the two zuliprc files */
export async function chatOnBothFaces(words: readonly string[]): Promise<void> {
  const [program, ...args] = words as [string, ...string[]];
  const chat = (zuliprcs: readonly string[]): Promise<Ended> => run(program, [...args, ...zuliprcs], SCRIPT_MS);

  await t.test('two clients talk over the embedded face', async (test) => {
    const face = await Embedded.start();
    test.teardown(() => face.stop());
    judge(test, await chat(face.zuliprcs));
  });

  const cluster = services();
  if (!cluster) return;
  await t.test('two clients talk over the cluster face, each by its own frontend', async (test) => {
    const face = await Cluster.start(cluster);
    test.teardown(() => face.stop());
    judge(test, await chat(face.zuliprcs));
  });
}
