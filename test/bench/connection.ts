/** HTTP connection of the benchmark to a server on this machine, which reads answers as texts or only counts them. */
import { API_LEVEL_HEADER } from '#domain/levels';
import { HttpConnection, requestText as text } from '../support/http-connection.js';

export interface TextAnswer {
  /** Status 200. */
  readonly ok: boolean;
  /** Head and body. Empty for a success on a connection that does not keep texts. */
  readonly text: string;
}

export class Connection {
  onAnswer: (answer: TextAnswer) => void = () => {};
  readonly #http: HttpConnection;

  private constructor(http: HttpConnection, keep: boolean) {
    this.#http = http;
    http.onAnswer = ({ status, head, body }) => {
      const ok = status === 200;
      const whole = keep || !ok ? `HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body.toString()}` : '';
      this.onAnswer({ ok, text: whole });
    };
  }

  /** @param keep whether successful answers have their texts, too */
  static async open(port: number, keep = false): Promise<Connection> {
    return new Connection(await HttpConnection.open({ host: '127.0.0.1', port, tls: false }, keep), keep);
  }

  set onGone(gone: (error: Error | undefined) => void) {
    this.#http.onGone = gone;
  }

  write(request: string): void {
    this.#http.write(request);
  }

  close(): void {
    this.#http.close();
  }
}

/** HTTP/1.1 request as text, headers and body. */
export const requestText = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  authorization: string,
  form?: string,
  level?: number,
): string => {
  const wanted = level === undefined ? '' : `${API_LEVEL_HEADER}: ${level}\r\n`;
  const head = `Host: localhost\r\nUser-Agent: ZulipBench/1\r\nAuthorization: ${authorization}\r\n${wanted}`;
  return text(method, path, head, form);
};

/** Sends one request on a new connection. @returns head and body of the response */
export async function requestOnce(port: number, request: string): Promise<TextAnswer> {
  const connection = await Connection.open(port, true);
  try {
    return await new Promise<TextAnswer>((resolve, reject) => {
      connection.onAnswer = resolve;
      connection.onGone = (error) => reject(error ?? new Error('connection closed'));
      connection.write(request);
    });
  } finally {
    connection.close();
  }
}
