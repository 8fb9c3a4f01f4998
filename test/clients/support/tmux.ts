/** A program in a terminal of a fixed size, by a tmux server of its own: what a person types and sees. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { remove, temporary } from './folders.js';
import { type Ended, run } from './process.js';
import { HANGS_MS, until } from './wait.js';

const COMMAND_MS = 30_000;
const SEEN_MS = HANGS_MS;
const REST_MS = 100;
/** Time between two looks at the size of the output. */
const LOOK_MS = 20;

/** @returns whether tmux is there */
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
  /** The program's working folder, and its home. */
  readonly folder = temporary('terminal');
  readonly #socket = join(this.folder, 'tmux.sock');
  /** All that the program has written, which tmux copies. */
  readonly #output = join(this.folder, 'output');
  #last = '';
  /** Size of the output when the screen was last looked at. */
  #lastSize = -1;

  private constructor() {}

  static async start({ words, environment = {}, columns = 160, rows = 90 }: Program): Promise<Terminal> {
    const terminal = new Terminal();
    const all = { HOME: terminal.folder, LC_ALL: 'C.UTF-8', TERM: 'screen-256color', ...environment };
    const settings = Object.entries(all).map(([name, value]) => quoted(`${name}=${value}`));
    // The pane outlives the program: what it said last stays readable.
    const line = `exec env ${settings.join(' ')} ${words.map(quoted).join(' ')}`;
    const size = ['-x', String(columns), '-y', String(rows)];
    const copy = ['pipe-pane', `cat >> ${quoted(terminal.#output)}`];
    const begin = ['new-session', '-d', ...size, '-c', terminal.folder, line, ';', ...KEEP, ';', ...copy];
    await terminal.#tmux('-f', '/dev/null', ...begin);
    return terminal;
  }

  /** Keys by tmux's names (`Enter`, `C-d`, `Up`) or single characters; one after the other has shown its effect. */
  async keys(...names: string[]): Promise<void> {
    for (const name of names) {
      await this.#steady();
      await this.#tmux('send-keys', '--', name);
      await this.#steady();
    }
  }

  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', '--', text);
    await this.#steady();
  }

  /** A look starts a process, 10 ms of CPU: the screen is as it was as long as the program has written nothing. */
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

  /** Waits until the screen has it; rejects with what it shows instead. @returns its first group, or else all of it */
  async shows(what: RegExp | string, withinMs = SEEN_MS): Promise<string> {
    let found: string | undefined;
    const looks = (screen: string): boolean => {
      const match = typeof what === 'string' ? (screen.includes(what) ? [what] : undefined) : what.exec(screen);
      found = match?.[1] ?? match?.[0];
      return found !== undefined;
    };
    await this.#until(`${what} on the screen`, looks, withinMs);
    return found!;
  }

  async hides(what: RegExp | string, withinMs = SEEN_MS): Promise<void> {
    await this.#until(
      `no ${what} on the screen`,
      (screen) => !(typeof what === 'string' ? screen.includes(what) : what.test(screen)),
      withinMs,
    );
  }

  /** Waits until the program has ended by itself. */
  async ends(withinMs = SEEN_MS): Promise<void> {
    const dead = async (): Promise<boolean> =>
      (await this.#tmux('display-message', '-p', '#{pane_dead}')).stdout.trim() === '1';
    await until('the program ends', dead, withinMs);
  }

  /** Ends the program and its tmux server. */
  async stop(): Promise<void> {
    await this.#tmux('kill-server').catch(() => undefined);
    remove(this.folder);
  }

  /** A person waits for the screen to come to rest; programs with threads draw badly for who doesn't. */
  async #steady(): Promise<void> {
    let since = performance.now();
    let before = Number.NaN;
    const rests = (): boolean => {
      const size = this.#outputSize();
      if (size !== before) since = performance.now();
      before = size;
      return performance.now() - since > REST_MS;
    };
    await until('a screen at rest', rests, SEEN_MS, LOOK_MS);
  }

  async #until(what: string, holds: (screen: string) => boolean, withinMs: number): Promise<void> {
    await until(what, async () => holds(await this.screen()), withinMs, LOOK_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.#last.replace(/ +$/gm, '')}`);
    });
  }

  async #tmux(...args: string[]): Promise<Ended> {
    const ended = await run('tmux', ['-u', '-S', this.#socket, ...args], COMMAND_MS);
    if (ended.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${ended.stderr}`);
    return ended;
  }
}
