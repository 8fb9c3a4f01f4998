/** Client for the few API calls that these tests make themselves. */
import { API_LEVEL_HEADER } from '#domain/levels';
import { LAST_RESERVED_USER_ID } from '#domain/people';
import type { Account } from '../../support/credentials.js';
import { exchangeWith } from '../../support/http-exchange.js';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface QueueEvent {
  readonly id: number;
  readonly type: string;
  readonly message?: { readonly id: number; readonly content: string };
  /** Fields of event types without a declaration here. */
  readonly [field: string]: unknown;
}

/** Message fields that these tests read. `edit_history` is absent from messages without edits. */
export interface Message {
  readonly id: number;
  readonly content: string;
  readonly stream_id: number;
  readonly subject: string;
  readonly sender_id: number;
  readonly flags: readonly string[];
  readonly reactions: readonly { readonly user_id: number; readonly emoji_name: string }[];
  readonly edit_history?: readonly unknown[];
}

/** Response of the server that is not a success. */
export class RefusedError extends Error {
  constructor(readonly answer: Answer) {
    super(`${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

export class Api {
  readonly #authorization: string;
  readonly #address: URL;

  constructor(
    readonly site: string,
    readonly account: Account,
    /** API level announced by the requests; undefined leaves the choice to the server. */
    private readonly level?: number,
  ) {
    this.#address = new URL(site);
    this.#authorization = `Basic ${Buffer.from(`${account.email}:${account.key}`).toString('base64')}`;
  }

  /** Client for the same account at another API level. */
  atLevel(level: number): Api {
    return new Api(this.site, this.account, level);
  }

  /** Makes a call. Rejects only if no response arrives. */
  async call(
    method: string,
    path: string,
    params: Readonly<Record<string, unknown>> = {},
    timeoutMs = 70_000,
  ): Promise<Answer> {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(params)) {
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    const get = method === 'GET';
    const { hostname, port, host } = this.#address;
    const answer = await exchangeWith(hostname, Number(port), {
      method,
      path: `/api/v1${path}${get ? `?${form}` : ''}`,
      headers: {
        host,
        authorization: this.#authorization,
        ...(this.level === undefined ? {} : { [API_LEVEL_HEADER]: String(this.level) }),
        ...(get ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(get ? {} : { body: form.toString() }),
    });
    return { status: answer.status, body: JSON.parse(answer.bytes.toString()) as Answer['body'] };
  }

  async ok(
    method: string,
    path: string,
    params: Readonly<Record<string, unknown>> = {},
    timeoutMs?: number,
  ): Promise<Answer['body']> {
    const answer = await this.call(method, path, params, timeoutMs);
    if (answer.body.result !== 'success') throw new RefusedError(answer);
    return answer.body;
  }

  async subscribe(...streams: string[]): Promise<void> {
    await this.ok('POST', '/users/me/subscriptions', { subscriptions: streams.map((name) => ({ name })) });
  }

  /** @returns message id */
  async send(stream: string, content: string, timeoutMs?: number): Promise<number> {
    const to = { type: 'stream', to: stream, topic: 'test', content };
    return (await this.ok('POST', '/messages', to, timeoutMs)).id as number;
  }

  async register(types: readonly string[] = ['message']): Promise<{ queue_id: string; last_event_id: number }> {
    const body = await this.ok('POST', '/register', { event_types: types });
    return { queue_id: body.queue_id as string, last_event_id: body.last_event_id as number };
  }

  async events(queue: string, last: number, options: Readonly<Record<string, unknown>> = {}): Promise<QueueEvent[]> {
    const body = await this.ok('GET', '/events', { queue_id: queue, last_event_id: last, ...options });
    return body.events as QueueEvent[];
  }

  /** Newest messages of a stream with raw contents, oldest first; without notices by the server. */
  async history(stream: string, limit = 1_000): Promise<Message[]> {
    const messages = await this.messages([{ operator: 'stream', operand: stream }], limit);
    return messages.filter(({ sender_id }) => sender_id > LAST_RESERVED_USER_ID);
  }

  /** Newest messages of a narrow with raw contents, oldest first; includes notices by the server. */
  async messages(narrow: readonly Readonly<Record<string, unknown>>[], limit = 1_000): Promise<Message[]> {
    const params = { anchor: 'newest', num_before: limit, num_after: 0, apply_markdown: false, narrow };
    return (await this.ok('GET', '/messages', params)).messages as Message[];
  }
}

export const myId = async (api: Api): Promise<number> => (await api.ok('GET', '/users/me')).user_id as number;
