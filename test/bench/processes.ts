/** Child processes of the benchmark: servers, commands, the load generator and bare programs. */
import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BareHttpAnswers, JobKind, JobOf, ResultOf } from './jobs.js';

const START_TIMEOUT_MS = 30_000;
/** Timeout of a stop, longer than the drain timeout of an actor host. */
const STOP_TIMEOUT_MS = 20_000;

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
export const CONCLAVE = pathOf('../../program/main.js');

/** Running child processes, which are killed when the benchmark exits. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** Stops a process with SIGTERM, and with SIGKILL after a timeout. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => {
    process.stderr.write(`process ${child.pid} did not end in ${STOP_TIMEOUT_MS} ms: killed, its profile is lost\n`);
    child.kill('SIGKILL');
  }, STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/**
 * Gives the session of a child process the priority of this process. Linux divides CPU time between sessions first
 * (autogroups), so a higher priority of this process has no effect on a child in a session of its own.
 */
function copyPriorityToSession(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(getPriority()));
  } catch {
    // The kernel has no autogroups, or this user may not change their priority.
  }
}

/**
 * Starts a Node.js program and waits until its output matches a pattern. The program keeps running.
 *
 * @throws Error with the output so far if the program ends, or does not match in time
 */
export function startAndWaitForOutput(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  pattern: RegExp,
): Promise<{ readonly child: ChildProcess; readonly match: RegExpExecArray }> {
  // A process group of its own keeps Ctrl-C away from the program: the benchmark stops its programs in order.
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  if (child.pid !== undefined && getPriority() < 0) copyPriorityToSession(child.pid);
  child.once('exit', () => running.delete(child));
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no expected output in ${START_TIMEOUT_MS} ms: ${output}`));
    }, START_TIMEOUT_MS);
    const listen = (chunk: Buffer): void => {
      if (output.length < 20_000) output += chunk.toString();
      const match = pattern.exec(output);
      if (!match) return;
      clearTimeout(timer);
      resolve({ child, match });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', (chunk: Buffer) => {
      listen(chunk);
      process.stderr.write(chunk);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}: ${output}`));
    });
  });
}

/**
 * Runs a Node.js program to its end, in a session of its own, as docs/how-to/move-in.md recommends for imports.
 *
 * @throws Error with its standard error output unless it exits with 0
 */
export function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  timeoutMs = START_TIMEOUT_MS,
): Promise<void> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errorOutput += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('exit', (code) => {
      clearTimeout(late);
      if (code === 0) resolve();
      else reject(new Error(`ended with ${code}: ${errorOutput}`));
    });
  });
}

const nextMessageOf = (child: ChildProcess): Promise<Readonly<Record<string, unknown>>> =>
  new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('a process of the benchmark has ended'));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as Record<string, unknown>);
    });
  });

/** Forks a module in a session of its own, like the servers, because Linux divides CPU time between sessions. */
function forkInOwnSession(file: string): ChildProcess {
  const child = fork(pathOf(file), { execArgv: [], detached: true });
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (child.pid !== undefined && getPriority() < 0) copyPriorityToSession(child.pid);
  return child;
}

/** Child process that runs one job at a time and answers with `result` or `error`. */
export class JobProcess<J extends Serializable, R> {
  readonly #child: ChildProcess;

  /** @param file module beside this one */
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

/** The process of the load generator. */
export class LoadGenerator {
  readonly #worker = new JobProcess<JobOf<JobKind>, ResultOf<JobKind>>('./load-generator.js');

  run<K extends JobKind>(job: JobOf<K> & { readonly kind: K }): Promise<ResultOf<K>> {
    return this.#worker.run(job) as Promise<ResultOf<K>>;
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }
}

/** The process of the bare HTTP server. */
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
