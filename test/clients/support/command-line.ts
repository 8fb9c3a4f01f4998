/**
 * Runs commands of the program's command line. `runCommand` uses one child process for all commands of a test process,
 * which saves a start of the program per command. Tests of start-up, kills and concurrent commands use `conclave`.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, END_MARK, type Ended, killAtExit, withUsualPriority } from './process.js';
import { HANG_TIMEOUT_MS } from './wait.js';

const SCRIPT = fileURLToPath(new URL('./command-line-process.js', import.meta.url));

class CommandLineProcess {
  over = false;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #texts = { stdout: '', stderr: '' };
  #changed = (): void => {};

  constructor() {
    const child = spawn(process.execPath, [SCRIPT], { env: cleanEnvironment(), stdio: 'pipe' });
    killAtExit(child);
    this.#child = child;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        this.#texts[name] += text;
        this.#changed();
      });
    }
    // The process may have exited before a command reaches it.
    child.stdin.on('error', () => {});
    child.once('close', () => {
      this.over = true;
      this.#changed();
    });
    // Wait for the process to exit, so that the test runner can measure its CPU time.
    process.on('beforeExit', () => {
      if (!this.over) this.#end();
    });
  }

  async run(words: readonly string[], withinMs: number): Promise<Ended> {
    const started = performance.now();
    this.#texts.stdout = '';
    this.#texts.stderr = '';
    this.#keepAwake(true);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), withinMs);
    const isDone = (): boolean =>
      this.over || Object.values(this.#texts).every((text) => text.includes(END_MARK) && text.endsWith('\n'));
    this.#child.stdin.write(`${JSON.stringify(words)}\n`);
    await new Promise<void>((resolve) => {
      this.#changed = () => {
        if (isDone()) resolve();
      };
      this.#changed();
    });
    clearTimeout(timer);
    this.#keepAwake(false);
    const [stdout = '', code] = this.#texts.stdout.split(END_MARK);
    const [stderr = ''] = this.#texts.stderr.split(END_MARK);
    return {
      code: code === undefined ? this.#child.exitCode : Number(code),
      signal: this.#child.signalCode,
      ...{ stdout, stderr, ms: performance.now() - started },
    };
  }

  /** Sets whether the child process keeps this process alive. */
  #keepAwake(yes: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const one of [this.#child, stdin as Socket, stdout as Socket, stderr as Socket]) yes ? one.ref() : one.unref();
  }

  #end(): void {
    this.#keepAwake(true);
    this.#child.stdin.end();
  }
}

let current: CommandLineProcess | undefined;
/** End of the last queued command: commands run one after the other. */
let last: Promise<unknown> = Promise.resolve();

async function runNext(words: readonly string[], withinMs: number): Promise<Ended> {
  if (!current || current.over) current = new CommandLineProcess();
  return current.run(withUsualPriority(words), withinMs);
}

/** Runs a command to its end, whether it succeeds or fails. The process is killed after `withinMs`. */
export function runCommand(words: readonly string[], withinMs = HANG_TIMEOUT_MS): Promise<Ended> {
  const ended = last.then(() => runNext(words, withinMs));
  last = ended.catch(() => undefined);
  return ended;
}
