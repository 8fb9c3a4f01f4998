/**
 * Calls of the HTTP API with the types of the contract:
 *
 *     const { messages } = await api.get('/messages', { anchor: 'newest', num_before: 50, num_after: 0 });
 *     await api.patch('/messages/{message_id}', { message_id: 5, content: 'better' });
 *
 * A call throws `ApiFailure` when the server refuses it, and `Unreachable` when there is no answer or the server can't
 * serve now; the request may have taken effect then.
 */
import { type Answers, QUOTED, type Requests } from '../contract/index.js';
import type { HttpAnswer, LocalFile, Platform } from './ports.js';

const PREFIX = '/api/v1';

/** The server takes a session cookie only together with this header, which no other site can send. */
const HEADERS: Readonly<Record<string, string>> = { 'X-Conclave-Web': '1' };

type PathsOf<M extends string> = keyof Requests extends infer K ? (K extends `${M} ${infer P}` ? P : never) : never;
type RequestOf<M extends string, P extends string> = `${M} ${P}` extends keyof Requests ? Requests[`${M} ${P}`] : never;
type AnswerOf<M extends string, P extends string> = `${M} ${P}` extends keyof Answers ? Answers[`${M} ${P}`] : never;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The server's refusal. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    readonly status: number,
    /** Code of the API's error; empty where the answer has none. */
    readonly code: string,
    /** English text of the server. */
    message: string,
    /** Time after which the call may be repeated; undefined unless calls came too fast. */
    readonly retryAfterMs: number | undefined,
    /** All fields of the answer. */
    readonly fields: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

/** No answer, or one of a server or proxy that can't serve now. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

type Values = Readonly<Record<string, unknown>>;

export class Api {
  /** Called when the server no longer knows the session. */
  onSignedOut: () => void = () => {};

  constructor(private readonly platform: Platform) {}

  get<P extends PathsOf<'GET'>>(path: P, params: RequestOf<'GET', P>, options?: CallOptions) {
    return this.#call<AnswerOf<'GET', P>>('GET', path, params, options);
  }

  post<P extends PathsOf<'POST'>>(path: P, params: RequestOf<'POST', P>, options?: CallOptions) {
    return this.#call<AnswerOf<'POST', P>>('POST', path, params, options);
  }

  patch<P extends PathsOf<'PATCH'>>(path: P, params: RequestOf<'PATCH', P>, options?: CallOptions) {
    return this.#call<AnswerOf<'PATCH', P>>('PATCH', path, params, options);
  }

  put<P extends PathsOf<'PUT'>>(path: P, params: RequestOf<'PUT', P>, options?: CallOptions) {
    return this.#call<AnswerOf<'PUT', P>>('PUT', path, params, options);
  }

  delete<P extends PathsOf<'DELETE'>>(path: P, params: RequestOf<'DELETE', P>, options?: CallOptions) {
    return this.#call<AnswerOf<'DELETE', P>>('DELETE', path, params, options);
  }

  /** A call beside the API: the sessions of this client. */
  async web<T>(method: string, path: string, params: Values = {}): Promise<T> {
    const request = { method, path, headers: headersOf(method), body: bodyOf(method, params) };
    const answer = await reached(this.platform.fetch(request), undefined);
    return this.#read<T>(answer);
  }

  /** Uploads one file. @param path below the API, `/user_uploads` for attachments */
  async upload<T = { readonly uri: string }>(
    path: string,
    file: LocalFile,
    onProgress: (sent: number) => void,
    { signal }: CallOptions = {},
  ): Promise<T> {
    const request = { path: `${PREFIX}${path}`, headers: HEADERS, file, onProgress, signal };
    return this.#read<T>(await reached(this.platform.upload(request), signal));
  }

  async #call<T>(method: string, path: string, params: object, { signal }: CallOptions = {}): Promise<T> {
    const quoted = QUOTED[`${method} ${path}`] ?? [];
    const left: Record<string, string> = {};
    let filled = path;
    for (const [name, value] of Object.entries(params)) {
      if (value === undefined) continue;
      const text = typeof value === 'string' && !quoted.includes(name) ? value : JSON.stringify(value);
      if (filled.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(text));
      else left[name] = text;
    }
    const query = method === 'GET' && Object.keys(left).length > 0 ? `?${new URLSearchParams(left)}` : '';
    const answer = await reached(
      this.platform.fetch({
        method,
        path: `${PREFIX}${filled}${query}`,
        headers: headersOf(method),
        body: bodyOf(method, left),
        signal,
      }),
      signal,
    );
    return this.#read<T>(answer);
  }

  #read<T>({ status, text }: HttpAnswer): T {
    const body = parsed(text);
    if (status >= 200 && status < 300 && body) return body as T;
    if (!body || status === 502 || status === 503 || status === 504) throw new Unreachable(`status ${status}`);
    const code = typeof body.code === 'string' ? body.code : '';
    // A wrong password is a refusal of the sign-in, not the end of a session.
    if (status === 401 && !code.startsWith('AUTHENTICATION')) this.onSignedOut();
    const after = body['retry-after'];
    throw new ApiFailure(
      status,
      code,
      String(body.msg ?? ''),
      typeof after === 'number' ? after * 1000 : undefined,
      body,
    );
  }
}

const headersOf = (method: string): Readonly<Record<string, string>> =>
  method === 'GET' ? HEADERS : { ...HEADERS, 'Content-Type': 'application/x-www-form-urlencoded' };

function bodyOf(method: string, params: Values): string | undefined {
  if (method === 'GET') return undefined;
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) form.append(name, String(value));
  return form.toString();
}

/** An aborted call throws what its caller gave as the reason. */
async function reached(answer: Promise<HttpAnswer>, signal: AbortSignal | undefined): Promise<HttpAnswer> {
  try {
    return await answer;
  } catch (error) {
    signal?.throwIfAborted();
    throw new Unreachable(error instanceof Error ? error.message : String(error));
  }
}

function parsed(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Values) : undefined;
  } catch {
    return undefined;
  }
}
