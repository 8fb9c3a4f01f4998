/**
 * Child process that runs commands of the program in turn, each as `src/main.ts` does. Input: one command per line, its
 * words as a JSON array. Output: the command's stdout and stderr, each closed by a line with the exit code.
 */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import os from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Script } from 'node:vm';
import type { runCommandLine } from '#app/cli';
import { LONG } from '../../support/rounds.js';
import { END_MARK, MAIN } from './process.js';

/** Length of the bundle's hash, in a comment at the start of the code cache; see src/launch.ts. */
const CACHE_HEAD_BYTES = 64 + 4;

/** Loads the program as its launcher does, with its code cache. The program prints its help while it loads. */
function loadProgram(): typeof runCommandLine {
  const file = MAIN.replace(/js$/, 'cjs');
  const cachedData = readFileSync(MAIN.replace(/js$/, 'cache')).subarray(CACHE_HEAD_BYTES);
  const script = new Script(Module.wrap(readFileSync(file, 'latin1')), { filename: file, cachedData });
  const module = { exports: {} as { runCommandLine: typeof runCommandLine } };
  const { argv, stdout } = process;
  const { write } = stdout;
  process.argv = [...argv.slice(0, 2), '--help'];
  stdout.write = () => true;
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  process.argv = argv;
  stdout.write = write;
  return module.exports.runCommandLine;
}

/**
 * On a machine with one core imports and exports start no threads. Their threads take 0.5 s of CPU to load, as much as
 * the rest of a small import, and change no result; the long form and the imports that run as processes have them.
 */
if (!LONG) os.availableParallelism = () => 1;

const runCommand = loadProgram();
for await (const line of createInterface({ input: process.stdin })) {
  const code = await runCommand(JSON.parse(line) as string[], process.env);
  // Writes to pipes are synchronous, so the mark follows all output of the command.
  for (const stream of [process.stdout, process.stderr]) stream.write(`${END_MARK}${code}\n`);
}
process.exit(0);
