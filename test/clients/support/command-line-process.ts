/**
 * Runs one command of the command line after the other, each as `src/main.ts` runs it. Loading the server takes ten
 * times the CPU of a command. Input: one command per line, its words as JSON. Output: what the command writes, on
 * stdout and stderr, each closed by a line with the exit code.
 */
import { createInterface } from 'node:readline';
import { runCommandLine } from '#app/cli';
import { setPrivateUmask } from '#base/disk';
import { END_MARK } from './process.js';

setPrivateUmask();
for await (const line of createInterface({ input: process.stdin })) {
  const code = await runCommandLine(JSON.parse(line) as string[], process.env);
  // Writes to pipes are synchronous, so the mark is behind all that the command has written.
  for (const stream of [process.stdout, process.stderr]) stream.write(`${END_MARK}${code}\n`);
}
process.exit(0);
