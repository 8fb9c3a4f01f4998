/**
 * The pipeline: route, authenticate, validate, forward, reply. What is at hand is used in the same turn: an operation
 * answered from the replica is over when `handle` returns.
 */
import {
  type ActorReply,
  type Answer,
  ApiError,
  apiError,
  type ErrorReply,
  type Forward,
  type Operation,
} from '../api/index.js';
import { hasPublicAccess } from '../streams/index.js';
import { parseAuthorization } from './basic-auth.js';
import { CallOf } from './call.js';
import { clientName } from './client-name.js';
import { checkGuard } from './guard.js';
import { ParameterReader } from './params.js';
import { type Fields, NO_FIELDS, parseForm, parseFormBody } from './params-form.js';
import { parseMultipart } from './params-multipart.js';
import { Pending } from './pending.js';
import { errorBody, errorHeaders, JSON_HEADERS, partialBody, successOfFields, successOfParts } from './reply.js';
import { type Found, Router, segmentsOf } from './route.js';
import { type BodyPart, Headers, type HttpExchange } from './server.js';
import type { AnonymousCaller, Caller, FrontendServices } from './services.js';

export const API_PREFIX = '/api/v1';

export interface FrontendOptions {
  /** Unique among all frontends that ever ran in the cluster: request ids begin with it. */
  readonly instance: string;
  /** Milliseconds from the request's arrival until 503; held polls have none. Default 30 s. */
  readonly deadlineMs?: number;
  /** Scheme of the address that clients use; a proxy may speak TLS for us. Default 'http'. */
  readonly scheme?: 'http' | 'https';
  /** Host (and port) in addresses given to clients that sent no usable Host header. Default 'localhost'. */
  readonly externalHost?: string;
  /** Streams may be opened to the web, and be read without credentials. Default false. */
  readonly webPublicStreams?: boolean;
}

interface Target {
  readonly operation: Operation;
  readonly parameters: ParameterReader;
}

/** What is known of a request from its head. */
interface Arrival {
  readonly exchange: HttpExchange;
  readonly found: Found<Target>;
  readonly authorization: string;
  readonly host: string;
  readonly userAgent: string;
  form: Fields;
  pending: Pending | undefined;
}

const DEFAULT_DEADLINE_MS = 30_000;

export class Frontend {
  #router = new Router<Target>();
  #services: FrontendServices;
  #options: FrontendOptions;
  #requests = 0;
  #held = new Set<Pending>();
  #leaving = false;

  /** Throws for operations that clash, or whose parameters cannot be checked. */
  constructor(operations: readonly Operation[], services: FrontendServices, options: FrontendOptions) {
    this.#services = services;
    this.#options = options;
    for (const operation of operations) {
      const target = { operation, parameters: new ParameterReader(operation) };
      this.#router.add(operation.method, segmentsOf(API_PREFIX, operation), target);
    }
  }

  /** For HttpServer's `handler`. Never throws for what a client sends. */
  readonly handle = (exchange: HttpExchange): void => {
    const found = this.#router.find(exchange.path);
    if (!found) {
      refuse(exchange, apiError('NOT_FOUND').toReply());
      return;
    }
    if (exchange.method === 'OPTIONS') {
      exchange.respond(204, new Headers([['Allow', found.route.allow.join(', ')]]), []);
      return;
    }
    const arrival: Arrival = {
      exchange,
      found,
      authorization: exchange.header('authorization'),
      host: exchange.header('host').toLowerCase(),
      userAgent: exchange.header('user-agent'),
      form: NO_FIELDS,
      pending: undefined,
    };
    if (exchange.hasBody) this.#readForm(arrival, exchange.header('content-type'));
    else this.#dispatch(arrival);
  };

