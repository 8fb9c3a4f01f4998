/** One test program as a child process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { Facts } from './facts.js';
import type { Program } from './programs.js';

export interface Finished {
  readonly program: Program;
  readonly facts: Facts;
  readonly seconds: number;
  /** Why the program itself failed, whatever its facts say. */
  readonly fault: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Running children; they are killed when the runner ends. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Characters of output that are kept of a program that fails without a failing fact. */
const KEPT_CHARACTERS = 20_000;
const tail = (text: string): string => text.slice(-KEPT_CHARACTERS);

const PRELOADED = ['--import', new URL('./preload.js', import.meta.url).href];

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly limitSeconds: number;
  readonly onOutput: (chunk: string) => void;
}

export function runProgram(program: Program, { env, limitSeconds, onOutput }: RunOptions): Promise<Finished> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...PRELOADED, ...program.argv], {
    env: { ...process.env, ...env, ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  if (program.inBackground && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const facts = new Facts();
  let stdout = '';
  let stderr = '';
  let late = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    facts.write(chunk);
    onOutput(chunk);
    stdout = tail(stdout + chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    onOutput(chunk);
    stderr = tail(stderr + chunk);
  });
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, limitSeconds * 1000);
  return new Promise((resolve) => {
    const end = (fault: string | undefined): void => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ program, facts, seconds: (performance.now() - begun) / 1000, fault, stdout, stderr });
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => {
      if (late) end(`not done after ${limitSeconds} s`);
      else if (!facts.counts) end(`ended before its last fact: ${signal ?? `code ${code}`}`);
      else if (program.bundle && facts.files < program.files.length) end(`ended in file ${facts.files + 1}`);
      else if (code !== 0 && facts.failures.length === 0) end(`ended with code ${code}`);
      else end(undefined);
    });
  });
}
