/** A caller of the API: every answer it gets is checked against wire.json and counted. */
import { API_LEVEL_HEADER } from '#domain/levels';
import { noteAction } from './actions.js';
import { countEvent, countRefusal, countSuccess } from './coverage.js';
import { checkAnswerOfCurrentClient } from './current-client.js';
import { isCurrentClient } from './current-client-requests.js';
import { exchange, type RawAnswer, type RawRequest } from './http.js';
import { multipart, type SentFile } from './multipart.js';
import { checkRefusal } from './refusals.js';
import type { Answer, ApiEvent, Fields } from './types.js';
import { checkEvent, checkResponse } from './wire.js';

/** Strings are sent verbatim, everything else as JSON. */
export type Params = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Addresses that get the requests, in turn. */
export interface Target {
  /** Undefined for a server that runs as a program. */
  readonly kind?: 'embedded' | 'cluster' | undefined;
  /** API level of all callers that don't name one; undefined: the server chooses. */
  readonly level?: number | undefined;
  nextPort(): number;
}

const headersOfLevel = ({ level }: Target): Readonly<Record<string, string>> =>
  level === undefined ? {} : { [API_LEVEL_HEADER]: String(level) };

export const basic = (email: string, key: string): string =>
  `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function encode(params: Params): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) form.append(name, asText(value));
  }
  return form.toString();
}

interface BotWithoutSecrets extends Fields {
  readonly services?: readonly Fields[];
}

const withTokens = (bot: BotWithoutSecrets): Fields => ({
  ...bot,
  ...(bot.services && { services: bot.services.map((service) => ({ token: '', ...service })) }),
});

const withSecrets = (bot: BotWithoutSecrets): Fields => ({ api_key: '', ...withTokens(bot) });

/** The answer to a session in the form that the contract has for all clients. */
function withPlaceholdersForBotSecrets(body: Fields): Fields {
  const bots = body.realm_bots as readonly BotWithoutSecrets[] | undefined;
  const events = body.events as readonly ApiEvent[] | undefined;
  return {
    ...body,
    ...(bots && { realm_bots: bots.map(withSecrets) }),
    ...(events && {
      events: events.map((event) => {
        if (event.type !== 'realm_bot' || (event.op !== 'add' && event.op !== 'update')) return event;
        return { ...event, bot: (event.op === 'add' ? withSecrets : withTokens)(event.bot as BotWithoutSecrets) };
      }),
    }),
  };
}

export class Client {
  constructor(
    readonly target: Target,
    /** The role in the table of coverage. */
    readonly role: string,
    /** Headers of each request; {} for an anonymous caller. */
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** True for a caller whose requests ask for a newer level than the base level. */
  get isAtNewerLevel(): boolean {
    return isCurrentClient({ ...headersOfLevel(this.target), ...this.headers });
  }

  /** The same caller with other headers. */
  with(headers: Readonly<Record<string, string>>, role = this.role): Client {
    return new Client(this.target, role, { ...this.headers, ...headers });
  }

  /** The same caller, always at this frontend, which knows everything that it answered. */
  at(port: number): Client {
    const { kind, level } = this.target;
    return new Client({ kind, level, nextPort: () => port }, this.role, this.headers);
  }

  raw(of: RawRequest): Promise<RawAnswer> {
    // The port is left out, because it differs between frontends and occurs in answers.
    const headers = { host: '127.0.0.1', ...headersOfLevel(this.target), ...this.headers, ...of.headers };
    return exchange(this.target.nextPort(), { ...of, headers });
  }

  /** @param operation as in wire.json; `{name}` segments are taken from the parameters */
  async call(operation: string, params: Params = {}, options: CallOptions = {}): Promise<Answer> {
    const [method = '', template = ''] = operation.split(' ');
    const rest: Record<string, unknown> = { ...params };
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest[name];
      delete rest[name];
      // The rest of an address may have several segments.
      const segments = name === 'filename' ? String(value).split('/') : [String(value)];
      return segments.map(encodeURIComponent).join('/');
    });
    const encoded = encode(rest);
    const inQuery = method === 'GET' && encoded !== '';
    const answer = await this.raw({
      method,
      path: `/api/v1${path}${inQuery ? `?${encoded}` : ''}`,
      headers: {
        ...(method === 'GET' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...options.headers,
      },
      ...(method === 'GET' ? {} : { body: encoded }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    this.#check(operation, answer, params);
    return answer;
  }

  /** Like `call`, with files in a multipart form. */
  async upload(operation: string, files: readonly SentFile[], params: Params = {}): Promise<Answer> {
    const [method = '', template = ''] = operation.split(' ');
    const rest: Record<string, unknown> = { ...params };
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = encodeURIComponent(String(rest[name]));
      delete rest[name];
      return value;
    });
    const fields = Object.entries(rest).map(([name, value]) => [name, asText(value)]);
    const { type, body } = multipart(files, Object.fromEntries(fields));
    const answer = await this.raw({ method, path: `/api/v1${path}`, headers: { 'content-type': type }, body });
    this.#check(operation, answer, params);
    return answer;
  }

  /** Like `call` for a POST whose body is no form: all parameters but those of the path are in the query. */
  async post(operation: string, params: Params, body: string | Uint8Array, type = 'application/json'): Promise<Answer> {
    const rest: Record<string, unknown> = { ...params };
    const path = operation.split(' ')[1]!.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = encodeURIComponent(String(rest[name]));
      delete rest[name];
      return value;
    });
    const headers = { 'content-type': type };
    const answer = await this.raw({ method: 'POST', path: `/api/v1${path}?${encode(rest)}`, headers, body });
    this.#check(operation, answer, params);
    return answer;
  }

  /** @throws Error when the answer is not in the contract */
  #check(operation: string, { status, body }: Answer, sent: Params): void {
    if (this.isAtNewerLevel) {
      checkAnswerOfCurrentClient(operation, status, body, sent);
      if (status < 300) noteAction(operation, this.headers.authorization);
      return;
    }
    if (status === 302) {
      countSuccess(operation, this.role);
      return;
    }
    if (status >= 300) {
      const entry = checkRefusal(operation, status, body, this.headers.cookie !== undefined);
      countRefusal(operation, this.role, status, body, entry);
      return;
    }
    // register.md § fetch_event_types: sessions of the web client get bots without API key and tokens.
    if (this.headers.cookie !== undefined) body = withPlaceholdersForBotSecrets(body);
    checkResponse(operation, body);
    if (operation === 'GET /events') for (const event of body.events as ApiEvent[]) countEvent(checkEvent(event));
    countSuccess(operation, this.role);
    noteAction(operation, this.headers.authorization);
  }

  /** The fields of a success. @throws Error for a refusal */
  async ok<T extends Fields = Fields>(operation: string, params: Params = {}, options: CallOptions = {}): Promise<T> {
    const answer = await this.call(operation, params, options);
    if (answer.status !== 200) {
      throw new Error(`${operation} as ${this.role}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body as T;
  }
}

export interface Refusal {
  readonly status?: number;
  /** Undefined if the answer has no code. */
  readonly code?: string | undefined;
  readonly msg: string;
  readonly extra?: Fields;
}

/** A refusal with status 400 and code BAD_REQUEST, like most. */
export const bad = (msg: string): Refusal => ({ code: 'BAD_REQUEST', msg });

export const missing = (name: string): Refusal => ({
  code: 'REQUEST_VARIABLE_MISSING',
  msg: `Missing '${name}' argument`,
  extra: { var_name: name },
});

export const invalid = (name: string, value: unknown): Refusal => ({
  code: 'REQUEST_VARIABLE_INVALID',
  msg: `Bad value for '${name}': ${value}`,
  extra: { var_name: name, bad_value: value },
});

export const unauthorized = (msg: string): Refusal => ({ status: 401, code: 'UNAUTHORIZED', msg });

/** The complete body of a refusal. */
export function refusalBody({ code, msg, extra }: Refusal): Fields {
  return { result: 'error', msg, ...(code === undefined ? {} : { code }), ...extra };
}
