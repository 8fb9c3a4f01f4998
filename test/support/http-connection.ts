/**
 * Keep-alive connection of a load generator: writes prepared requests and parses responses. Does as little work as
 * possible, so that measurements show the server and not the generator. Carries one request at a time.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Answered, AnswerReader } from './http-answers.js';

export interface Peer {
  readonly host: string;
  readonly port: number;
  /** Whether to connect by TLS. */
  readonly tls: boolean;
  /** Accepts any certificate. */
  readonly insecure?: boolean;
}

/** Read buffer that all plain connections share: its contents are consumed before the next connection reads. */
const SHARED_READ_BUFFER: Buffer = Buffer.allocUnsafeSlow(65_536);

export class HttpConnection {
  /** Called with each response; the response is valid only during the call. */
  onAnswer: (answer: Answered) => void = () => {};
  onGone: (error: Error | undefined) => void = () => {};
  readonly #socket: Socket;
  readonly #reader: AnswerReader;

  private constructor(peer: Peer, keep: boolean, opened: () => void) {
    this.#reader = new AnswerReader(keep, (answer) => this.onAnswer(answer));
    const { host, port } = peer;
    if (peer.tls) {
      const checked = { rejectUnauthorized: peer.insecure !== true, ALPNProtocols: ['http/1.1'] };
      this.#socket = connectTls({ host, port, servername: host, ...checked });
      this.#socket.setNoDelay(true);
      this.#socket.on('data', (bytes: Buffer) => this.#data(bytes));
      this.#socket.once('secureConnect', opened);
    } else {
      const callback = (size: number): boolean => {
        this.#data(SHARED_READ_BUFFER.subarray(0, size));
        return true;
      };
      this.#socket = connect({ host, port, noDelay: true, onread: { buffer: SHARED_READ_BUFFER, callback } });
      this.#socket.once('connect', opened);
    }
    this.#socket.on('error', (error) => this.onGone(error));
    this.#socket.on('close', () => this.onGone(undefined));
  }

  /** @param keep pass on whole responses; otherwise heads and bodies of errors only */
  static open(peer: Peer, keep: boolean): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const connection: HttpConnection = new HttpConnection(peer, keep, () => {
        connection.onGone = () => {};
        resolve(connection);
      });
      connection.onGone = (error) => reject(error ?? new Error('connection closed'));
    });
  }

  write(request: string): void {
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.onGone = () => {};
    this.onAnswer = () => {};
    this.#socket.destroy();
  }

  #data(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }
}

/**
 * Serializes a request for the wire.
 * @param headers header lines that each end with CRLF, including Host
 * @param form URL-encoded form, so ASCII only
 */
export function requestText(method: string, path: string, headers: string, form?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\n${headers}`;
  if (form === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
}
