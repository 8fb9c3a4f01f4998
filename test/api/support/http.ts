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

/** Longest body that may be JSON: a file of 25 MiB is not read as text unless a test asks for its text. */
const MAX_JSON = 8 * 1_048_576;

/** @returns {} for a body that is no JSON: of a file, or the empty one of HEAD and OPTIONS */
function parsed(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return {};
  }
}

export async function exchange(port: number, request: RawRequest): Promise<RawAnswer> {
  const headers = { host: `${HOST}:${port}`, ...request.headers };
  const answer = await exchangeWith(HOST, port, { ...request, headers });
  const { bytes } = answer;
  if (bytes.length <= MAX_JSON) {
    const text = bytes.toString('utf8');
    return { ...answer, body: parsed(text), text };
  }
  return {
    ...answer,
    body: {},
    get text() {
      return bytes.toString('utf8');
    },
  };
}

export const closeIdle = closeIdleConnections;
