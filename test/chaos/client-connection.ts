/** Keep-alive HTTP connection of a client, with one request at a time. */
import { Connection } from '../bench/connection.js';

export interface ApiResponse {
  readonly status: number;
  /** Parsed JSON; empty if the body is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the response has `Connection: close`. */
  readonly closes: boolean;
}

/** Request without a response: the connection was lost, or the timeout expired. */
export class UnansweredError extends Error {}

export class ClientConnection {
  busy = false;
  closed = false;
  #settle: ((result: ApiResponse | UnansweredError) => void) | undefined;

  private constructor(private readonly connection: Connection) {
    connection.onAnswer = ({ text }) => this.#done(parsed(text));
    connection.onGone = (error) => {
      this.closed = true;
      this.#done(new UnansweredError(`connection cut: ${error?.message ?? 'closed by the server'}`));
    };
  }

  /** @throws Error when no process listens on the port */
  static async open(port: number): Promise<ClientConnection> {
    return new ClientConnection(await Connection.open(port, true));
  }

  /** @throws UnansweredError */
  async request(text: string, timeoutMs: number): Promise<ApiResponse> {
    if (this.closed) throw new UnansweredError('connection cut before the request was written');
    let timer: NodeJS.Timeout | undefined;
    const result = await new Promise<ApiResponse | UnansweredError>((settle) => {
      this.#settle = settle;
      timer = setTimeout(() => {
        this.close();
        this.#done(new UnansweredError(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      this.connection.write(text);
    });
    clearTimeout(timer);
    if (result instanceof UnansweredError) throw result;
    if (result.closes) this.close();
    return result;
  }

  close(): void {
    this.closed = true;
    this.connection.close();
    this.#done(new UnansweredError('closed by the client'));
  }

  #done(result: ApiResponse | UnansweredError): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(result);
  }
}

function parsed(text: string): ApiResponse {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const closes = /^connection: *close/im.test(head);
  try {
    return { status, body: JSON.parse(text.slice(end + 4)) as ApiResponse['body'], closes };
  } catch {
    return { status, body: {}, closes };
  }
}
