/** Child processes of the benchmark; only this file starts and ends them. */
import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BareHttpAnswers, JobKind, JobOf, ResultOf } from './jobs.js';

const START_TIMEOUT_MS = 30_000;
/** Timeout of a stop, longer than an actor host may take to drain. */
const STOP_TIMEOUT_MS = 20_000;

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
export const CONCLAVE = pathOf('../../program/main.js');

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
    process.stderr.write(`process ${child.pid} did not end in ${STOP_TIMEOUT_MS} ms: killed, its profile is lost\n`);
    child.kill('SIGKILL');
  }, STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(late);
}

/**
 * Linux gives time to sessions first, then to processes: a session of its own would leave our higher priority behind.
 */
function copyPriorityToSession(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(getPriority()));
  } catch {
    // Without such groups, or without the right.
  }
}

/** Runs until its first output matches; what it says before is part of the error when it ends. */
export function startAndWaitForOutput(
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
  if (child.pid !== undefined && getPriority() < 0) copyPriorityToSession(child.pid);
  child.once('exit', () => running.delete(child));
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no sign of life: ${said}`));
    }, START_TIMEOUT_MS);
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
export function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  timeoutMs = START_TIMEOUT_MS,
): Promise<void> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('exit', (code) => {
      clearTimeout(late);
      if (code === 0) resolve();
      else reject(new Error(`ended with ${code}: ${said}`));
    });
  });
}

const nextMessageOf = (child: ChildProcess): Promise<Readonly<Record<string, unknown>>> =>
  new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('a process of the benchmark has ended'));
    child.once('exit', gone);
    child.once('message', (message) => {
      child.off('exit', gone);
      resolve(message as Record<string, unknown>);
    });
  });

/** Forks a program in a session of its own, as the servers are: the scheduler shares the CPU between sessions. */
function forkInOwnSession(file: string): ChildProcess {
  const child = fork(pathOf(file), { execArgv: [], detached: true });
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (child.pid !== undefined && getPriority() < 0) copyPriorityToSession(child.pid);
  return child;
}

/** A process that does one job at a time and answers with `result` or `error`. */
export class JobProcess<J extends Serializable, R> {
  readonly #child: ChildProcess;

  /** @param file beside this one */
  constructor(file: string) {
    this.#child = forkInOwnSession(file);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async run(order: J): Promise<R> {
    const answer = nextMessageOf(this.#child);
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
export class LoadGenerator {
  readonly #worker = new JobProcess<JobOf<JobKind>, ResultOf<JobKind>>('./load-generator.js');

  run<K extends JobKind>(job: JobOf<K> & { readonly kind: K }): Promise<ResultOf<K>> {
    return this.#worker.run(job) as Promise<ResultOf<K>>;
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }
}

export class BareHttpServer {
  readonly pids: readonly number[];

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.pids = [child.pid!];
  }

  static async start(): Promise<BareHttpServer> {
    const child = forkInOwnSession('./bare-http.js');
    const { port } = await nextMessageOf(child);
    return new BareHttpServer(child, port as number);
  }

  async setAnswers(answers: BareHttpAnswers): Promise<void> {
    const set = nextMessageOf(this.child);
    this.child.send(answers);
    await set;
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}
