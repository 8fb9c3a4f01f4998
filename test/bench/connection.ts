/**
 * One keep-alive connection of the load generator: writes ready-made requests, counts answers by Content-Length. Nothing
 * else, so that the generator isn't what is measured.
 */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('content-length: ');
const OK = Buffer.from('HTTP/1.1 200');

export interface Answered {
  /** Status 200. */
  readonly ok: boolean;
  /** Head and body; only with `keep`, or when not ok. */
  readonly text: string;
}

export interface ConnectionOptions {
  /** Address of ours; one of them has some 28,000 ports. */
  readonly from?: string;
  readonly bufferBytes?: number;
}

export class Connection {
  onAnswer: (answer: Answered) => void = () => {};
  onGone: (error: Error | undefined) => void = () => {};
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the present answer still to come. */
  #missing = 0;
  #ok = true;

  private constructor(
    port: number,
    private readonly keep: boolean,
    opened: () => void,
    { from, bufferBytes = 16_384 }: ConnectionOptions,
  ) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      ...(from === undefined ? {} : { localAddress: from }),
      onread: {
        buffer: Buffer.allocUnsafeSlow(bufferBytes),
        callback: (size, buffer) => {
          this.#data(Buffer.from(buffer.buffer, buffer.byteOffset, size));
          return true;
        },
      },
    });
    this.#socket.once('connect', opened);
    this.#socket.on('error', (error) => this.onGone(error));
    this.#socket.on('close', () => this.onGone(undefined));
  }

  /** @param keep hand over the answers' texts */
  static open(port: number, keep = false, options: ConnectionOptions = {}): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection: Connection = new Connection(port, keep, () => resolve(connection), options);
      connection.onGone = (error) => reject(error ?? new Error('connection closed'));
    });
  }

  write(request: string): void {
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.onGone = () => {};
    this.#socket.destroy();
  }

  #data(bytes: Buffer): void {
    if (this.#missing > bytes.length) {
      this.#missing -= bytes.length;
      return;
    }
    if (this.#missing > 0) {
      this.#missing = 0;
      this.onAnswer({ ok: this.#ok, text: '' });
      return;
    }
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const head = data.indexOf(HEAD_END);
    if (head < 0) {
      this.#rest = Buffer.from(data);
      return;
    }
    const end = head + 4 + lengthOf(data, head);
    this.#ok = data.subarray(0, OK.length).equals(OK);
    const wanted = this.keep || !this.#ok;
    if (end > data.length) {
      // Texts are needed whole; otherwise counting is enough.
      if (wanted) this.#rest = Buffer.from(data);
      else {
        this.#rest = EMPTY;
        this.#missing = end - data.length;
      }
      return;
    }
    this.#rest = EMPTY;
    this.onAnswer({ ok: this.#ok, text: wanted ? data.toString('utf8', 0, end) : '' });
  }
}

const EMPTY: Buffer = Buffer.alloc(0);

function lengthOf(data: Buffer, head: number): number {
  const at = data.indexOf(LENGTH);
  if (at >= 0 && at < head) {
    let n = 0;
    for (let i = at + LENGTH.length; data[i]! >= 48; i++) n = n * 10 + data[i]! - 48;
    return n;
  }
  const named = /content-length: *(\d+)/i.exec(data.toString('latin1', 0, head));
  return named ? Number(named[1]) : 0;
}

/** A request as it goes over the wire. */
export function requestText(method: 'GET' | 'POST', path: string, authorization: string, form?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ZulipBench/1\r\nAuthorization: ${authorization}\r\n`;
  if (form === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(form)}\r\n\r\n${form}`;
}

/** One request on a connection of its own; head and body of the answer. */
export async function once(port: number, request: string): Promise<Answered> {
  const connection = await Connection.open(port, true);
  try {
    return await new Promise<Answered>((resolve, reject) => {
      connection.onAnswer = resolve;
      connection.onGone = (error) => reject(error ?? new Error('connection closed'));
      connection.write(request);
    });
  } finally {
    connection.close();
  }
}
