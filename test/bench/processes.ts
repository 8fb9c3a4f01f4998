/** Child processes of the benchmark; only this file starts and ends them. */
import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { CeilingAnswers, JobOf, Kind, ResultOf } from './jobs.js';

const START_LIMIT_MS = 30_000;
/** Timeout of a stop, longer than an actor host may take to drain. */
const STOP_LIMIT_MS = 20_000;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
export const CONCLAVE = here('../../program/main.js');

/** Running children; they are killed at the exit of the benchmark, for whatever reason it exits. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** Stops a process with SIGTERM, and with SIGKILL after a timeout. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const late = setTimeout(() => {
    process.stderr.write(`process ${child.pid} did not end in ${STOP_LIMIT_MS} ms: killed, its profile is lost\n`);
    child.kill('SIGKILL');
  }, STOP_LIMIT_MS);
  await gone;
  clearTimeout(late);
}

/**
 * Linux gives time to sessions first, then to processes: a session of its own would leave our higher priority behind.
 */
function keepPriority(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(getPriority()));
  } catch {
    // Without such groups, or without the right.
  }
}

/** Runs until its first output matches; what it says before is part of the error when it ends. */
export function started(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  pattern: RegExp,
): Promise<{ readonly child: ChildProcess; readonly match: RegExpExecArray }> {
  // In a group of its own: Ctrl-C in a terminal is for us, who then end it in order.
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  if (child.pid !== undefined && getPriority() < 0) keepPriority(child.pid);
  child.once('exit', () => running.delete(child));
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no sign of life: ${said}`));
    }, START_LIMIT_MS);
    const listen = (chunk: Buffer): void => {
      if (said.length < 20_000) said += chunk.toString();
      const match = pattern.exec(said);
      if (!match) return;
      clearTimeout(late);
      resolve({ child, match });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', (chunk: Buffer) => {
      listen(chunk);
      process.stderr.write(chunk);
    });
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`ended with ${code}: ${said}`));
    });
  });
}

/** Runs a program until it exits. */
export function finished(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  limitMs = START_LIMIT_MS,
): Promise<void> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.once('exit', (code) => {
      clearTimeout(late);
      if (code === 0) resolve();
      else reject(new Error(`ended with ${code}: ${said}`));
    });
  });
}

const answerOf = (child: ChildProcess): Promise<Readonly<Record<string, unknown>>> =>
  new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('a process of the benchmark has ended'));
    child.once('exit', gone);
    child.once('message', (message) => {
      child.off('exit', gone);
      resolve(message as Record<string, unknown>);
    });
  });

/** Forks a program in a session of its own, as the servers are: the scheduler shares the CPU between sessions. */
function forked(file: string): ChildProcess {
  const child = fork(here(file), { execArgv: [], detached: true });
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (child.pid !== undefined && getPriority() < 0) keepPriority(child.pid);
  return child;
}

/** A process that does one job at a time and answers with `result` or `error`. */
export class Worker<O extends Serializable, R> {
  readonly #child: ChildProcess;

  /** @param file beside this one */
  constructor(file: string) {
    this.#child = forked(file);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async run(order: O): Promise<R> {
    const answer = answerOf(this.#child);
    this.#child.send(order);
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(String(error));
    return result as R;
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}

/** The load generator. */
export class Load {
  readonly #worker = new Worker<JobOf<Kind>, ResultOf<Kind>>('./load.js');

  run<K extends Kind>(job: JobOf<K> & { readonly kind: K }): Promise<ResultOf<K>> {
    return this.#worker.run(job) as Promise<ResultOf<K>>;
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }
}

export class Ceiling {
  readonly pids: readonly number[];

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.pids = [child.pid!];
  }

  static async start(): Promise<Ceiling> {
    const child = forked('./ceiling.js');
    const { port } = await answerOf(child);
    return new Ceiling(child, port as number);
  }

  async answers(answers: CeilingAnswers): Promise<void> {
    const set = answerOf(this.child);
    this.child.send(answers);
    await set;
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}