  /** Before shutdown: answer the held polls, so that their clients come back to another frontend. */
  releaseHeld(): void {
    this.#leaving = true;
    for (const pending of [...this.#held]) this.#fail(pending.arrival as Arrival, apiError('SERVICE_UNAVAILABLE'));
  }

  #readForm(arrival: Arrival, contentType: string): void {
    const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
    const multipart = type === 'multipart/form-data';
    if (!multipart && type !== 'application/x-www-form-urlencoded') {
      this.#dispatch(arrival);
      return;
    }
    arrival.exchange.readBody((body) => {
      if (!body) this.#fail(arrival, apiError('BODY_TOO_LARGE'));
      // The bytes are valid during this call only.
      else if (multipart) this.#then(arrival, parseMultipart(Buffer.from(body), contentType), this.#withForm);
      else this.#attempt(arrival, () => this.#withForm(arrival, parseFormBody(body)));
    });
  }

  #withForm = (arrival: Arrival, form: Fields): void => {
    arrival.form = form;
    this.#dispatch(arrival);
  };

  #dispatch(arrival: Arrival): void {
    this.#attempt(arrival, () => {
      const { exchange, found } = arrival;
      let method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
      if (method === 'POST') method = arrival.form.get('method') ?? method;
      const target = found.route.methods.get(method);
      if (!target) throw apiError('METHOD_NOT_ALLOWED', { allowed_methods: found.route.allow });
      const { guard, webhookBots } = target.operation;
      const services = this.#services;
      if (guard === 'none') {
        const anonymous = this.#anonymous(target.operation, arrival.host);
        this.#then(arrival, anonymous, (_, at) => this.#run(arrival, target, at, undefined));
        return;
      }
      if (arrival.authorization === '' && target.operation.anonymous) {
        this.#then(arrival, this.#visitor(arrival.host), (_, at) => this.#run(arrival, target, at, undefined));
        return;
      }
      const { username, key } = parseAuthorization(arrival.authorization);
      this.#then(arrival, services.authenticate(username, key, arrival.host), (_, caller) => {
        checkGuard(guard, webhookBots === true, caller, services.clock.now());
        this.#run(arrival, target, caller, caller);
      });
    });
  }

  #anonymous({ unknownHost }: Operation, host: string): AnonymousCaller | Promise<AnonymousCaller> {
    const at = this.#services.anonymous(host);
    if (!unknownHost || !(at instanceof Promise)) return at;
    return at.catch((error: unknown) => {
      throw error instanceof ApiError && error.reason === 'NONEXISTENT_SUBDOMAIN' ? apiError(unknownHost) : error;
    });
  }

  /** Nobody in particular, where the organization has public access; elsewhere an account is needed. */
  async #visitor(host: string): Promise<AnonymousCaller> {
    const server = this.#options.webPublicStreams ?? false;
    if (!server) throw apiError('NOT_LOGGED_IN');
    try {
      const at = await this.#services.anonymous(host);
      if (hasPublicAccess(server, at.directory)) return at;
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'NONEXISTENT_SUBDOMAIN')) throw error;
    }
    throw apiError('NOT_LOGGED_IN');
  }

  #run(arrival: Arrival, target: Target, at: AnonymousCaller, caller: Caller | undefined): void {
    const { exchange, found, form } = arrival;
    if (caller) target.operation.before?.(caller.directory, caller.user.id);
    const query = exchange.query === '' ? NO_FIELDS : parseForm(exchange.query);
    const { values, ignored } = target.parameters.read(form, query, found.values);
    const client = clientName(form.get('client') ?? query.get('client'), arrival.userAgent);
    const call = new CallOf(values, at, caller, client, arrival.host, this.#options, this.#services);
    this.#then(arrival, target.operation.run(call), (_, outcome) => {
      if ('fields' in outcome) this.#answer(arrival, outcome, ignored);
      else this.#forward(arrival, outcome, at, caller, client, ignored);
    });
  }

  #answer(arrival: Arrival, { fields, headers }: Answer, ignored: readonly string[] | undefined): void {
    const body = fields instanceof Uint8Array ? successOfParts([fields], ignored) : successOfFields(fields, ignored);
    this.#respond(arrival, 200, headers ? JSON_HEADERS.with(headers) : JSON_HEADERS, body);
  }

  #forward(
    arrival: Arrival,
    forward: Forward,
    at: AnonymousCaller,
    caller: Caller | undefined,
    client: string,
    ignored: readonly string[] | undefined,
  ): void {
    const requestId = `${this.#options.instance}-${(++this.#requests).toString(36)}`;
    const pending = this.#pendingOf(arrival);
    if (pending.over) return;
    // On a connection kept alive: it would be held for as long as we wait for the last request.
    if (forward.held && this.#leaving) throw apiError('SERVICE_UNAVAILABLE');
    const forwarding = this.#services.forward(forward, { caller, realm: at.realm, client, requestId });
    pending.forwarding = forwarding;
    if (forward.held) {
      pending.stopDeadline();
      this.#held.add(pending);
    } else if (forward.patienceMs !== undefined) {
      pending.stopDeadline();
      pending.startDeadline(forward.patienceMs);
    }
    this.#then(arrival, forwarding.reply, (_, reply) => {
      pending.forwarding = undefined;
      this.#held.delete(pending);
      this.#reply(arrival, at, reply, ignored);
    });
  }

  #reply(arrival: Arrival, at: AnonymousCaller, reply: ActorReply, ignored: readonly string[] | undefined): void {
    if ('error' in reply) {
      const { status } = reply.error;
      this.#respond(arrival, status, errorHeaders(reply.error), errorBody(reply.error));
      return;
    }
    const { ok, partial } = reply;
    const send = (): void =>
      this.#respond(arrival, 200, JSON_HEADERS, partial ? partialBody(partial) : successOfParts(ok, ignored));
    if (reply.after === undefined) send();
    else this.#then(arrival, this.#services.waitFor(at.realm, reply.after), send);
  }

  /** Go on with a value that is there or will come; in the second case the client may leave and the time may run out. */
  #then<T>(arrival: Arrival, value: T | Promise<T>, next: (arrival: Arrival, value: T) => void): void {
    if (!(value instanceof Promise)) {
      next(arrival, value);
      return;
    }
    const pending = this.#pendingOf(arrival);
    if (!this.#held.has(pending)) pending.startDeadline(this.#options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    value.then(
      (settled) => {
        if (!pending.over) this.#attempt(arrival, () => next(arrival, settled));
      },
      (error: unknown) => {
        if (!pending.over) this.#fail(arrival, error);
      },
    );
  }

  #pendingOf(arrival: Arrival): Pending {
    if (arrival.pending) return arrival.pending;
    const pending = new Pending(arrival, this.#services.clock, () => {
      this.#services.log.warn({ path: arrival.exchange.path }, 'request deadline passed');
      this.#fail(arrival, apiError('SERVICE_UNAVAILABLE'));
    });
    arrival.pending = pending;
    arrival.exchange.onAborted(() => {
      this.#held.delete(pending);
      pending.end();
    });
    return pending;
  }

  #attempt(arrival: Arrival, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(arrival, error);
    }
  }

  #fail(arrival: Arrival, error: unknown): void {
    let refusal: ErrorReply;
    if (error instanceof ApiError) refusal = error.toReply();
    else {
      const { method, path } = arrival.exchange;
      this.#services.log.error({ err: error, method, path }, 'unhandled exception');
      refusal = apiError('INTERNAL').toReply();
    }
    this.#respond(arrival, refusal.status, errorHeaders(refusal), errorBody(refusal));
  }

  #respond(arrival: Arrival, status: number, headers: Headers, body: readonly BodyPart[]): void {
    const { pending } = arrival;
    if (pending) {
      this.#held.delete(pending);
      pending.end();
    }
    arrival.exchange.respond(status, headers, body);
  }
}

function refuse(exchange: HttpExchange, error: ErrorReply): void {
  exchange.respond(error.status, errorHeaders(error), errorBody(error));
}
