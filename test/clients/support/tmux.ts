/** A program in a terminal of fixed size, run by a private tmux server: sends keys and reads the screen. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { remove, temporary } from './folders.js';
import { type Ended, run } from './process.js';
import { HANG_TIMEOUT_MS, until } from './wait.js';

const COMMAND_MS = 30_000;
const SCREEN_TIMEOUT_MS = HANG_TIMEOUT_MS;
const REST_MS = 100;
/** Interval between two checks of the output size. */
const SIZE_CHECK_INTERVAL_MS = 20;

/** @returns whether tmux is installed */
export async function hasTmux(): Promise<boolean> {
  const version = await run('tmux', ['-V'], COMMAND_MS).catch(() => undefined);
  return version?.code === 0;
}

const KEEP = ['set-option', '-g', 'remain-on-exit', 'on'];

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export interface Program {
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export class Terminal {
  /** Working folder and home of the program. */
  readonly folder = temporary('terminal');
  readonly #socket = join(this.folder, 'tmux.sock');
  /** File to which tmux copies the program's output. */
  readonly #output = join(this.folder, 'output');
  #last = '';
  /** Size of the output file when the screen was last read. */
  #lastSize = -1;

  private constructor() {}

  static async start({ words, environment = {}, columns = 160, rows = 90 }: Program): Promise<Terminal> {
    const terminal = new Terminal();
    const all = { HOME: terminal.folder, LC_ALL: 'C.UTF-8', TERM: 'screen-256color', ...environment };
    const settings = Object.entries(all).map(([name, value]) => quoted(`${name}=${value}`));
    // The pane stays after the program exits, so that its last output can be read.
    const line = `exec env ${settings.join(' ')} ${words.map(quoted).join(' ')}`;
    const size = ['-x', String(columns), '-y', String(rows)];
    const copy = ['pipe-pane', `cat >> ${quoted(terminal.#output)}`];
    const begin = ['new-session', '-d', ...size, '-c', terminal.folder, line, ';', ...KEEP, ';', ...copy];
    await terminal.#tmux('-f', '/dev/null', ...begin);
    return terminal;
  }

  /**
   * Sends keys by their tmux names (`Enter`, `C-d`, `Up`) or single characters; each waits for the effect of the
   * previous one.
   */
  async keys(...names: string[]): Promise<void> {
    for (const name of names) {
      await this.#waitUntilStable();
      await this.#tmux('send-keys', '--', name);
      await this.#waitUntilStable();
    }
  }

  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', '--', text);
    await this.#waitUntilStable();
  }

  /**
   * Text on the screen. Reading starts a process (10 ms of CPU), so it is skipped while the program has written
   * nothing.
   */
  async screen(): Promise<string> {
    const size = this.#outputSize();
    if (size !== this.#lastSize) {
      this.#last = (await this.#tmux('capture-pane', '-p')).stdout;
      this.#lastSize = size;
    }
    return this.#last;
  }

  #outputSize(): number {
    return statSync(this.#output, { throwIfNoEntry: false })?.size ?? -1;
  }

  /**
   * Waits until the screen matches; rejects with the screen's text.
   * @returns the first group of the match, or the whole match
   */
  async shows(what: RegExp | string, withinMs = SCREEN_TIMEOUT_MS): Promise<string> {
    let found: string | undefined;
    const looks = (screen: string): boolean => {
      const match = typeof what === 'string' ? (screen.includes(what) ? [what] : undefined) : what.exec(screen);
      found = match?.[1] ?? match?.[0];
      return found !== undefined;
    };
    await this.#until(`${what} on the screen`, looks, withinMs);
    return found!;
  }

  async hides(what: RegExp | string, withinMs = SCREEN_TIMEOUT_MS): Promise<void> {
    await this.#until(
      `the screen shows ${what}`,
      (screen) => !(typeof what === 'string' ? screen.includes(what) : what.test(screen)),
      withinMs,
    );
  }

  /** Waits until the program exits by itself. */
  async ends(withinMs = SCREEN_TIMEOUT_MS): Promise<void> {
    const dead = async (): Promise<boolean> =>
      (await this.#tmux('display-message', '-p', '#{pane_dead}')).stdout.trim() === '1';
    await until('the program ends', dead, withinMs);
  }

  /** Kills the program and its tmux server. */
  async stop(): Promise<void> {
    await this.#tmux('kill-server').catch(() => undefined);
    remove(this.folder);
  }

  /** Waits until the output stops growing: programs with threads draw wrongly if keys arrive while they draw. */
  async #waitUntilStable(): Promise<void> {
    let since = performance.now();
    let before = Number.NaN;
    const isStable = (): boolean => {
      const size = this.#outputSize();
      if (size !== before) since = performance.now();
      before = size;
      return performance.now() - since > REST_MS;
    };
    await until('the output stops growing', isStable, SCREEN_TIMEOUT_MS, SIZE_CHECK_INTERVAL_MS);
  }

  async #until(what: string, holds: (screen: string) => boolean, withinMs: number): Promise<void> {
    await until(what, async () => holds(await this.screen()), withinMs, SIZE_CHECK_INTERVAL_MS).catch(
      (error: Error) => {
        throw new Error(`${error.message}\n${this.#last.replace(/ +$/gm, '')}`);
      },
    );
  }

  async #tmux(...args: string[]): Promise<Ended> {
    const ended = await run('tmux', ['-u', '-S', this.#socket, ...args], COMMAND_MS);
    if (ended.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${ended.stderr}`);
    return ended;
  }
}
