/**
 * Runs one command of the program after the other, each as `src/main.ts` does. Input: one command per line, its words
 * as JSON. Output: what the command writes, on stdout and stderr, each closed by a line with the exit code.
 */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Script } from 'node:vm';
import type { runCommandLine } from '#app/cli';
import { END_MARK, MAIN } from './process.js';

/** The hash of the bundle, in a comment, see src/launch.ts. */
const CACHE_HEAD_BYTES = 64 + 4;

/** Loads the program as its launcher does, with its code cache. It prints its help as it is loaded. */
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

const runCommand = loadProgram();
for await (const line of createInterface({ input: process.stdin })) {
  const code = await runCommand(JSON.parse(line) as string[], process.env);
  // Writes to pipes are synchronous, so the mark is behind all that the command has written.
  for (const stream of [process.stdout, process.stderr]) stream.write(`${END_MARK}${code}\n`);
}
process.exit(0);
