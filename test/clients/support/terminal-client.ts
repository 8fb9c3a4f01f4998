/** The terminal client as a person uses it, and what it noted of its requests. */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Terminal } from './tmux.js';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * As its own script runs it, but threads take turns only where they wait: it draws lists in one thread while another
 * changes them, and one start in six would end in an exception of its drawing.
 */
const RUN = [
  'import sys',
  'sys.setswitchinterval(60)',
  'from zulipterminal.core import Controller',
  // Its thread of presence may want to draw before there is a screen, and ends in an exception if it is answered too
  // soon.
  'draw = Controller.update_screen',
  "Controller.update_screen = lambda self: draw(self) if hasattr(self, '_update_pipe') else None",
  'from zulipterminal.cli.run import main',
  'sys.exit(main())',
].join('; ');

/** The first line of the form for stream messages, or for direct ones. */
const FORM = /│(?:To: |✗ +▶|# .*▶)/;

export class TerminalClient {
  private constructor(readonly terminal: Terminal) {}

  /** @param python that has the package */
  static async start(python: string, zuliprc: string): Promise<TerminalClient> {
    const own = `${zuliprc}.terminal`;
    copyFileSync(zuliprc, own);
    return TerminalClient.#run(python, '--config-file', own);
  }

  /** It asks for everything. */
  static async startWithoutFile(python: string): Promise<TerminalClient> {
    return TerminalClient.#run(python);
  }

  static async #run(python: string, ...options: readonly string[]): Promise<TerminalClient> {
    return new TerminalClient(await Terminal.start({ words: [python, '-c', RUN, '--debug', ...options] }));
  }

  /** Answers its questions. */
  async enter(question: string, answer: string): Promise<void> {
    // The last line: the question before may be the same.
    await this.terminal.shows(new RegExp(`${question}\\s*$`));
    await this.terminal.type(answer);
    await this.terminal.keys('Enter');
  }

  /** Number beside a button of the left panel, which shows none for 0. */
  async count(button: string, is: number): Promise<void> {
    const number = is === 0 ? '' : ` +${is}`;
    await this.terminal.shows(new RegExp(`^ ${button}(?: +\\[\\w\\])?${number} *│`, 'm'));
  }

  /** A message to a stream, typed into its form. */
  async writeToStream(stream: string, topic: string, content: string): Promise<void> {
    await this.terminal.keys('c');
    await this.terminal.shows(/^.*│✗ +▶/m);
    await this.terminal.type(stream);
    await this.terminal.shows(`# ${stream} `);
    await this.terminal.keys('Tab');
    await this.terminal.type(topic);
    await this.terminal.keys('Tab');
    await this.#say(content);
  }

  /** A direct message, typed into its form. */
  async writeToPerson(name: string, email: string, content: string): Promise<void> {
    await this.terminal.keys('x');
    await this.terminal.shows('│To: ');
    await this.terminal.type(`${name} <${email}>`);
    await this.terminal.keys('Tab');
    await this.#say(content);
  }

  async #say(content: string): Promise<void> {
    await this.terminal.type(content);
    await this.terminal.shows(content);
    await this.terminal.keys('C-d');
  }

  /** Leaves the form. A key too soon after Escape would be another key. */
  async leaveForm(): Promise<void> {
    await this.terminal.keys('Escape');
    await this.terminal.hides(FORM);
  }

  /** From the search box over the messages. */
  async search(words: string): Promise<void> {
    await this.terminal.keys('/');
    await this.terminal.type(words);
    await this.terminal.keys('Enter');
  }

  /** Every request so far that got an answer, as its own log tells. */
  requests(): Request[] {
    const lines = this.#file('zulip-terminal-API-requests.log').matchAll(/"(\w+) (\S+) HTTP\/[\d.]+" (\d+)/g);
    return [...lines].map(([, method, path, status]) => ({ method: method!, path: path!, status: Number(status) }));
  }

  /** Exceptions it met, in its threads or in all of it. */
  exceptions(): string {
    return ['tracebacks', 'thread-exceptions'].map((name) => this.#file(`zulip-terminal-${name}.log`)).join('');
  }

  stop(): Promise<void> {
    return this.terminal.stop();
  }

  #file(name: string): string {
    const file = join(this.terminal.folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}
