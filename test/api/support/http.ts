/** One HTTP request with control over everything: raw bodies, headers, and leaving before the answer. */
import { closeIdleConnections, exchangeWith } from '../../support/http-exchange.js';
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

const HOST = '127.0.0.1';

export async function exchange(port: number, request: RawRequest): Promise<RawAnswer> {
  const headers = { host: `${HOST}:${port}`, ...request.headers };
  const answer = await exchangeWith(HOST, port, { ...request, headers });
  const text = answer.bytes.toString('utf8');
  let body: Fields = {};
  try {
    body = JSON.parse(text) as Fields;
  } catch {
    // HEAD, OPTIONS: no body.
  }
  return { ...answer, body, text };
}

export const closeIdle = closeIdleConnections;
