/** Child processes: the server and its command line, started as users start them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HANG_TIMEOUT_MS, until } from './wait.js';

/** Mark behind the output of a command of `command-line-process.ts`; the exit code follows. */
export const END_MARK = '\0conclave command ended ';

/** Path of the built program. */
export const MAIN = fileURLToPath(new URL('../../../program/main.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds from start to exit. */
  readonly ms: number;
}

/** Running child processes, which are killed when the test process exits. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function killAtExit(child: ChildProcess): void {
  running.add(child);
  child.once('close', () => running.delete(child));
}

export class Child {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #over = false;

  constructor(command: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
    const started = performance.now();
    const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    killAtExit(child);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#over = true;
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr, ms: performance.now() - started });
      });
    });
    this.ended.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Waits for a text on stdout. Rejects with the end of stderr if the process exits before. */
  async says(text: string, withinMs = HANG_TIMEOUT_MS): Promise<void> {
    await until(
      `'${text}' from ${this.#child.spawnargs.slice(1).join(' ')}`,
      () => {
        if (this.#over && !this.stdout.includes(text))
          throw new Error(`the process exited early: ${this.stderr.slice(-4_000)}`);
        return this.stdout.includes(text);
      },
      withinMs,
    );
  }

  /** Reads the address of the server's health and metrics from its output. */
  async ops(): Promise<string> {
    await this.says('Health and metrics: ');
    await until('the server prints its ops address', () => /metrics: \S+\n/.test(this.stdout));
    return /metrics: (\S+)\n/.exec(this.stdout)![1]!;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills the process by SIGKILL. */
  async kill(): Promise<Ended> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  /** Stops the process by SIGTERM, and by SIGKILL after `withinMs`. */
  async stop(withinMs = HANG_TIMEOUT_MS): Promise<Ended> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), withinMs);
    const ended = await this.ended;
    clearTimeout(timer);
    return ended;
  }
}

/** Environment variables that don't reach servers, so that settings of the tester's shell have no effect. */
const CLEARED_VARIABLES = [
  ...['HOST', 'PORT', 'ROLE', 'DATA_DIR', 'NATS_URL', 'MONGODB_URL', 'NAMESPACE', 'LOG_LEVEL', 'NODE_OPTIONS'],
  ...['OPS_HOST', 'OPS_PORT', 'LEAVE_SECONDS', 'WORKERS'],
];
/**
 * Default settings of servers in tests. Rate limits are off, since tests call more often than people do. Workers are
 * off, since a worker costs as much CPU as a server; tests of kills and stops use `WITH_WORKERS`.
 */
const DEFAULT_SETTINGS = { RATE_LIMITS: 'off', WORKERS: '0' };
/** Options that start the default number of workers of an embedded server: one on two cores. */
export const WITH_WORKERS: readonly string[] = ['--workers', 'auto'];

export function cleanEnvironment(): NodeJS.ProcessEnv {
  // The loaders and hooks of tap are for the test process only.
  const entries = Object.entries(process.env).filter(
    ([name]) => !CLEARED_VARIABLES.includes(name) && !name.startsWith('TAP'),
  );
  return { ...Object.fromEntries(entries), ...DEFAULT_SETTINGS };
}

/** Imports and exports of tests compete with other tests: at their low priority a busy machine would not run them. */
export const withUsualPriority = (words: readonly string[]): readonly string[] =>
  ['import', 'export'].includes(words[0]!) ? [...words, '--usual-priority'] : words;

/** Starts the program as users do. Tests that don't need a start of its own for a command use `runCommand`. */
export function conclave(args: readonly string[]): Child {
  return new Child(process.execPath, [MAIN, ...withUsualPriority(args)], cleanEnvironment());
}

/** Runs a program to its end; kills it after the time limit. */
export async function run(
  command: string,
  args: readonly string[],
  withinMs: number,
  environment = cleanEnvironment(),
): Promise<Ended> {
  return bounded(new Child(command, args, environment), withinMs);
}

export async function bounded(child: Child, withinMs: number): Promise<Ended> {
  const timer = setTimeout(() => child.signal('SIGKILL'), withinMs);
  try {
    return await child.ended;
  } finally {
    clearTimeout(timer);
  }
}
