/** A keep-alive connection of a client, which sends one request at a time. */
import { Connection } from '../bench/connection.js';

export interface Answer {
  readonly status: number;
  /** Parsed JSON; empty if the body is no JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** True if the answer has the header `Connection: close`. */
  readonly closes: boolean;
}

/** Error of a request that was written and got no answer. */
export class NoAnswerError extends Error {}

export class KeptConnection {
  busy = false;
  closed = false;
  #settle: ((result: Answer | NoAnswerError) => void) | undefined;

  private constructor(private readonly connection: Connection) {
    connection.onAnswer = ({ text }) => this.#done(parsed(text));
    connection.onGone = (error) => {
      this.closed = true;
      this.#done(new NoAnswerError(`connection cut: ${error?.message ?? 'closed by the server'}`));
    };
  }

  /** Opens a connection. @throws Error if no process listens on the port */
  static async open(port: number): Promise<KeptConnection> {
    return new KeptConnection(await Connection.open(port, true));
  }

  /** Sends a request. @throws NoAnswerError */
  async request(text: string, timeoutMs: number): Promise<Answer> {
    if (this.closed) throw new NoAnswerError('connection cut before the request was written');
    let timer: NodeJS.Timeout | undefined;
    const result = await new Promise<Answer | NoAnswerError>((settle) => {
      this.#settle = settle;
      timer = setTimeout(() => {
        this.close();
        this.#done(new NoAnswerError(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      this.connection.write(text);
    });
    clearTimeout(timer);
    if (result instanceof NoAnswerError) throw result;
    if (result.closes) this.close();
    return result;
  }

  close(): void {
    this.closed = true;
    this.connection.close();
    this.#done(new NoAnswerError('closed by the client'));
  }

  #done(result: Answer | NoAnswerError): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(result);
  }
}

function parsed(text: string): Answer {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const closes = /^connection: *close/im.test(head);
  try {
    return { status, body: JSON.parse(text.slice(end + 4)) as Answer['body'], closes };
  } catch {
    return { status, body: {}, closes };
  }
}
