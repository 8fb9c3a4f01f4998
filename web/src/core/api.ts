/**
 * Calls of the HTTP API with the types of the contract:
 *
 *     const { messages } = await api.get('/messages', { anchor: 'newest', num_before: 50, num_after: 0 });
 *     await api.patch('/messages/{message_id}', { message_id: 5, content: 'better' });
 *
 * A call throws `ApiFailure` when the server refuses it, and `ServerUnreachable` when there is no answer or the server
 * can't serve now; the request may have taken effect then.
 */
import { type Answers, CSRF_HEADERS, QUOTED, type Requests, USER_ID_HEADER } from '../contract/index.js';
import type { HttpAnswer, LocalFile, Platform } from './ports.js';

const API_PATH_PREFIX = '/api/v1';

type ApiPathsOfMethod<M extends string> = keyof Requests extends infer K
  ? K extends `${M} ${infer P}`
    ? P
    : never
  : never;
type EndpointRequest<M extends string, P extends string> = `${M} ${P}` extends keyof Requests
  ? Requests[`${M} ${P}`]
  : never;
type EndpointAnswer<M extends string, P extends string> = `${M} ${P}` extends keyof Answers
  ? Answers[`${M} ${P}`]
  : never;

export interface ApiCallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Answers of servers and proxies to an address that is too long. They may have no fields. */
const TOO_LONG_STATUSES = new Set([414, 431]);

interface UploadOptions extends ApiCallOptions {
  readonly method?: 'POST' | 'PATCH';
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

/** The server did not answer, or it or a proxy can't serve now. */
export class ServerUnreachable extends Error {
  override readonly name = 'Unreachable';
}

type FieldsByName = Readonly<Record<string, unknown>>;

export class ApiClient {
  /** Called when the server no longer knows the session. */
  onSessionRejected: (code: string) => void = () => {};

  /** The account that requests are meant for; 0 without one. */
  userId = 0;

  constructor(private readonly platform: Platform) {}

  get<P extends ApiPathsOfMethod<'GET'>>(path: P, params: EndpointRequest<'GET', P>, options?: ApiCallOptions) {
    return this.#callEndpoint<EndpointAnswer<'GET', P>>('GET', path, params, options);
  }

  post<P extends ApiPathsOfMethod<'POST'>>(path: P, params: EndpointRequest<'POST', P>, options?: ApiCallOptions) {
    return this.#callEndpoint<EndpointAnswer<'POST', P>>('POST', path, params, options);
  }

  patch<P extends ApiPathsOfMethod<'PATCH'>>(path: P, params: EndpointRequest<'PATCH', P>, options?: ApiCallOptions) {
    return this.#callEndpoint<EndpointAnswer<'PATCH', P>>('PATCH', path, params, options);
  }

  put<P extends ApiPathsOfMethod<'PUT'>>(path: P, params: EndpointRequest<'PUT', P>, options?: ApiCallOptions) {
    return this.#callEndpoint<EndpointAnswer<'PUT', P>>('PUT', path, params, options);
  }

  delete<P extends ApiPathsOfMethod<'DELETE'>>(
    path: P,
    params: EndpointRequest<'DELETE', P>,
    options?: ApiCallOptions,
  ) {
    return this.#callEndpoint<EndpointAnswer<'DELETE', P>>('DELETE', path, params, options);
  }

  /** A call outside of the API, such as those of sessions. */
  async callOutsideApi<T>(method: string, path: string, params: Record<string, string> = {}): Promise<T> {
    const request = {
      method,
      path,
      headers: this.#makeHeaders(),
      body: method === 'GET' ? undefined : new URLSearchParams(params),
    };
    const answer = await awaitAnswerOrUnreachable(this.platform.fetch(request), undefined);
    return this.#parseAnswerOrThrow<T>(answer);
  }

  /** Uploads one file. @param path below the API, `/user_uploads` for attachments */
  async uploadFile<T = { readonly uri: string }>(
    path: string,
    file: LocalFile,
    onProgress: (sent: number) => void,
    { signal, method = 'POST' }: UploadOptions = {},
  ): Promise<T> {
    const request = {
      method,
      path: `${API_PATH_PREFIX}${path}`,
      headers: this.#makeHeaders(),
      file,
      onProgress,
      signal,
    };
    return this.#parseAnswerOrThrow<T>(await awaitAnswerOrUnreachable(this.platform.upload(request), signal));
  }

  async #callEndpoint<T>(method: string, path: string, params: object, { signal }: ApiCallOptions = {}): Promise<T> {
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
    const answer = await awaitAnswerOrUnreachable(
      this.platform.fetch({
        method,
        path: `${API_PATH_PREFIX}${filled}${query}`,
        headers: this.#makeHeaders(path),
        body: method === 'GET' ? undefined : new URLSearchParams(left),
        signal,
      }),
      signal,
    );
    return this.#parseAnswerOrThrow<T>(answer);
  }

  /** A registration tells whose session it is, so it is meant for any account. */
  #makeHeaders(path?: string): Readonly<Record<string, string>> {
    if (!this.userId || path === '/register') return CSRF_HEADERS;
    return { ...CSRF_HEADERS, [USER_ID_HEADER]: `${this.userId}` };
  }

  #parseAnswerOrThrow<T>({ status, text }: HttpAnswer): T {
    const body = parseJsonObject(text) ?? (TOO_LONG_STATUSES.has(status) ? {} : undefined);
    if (status >= 200 && status < 300 && body) return body as T;
    if (!body || (status >= 502 && status <= 504)) throw new ServerUnreachable(`status ${status}`);
    const code = typeof body.code === 'string' ? body.code : '';
    // A wrong password refuses the sign-in. It does not end a session.
    if (status === 401 && !code.startsWith('AUTHENTICATION')) this.onSessionRejected(code);
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

/** @throws ServerUnreachable; the reason of the abort after an abort */
async function awaitAnswerOrUnreachable(
  answer: Promise<HttpAnswer>,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  try {
    return await answer;
  } catch (error) {
    signal?.throwIfAborted();
    throw new ServerUnreachable(error instanceof Error ? error.message : String(error));
  }
}

function parseJsonObject(text: string): FieldsByName | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as FieldsByName) : undefined;
  } catch {
    return undefined;
  }
}
