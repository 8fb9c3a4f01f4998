/** HTTP request of a simulated client; the scheduler delays the request and its response. */
import type { HttpExchange } from '#frontend/http';
import type { Scheduler } from './scheduler.js';
import type { SimProcess } from './sim-process.js';

export type Params = Readonly<Record<string, string | number | boolean | object | null>>;

/** Response to a call. Status 'lost': the connection broke, so the outcome is unknown. */
export interface HttpResponse {
  readonly status: number | 'lost';
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
  readonly body: any;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Params;
  readonly authorization: string;
  /** Additional headers, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the request in the trace. */
  readonly label: string;
}

const encodeForm = (params: Params): string =>
  Object.entries(params)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${name}=${encodeURIComponent(text)}`;
    })
    .join('&');

export class HttpCall implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly hasBody: boolean;
  aborted = false;
  requestId = '';
  answered = false;
  #isFinished = false;
  #onAborted: (() => void) | undefined;
  readonly #body: string;

  constructor(
    private readonly request: HttpRequest,
    readonly frontend: SimProcess,
    private readonly scheduler: Scheduler,
    private readonly onResponse: (response: HttpResponse) => void,
  ) {
    const form = encodeForm(request.params);
    this.method = request.method;
    this.path = `/api/v1${request.path}`;
    this.hasBody = request.method !== 'GET';
    this.query = this.hasBody ? '' : form;
    this.#body = this.hasBody ? form : '';
    scheduler.add(`${request.label} > ${frontend.name}`, frontend, () => {
      if (!this.aborted) frontend.httpFrontend!.handleRequest(this);
    });
  }

  /** Aborts the request from the client's side. */
  abort(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const notifyFrontend = (): void => {
      this.aborted = true;
      this.#onAborted?.();
    };
    this.scheduler.add(`${this.request.label} aborted`, this.frontend, notifyFrontend);
  }

  /** Breaks the connection, because the frontend is dead. */
  reset(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.scheduler.add(`${this.request.label} reset`, undefined, () =>
      this.onResponse({ status: 'lost', body: undefined }),
    );
  }

  headerLines(name: string): string {
    return this.header(name);
  }

  header(name: string): string {
    if (name === 'authorization') return this.request.authorization;
    if (name === 'host') return 'localhost';
    if (name === 'content-type' && this.hasBody) return 'application/x-www-form-urlencoded';
    return this.request.headers?.[name] ?? '';
  }

  remoteAddress(): string {
    return '127.0.0.1';
  }

  readBody(done: (body: Uint8Array | undefined) => void): void {
    done(new TextEncoder().encode(this.#body));
  }

  releasePathAndQuery(): void {}
  reuseForNextRequestIfPossible(next: HttpExchange): HttpExchange {
    return next;
  }

  setRequestId(id: string, n?: number): void {
    this.requestId = n === undefined ? id : `${id}${n}`;
  }

  setAbortListener(listener: () => void): void {
    this.#onAborted = listener;
    if (this.aborted) listener();
  }

  respondFromSource(): void {
    throw new Error('no simulated operation streams its response');
  }

  respond(status: number, _headers: unknown, parts: readonly (string | Uint8Array)[]): void {
    if (this.#isFinished || this.aborted) return;
    this.answered = true;
    const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    this.scheduler.add(`${this.request.label} = ${status}`, undefined, () => {
      if (this.#isFinished) return;
      this.#isFinished = true;
      const body = bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
      if (status >= 400)
        this.scheduler.note(`${this.request.label}: ${this.scheduler.replaceQueueIds(String(body?.msg))}`);
      this.onResponse({ status, body });
    });
  }
}
