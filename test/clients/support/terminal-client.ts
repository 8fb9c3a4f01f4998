/** The terminal client under test, with the requests and exceptions that it logged. */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Terminal } from './tmux.js';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * Python start script. Runs the client as its own script does, but with a thread switch interval so long that threads
 * switch only where they wait: the client changes lists while another thread draws them, and one start in six would end
 * in an exception.
 */
const START_SCRIPT = [
  'import sys',
  'sys.setswitchinterval(60)',
  'from zulipterminal.core import Controller',
  // The presence thread may draw before a screen exists, and raises an exception if its response comes too soon.
  'draw = Controller.update_screen',
  "Controller.update_screen = lambda self: draw(self) if hasattr(self, '_update_pipe') else None",
  'from zulipterminal.cli.run import main',
  'sys.exit(main())',
].join('; ');

/** First line of the compose form for stream messages or for direct messages. */
const COMPOSE_FORM = /│(?:To: |✗ +▶|# .*▶)/;

export class TerminalClient {
  private constructor(readonly terminal: Terminal) {}

  /** @param python path of a Python with the package installed */
  static async start(python: string, zuliprc: string): Promise<TerminalClient> {
    const own = `${zuliprc}.terminal`;
    copyFileSync(zuliprc, own);
    return TerminalClient.#run(python, '--config-file', own);
  }

  /** Starts without a zuliprc file, so that the client asks for site and credentials. */
  static async startWithoutFile(python: string): Promise<TerminalClient> {
    return TerminalClient.#run(python);
  }

  static async #run(python: string, ...options: readonly string[]): Promise<TerminalClient> {
    return new TerminalClient(await Terminal.start({ words: [python, '-c', START_SCRIPT, '--debug', ...options] }));
  }

  /** Answers a prompt of the client. */
  async enter(question: string, answer: string): Promise<void> {
    // Match the last line only: the previous prompt may have the same text.
    await this.terminal.shows(new RegExp(`${question}\\s*$`));
    await this.terminal.type(answer);
    await this.terminal.keys('Enter');
  }

  /** Waits until a button of the left panel shows this count; it shows none for 0. */
  async count(button: string, is: number): Promise<void> {
    const number = is === 0 ? '' : ` +${is}`;
    await this.terminal.shows(new RegExp(`^ ${button}(?: +\\[\\w\\])?${number} *│`, 'm'));
  }

  /** Writes a message to a stream by the compose form. */
  async writeToStream(stream: string, topic: string, content: string): Promise<void> {
    await this.terminal.keys('c');
    await this.terminal.shows(/^.*│✗ +▶/m);
    await this.terminal.type(stream);
    await this.terminal.shows(`# ${stream} `);
    await this.terminal.keys('Tab');
    await this.terminal.type(topic);
    await this.terminal.keys('Tab');
    await this.#submit(content);
  }

  /** Writes a direct message by the compose form. */
  async writeToPerson(name: string, email: string, content: string): Promise<void> {
    await this.terminal.keys('x');
    await this.terminal.shows('│To: ');
    await this.terminal.type(`${name} <${email}>`);
    await this.terminal.keys('Tab');
    await this.#submit(content);
  }

  async #submit(content: string): Promise<void> {
    await this.terminal.type(content);
    await this.terminal.shows(content);
    await this.terminal.keys('C-d');
  }

  /** Leaves the compose form. A key sent too soon after Escape would form an escape sequence with it. */
  async leaveForm(): Promise<void> {
    await this.terminal.keys('Escape');
    await this.terminal.hides(COMPOSE_FORM);
  }

  /** Searches by the search box above the messages. */
  async search(words: string): Promise<void> {
    await this.terminal.keys('/');
    await this.terminal.type(words);
    await this.terminal.keys('Enter');
  }

  /** Answered requests in the client's log. */
  requests(): Request[] {
    const lines = this.#file('zulip-terminal-API-requests.log').matchAll(/"(\w+) (\S+) HTTP\/[\d.]+" (\d+)/g);
    return [...lines].map(([, method, path, status]) => ({ method: method!, path: path!, status: Number(status) }));
  }

  /** Exceptions in the client's logs, of its threads and of the main program. */
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
