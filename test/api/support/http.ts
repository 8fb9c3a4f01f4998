/** One HTTP request with control over everything: raw bodies, headers, and leaving before the answer. */
import { Agent, request } from 'node:http';
import type { Answer, Fields } from './types.js';

export interface RawRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface RawAnswer extends Answer {
  readonly text: string;
  readonly bytes: Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** A call longer than any heartbeat interval hangs; without this limit a lost answer would stop the run silently. */
const LONGEST_MS = 60_000;

export function exchange(port: number, of: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body, signal } = of;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const req = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        headers: { ...length, ...headers },
        ...(signal ? { signal } : {}),
      },
      (res) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('error', reject);
        res.on('end', () => {
          const bytes = Buffer.concat(parts);
          const text = bytes.toString('utf8');
          let parsed: Fields = {};
          try {
            parsed = JSON.parse(text) as Fields;
          } catch {
            // HEAD, OPTIONS: no body.
          }
          resolve({ status: res.statusCode ?? 0, headers: res.headers, body: parsed, text, bytes });
        });
      },
    );
    req.setTimeout(LONGEST_MS, () => req.destroy(new Error(`no answer within ${LONGEST_MS} ms: ${method} ${path}`)));
    req.on('error', reject);
    req.end(body);
  });
}

/** Idle connections would keep a closing server waiting. */
export const closeIdle = (): void => agent.destroy();
