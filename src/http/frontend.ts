/**
 * The pipeline: route, authenticate, validate, forward, reply. What is at hand is used in the same turn: an operation
 * answered from the replica is over when `handle` returns.
 */
import {
  ActorRefused,
  type ActorRepeat,
  type ActorReply,
  type Answer,
  apiError,
  type ErrorReply,
  type Forward,
  type Operation,
  type Outcome,
} from '../api/index.js';
import type { JsonObject, RealmId } from '../core/index.js';
import { narrower } from '../limits/index.js';
import { anonymousAt, visitorAt } from './anonymous.js';
import { type Arrival, arrivalOf, onlyForAnswer, type Target } from './arrival.js';
import { parseAuthorization } from './basic-auth.js';
import { bodyWithFile, type Form, isForm, isMultipart, readForm, UploadRoom } from './body.js';
import { CallOf, DEFAULT_FILE_MIB } from './call.js';
import { clientName } from './client-name.js';
import { checkGuard, checkWebhookBot } from './guard.js';
import { noSeries, Observed } from './observed.js';
import type { FrontendOptions } from './options.js';
import { ParameterReader } from './params.js';
import { NO_FIELDS, parseForm } from './params-form.js';
import { Pending } from './pending.js';
import { authenticateByKey } from './query-key.js';
import { type RateLimiting, rateHeaders } from './rate-limiting.js';
import { refusalOf } from './refusal.js';
import {
  errorBody,
  errorHeaders,
  fieldsOf,
  JSON_HEADERS,
  partialBody,
  successOfFields,
  successOfParts,
  successOfReady,
} from './reply.js';
import { Router, segmentsOf } from './route.js';
import { type BodyPart, Headers, type HttpExchange } from './server.js';
import type { AnonymousCaller, Caller, ForwardContext, FrontendServices } from './services.js';

export const API_PREFIX = '/api/v1';

const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_UPLOAD_MIB = 256;
/** Of a request whose large answer was lost on its way from the actor. */
const MOST_ATTEMPTS = 3;

/** On whose behalf something is forwarded. */
interface Sender {
  readonly at: AnonymousCaller;
  readonly caller: Caller | undefined;
  readonly client: string;
}

export class Frontend {
  #router = new Router<Target>();
  #services: FrontendServices;
  #options: FrontendOptions;
  readonly #observed: Observed;
  #held = new Set<Pending>();
  #leaving = false;
  readonly #fileBody: number;
  readonly #room: UploadRoom;
  readonly #rates: RateLimiting | undefined;
  readonly #readsForwarded: boolean;

  /** Throws for operations that clash, or whose parameters cannot be checked. */
  constructor(operations: readonly Operation[], services: FrontendServices, options: FrontendOptions) {
    this.#services = services;
    this.#options = options;
    this.#fileBody = bodyWithFile(options.maxFileMib ?? DEFAULT_FILE_MIB);
    this.#room = new UploadRoom((options.uploadMemoryMib ?? DEFAULT_UPLOAD_MIB) * 1_048_576);
    this.#rates = options.rates;
    this.#readsForwarded = options.rates?.readsForwarded ?? false;
    this.#observed = new Observed(services.clock, services.log, options);
    this.#observed.metrics.read('conclave_http_held_polls', () => this.#held.size);
    for (const operation of operations) {
      const target = { operation, parameters: new ParameterReader(operation), series: noSeries() };
      this.#router.add(operation.method, segmentsOf(operation.root ? '' : API_PREFIX, operation), target);
    }
  }

  /** For HttpServer's `handler`. Never throws for what a client sends. */
  readonly handle = (exchange: HttpExchange): void => {
    const found = this.#router.find(exchange.path);
    if (!found && this.#options.elsewhere?.(exchange)) return;
    this.#observed.identify(exchange);
    if (!found) {
      this.#observed.refused(exchange, 404);
      refuse(exchange, apiError('NOT_FOUND').toReply());
      return;
    }
    if (exchange.method === 'OPTIONS') {
      this.#observed.refused(exchange, 204);
      exchange.respond(204, new Headers([['Allow', found.route.allow.join(', ')]]), []);
      return;
    }
    if (this.#isFull()) {
      this.#observed.overload.requests.n++;
      this.#observed.refused(exchange, 503);
      refuse(exchange, apiError('SERVICE_UNAVAILABLE').toReply());
      return;
    }
    const arrival = arrivalOf(exchange, found, this.#services.clock.monotonic(), this.#readsForwarded);
    if (exchange.hasBody) this.#readForm(arrival, exchange.header('content-type'));
    else this.#dispatch(arrival);
  };

  /** Held polls cost little and last: they are counted apart. */
  #isFull(): boolean {
    const { maxRequests, underWay } = this.#options;
    return maxRequests !== undefined && (underWay?.() ?? 0) - this.#held.size > maxRequests;
  }

  /** Before shutdown: answer the held polls, so that their clients come back to another frontend; from now on none is held. */
  releaseHeld(): void {
    this.#leaving = true;
    for (const pending of [...this.#held]) pending.forwarding?.release();
  }

  #readForm(arrival: Arrival, contentType: string): void {
    const { exchange, found } = arrival;
    const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
    if (!isForm(type)) {
      this.#dispatch(arrival);
      return;
    }
    // Which of the address's operations is called may stand in the form.
    const takesFiles =
      isMultipart(type) && [...found.route.methods.values()].some(({ operation }) => operation.takesFiles);
    this.#attempt(arrival, () => {
      if (takesFiles) this.#makeRoom(arrival);
      readForm(exchange, contentType, type, takesFiles ? this.#fileBody : undefined, (read) =>
        this.#attempt(arrival, () => this.#then(arrival, read(), this.#withForm)),
      );
    });
  }

  /** Nobody without an account has us hold a file; nor do all together more than there is memory for. */
  #makeRoom(arrival: Arrival): void {
    const caller = this.#authenticate(arrival);
    // Where it takes a look elsewhere, the refusal comes after the body.
    if (caller instanceof Promise) caller.catch(() => undefined);
    const announced = Number(arrival.exchange.header('content-length') || this.#fileBody);
    const release = this.#room.take(Math.min(announced, this.#fileBody));
    if (!release) {
      this.#observed.overload.uploads.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    this.#pendingOf(arrival).release = release;
  }

  #withForm = (arrival: Arrival, form: Form): void => {
    arrival.form = form;
    this.#dispatch(arrival);
  };

  #authenticate({ authorization, host }: Arrival): Caller | Promise<Caller> {
    const { username, key } = parseAuthorization(authorization);
    return this.#services.authenticate(username, key, host);
  }

  #dispatch(arrival: Arrival): void {
    this.#attempt(arrival, () => {
      const { exchange, found: path } = arrival;
      let method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
      if (method === 'POST') method = arrival.form.fields.get('method') ?? method;
      const target = path.route.methods.get(method);
      if (!target) throw apiError('METHOD_NOT_ALLOWED', { allowed_methods: path.route.allow });
      arrival.target = target;
      const { guard, visitors } = target.operation;
      const key = visitors && arrival.authorization === '' ? parseForm(exchange.query).get('api_key') : undefined;
      if (guard === 'none' || (visitors && arrival.authorization === '' && key === undefined)) {
        const anonymous = anonymousAt(this.#services, arrival.host, target.operation);
        this.#then(arrival, anonymous, (_, at) => this.#runForNobody(arrival, target, at));
        return;
      }
      if (arrival.authorization === '' && target.operation.anonymous) {
        const visitor = visitorAt(this.#services, arrival.host, this.#options.webPublicStreams ?? false);
        this.#then(arrival, visitor, (_, at) => this.#runForNobody(arrival, target, at));
        return;
      }
      const found =
        key === undefined ? this.#authenticate(arrival) : authenticateByKey(this.#services, key, arrival.host);
      this.#then(arrival, found, (_, caller) => {
        checkWebhookBot(target.operation, caller);
        this.#rates?.caller(arrival, target.operation, caller);
        checkGuard(guard, caller, this.#services.clock.now());
        this.#run(arrival, target, caller, caller);
      });
    });
  }

  #runForNobody(arrival: Arrival, target: Target, at: AnonymousCaller): void {
    this.#rates?.nobody(arrival, target.operation);
    this.#run(arrival, target, at, undefined);
  }

  #run(arrival: Arrival, target: Target, at: AnonymousCaller, caller: Caller | undefined): void {
    const { exchange, found, form, host, headers } = arrival;
    if (caller) target.operation.before?.(caller.directory, caller.user.id);
    const { pictureMib } = target.operation;
    if (pictureMib !== undefined && form.files === 'too large') throw apiError('FILE_TOO_LARGE', { n: pictureMib });
    const query = exchange.query === '' ? NO_FIELDS : parseForm(exchange.query);
    const { values, ignored } = target.parameters.read(form.fields, query, found.values);
    const client = clientName(form.fields.get('client') ?? query.get('client'), arrival.userAgent);
    const { requestId } = exchange;
    const send = (forward: Forward): Promise<JsonObject> =>
      this.#send(forward, { caller, realm: at.realm, client, requestId });
    const { files } = form;
    const facts = { params: values, at, caller, client, host, query: exchange.query, headers, files, send, arrival };
    const call = new CallOf(facts, this.#options, this.#services);
    const decide = (attempt: number): void =>
      this.#then(arrival, target.operation.run(call), (_, outcome: Outcome) => {
        if ('fields' in outcome) this.#answer(arrival, outcome, ignored);
        else if ('ready' in outcome) this.#respond(arrival, 200, JSON_HEADERS, successOfReady(outcome.ready, ignored));
        else if ('raw' in outcome)
          this.#respond(arrival, outcome.status, new Headers(Object.entries(outcome.headers)), [outcome.raw]);
        else if (outcome.held) this.#hold(arrival, outcome, { at, caller, client }, ignored);
        else {
          this.#forward(arrival, outcome, { at, caller, client }, (reply) => {
            if (!('again' in reply)) this.#reply(arrival, at.realm, reply, ignored);
            else if (attempt < MOST_ATTEMPTS) decide(attempt + 1);
            else throw apiError('SERVICE_UNAVAILABLE');
          });
        }
      });
    decide(1);
  }

  async #send(forward: Forward, context: ForwardContext): Promise<JsonObject> {
    const reply = await this.#services.forward(forward, context).reply;
    if ('again' in reply) throw apiError('SERVICE_UNAVAILABLE');
    if ('error' in reply) throw new ActorRefused(reply.error);
    if (reply.after !== undefined) await this.#services.waitFor(context.realm, reply.after);
    return fieldsOf(reply.ok);
  }

  #answer(arrival: Arrival, { fields, headers }: Answer, ignored: readonly string[] | undefined): void {
    this.#respond(arrival, 200, headers ? JSON_HEADERS.with(headers) : JSON_HEADERS, successOfFields(fields, ignored));
  }

  #forward(
    arrival: Arrival,
    forward: Forward,
    { at, caller, client }: Sender,
    next: (reply: ActorReply | ActorRepeat) => void,
  ): void {
    const { requestId } = arrival.exchange;
    const pending = this.#pendingOf(arrival);
    if (pending.over) return;
    const forwarding = this.#services.forward(forward, { caller, realm: at.realm, client, requestId });
    pending.forwarding = forwarding;
    if (forward.patienceMs !== undefined) {
      pending.stopDeadline();
      pending.startDeadline(forward.patienceMs);
    }
    this.#then(arrival, forwarding.reply, (_, reply) => {
      pending.forwarding = undefined;
      next(reply);
    });
  }

  #hold(
    arrival: Arrival,
    forward: Forward,
    { at, caller, client }: Sender,
    ignored: readonly string[] | undefined,
  ): void {
    const { requestId } = arrival.exchange;
    const pending = this.#pendingOf(arrival);
    if (pending.over) return;
    if (this.#held.size >= (this.#options.maxPolls ?? Number.POSITIVE_INFINITY)) {
      this.#observed.overload.polls.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    const forwarding = this.#services.forward(forward, { caller, realm: at.realm, client, requestId });
    pending.forwarding = forwarding;
    pending.stopDeadline();
    this.#held.add(pending);
    // On a connection kept alive: it would be held for as long as we wait for the last request.
    if (this.#leaving) forwarding.release();
    arrival.polls = true;
    onlyForAnswer(arrival);
    this.#await(arrival, pending, forwarding.reply, at.realm, ignored);
  }

  /** Apart, because the function that made a closure keeps all that it knows: of tens of thousands of polls that is much. */
  #await(
    arrival: Arrival,
    pending: Pending,
    reply: Promise<ActorReply | ActorRepeat>,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    reply.then(
      (settled) => {
        if (pending.over) return;
        pending.forwarding = undefined;
        this.#held.delete(pending);
        this.#attempt(arrival, () => {
          if ('again' in settled) throw apiError('SERVICE_UNAVAILABLE');
          this.#reply(arrival, realm, settled, ignored);
        });
      },
      (error: unknown) => {
        if (!pending.over) this.#fail(arrival, error);
      },
    );
  }

  #reply(arrival: Arrival, realm: RealmId, reply: ActorReply, ignored: readonly string[] | undefined): void {
    const send = (): void => {
      if ('error' in reply) {
        this.#refuse(arrival, reply.error);
        return;
      }
      const { ok, partial } = reply;
      this.#respond(arrival, 200, JSON_HEADERS, partial ? partialBody(partial) : successOfParts(ok, ignored));
    };
    if (reply.after === undefined) send();
    else this.#then(arrival, this.#services.waitFor(realm, reply.after), send);
  }

  /** Go on with a value that is there or will come; in the second case the client may leave and the time may run out. */
  #then<T>(arrival: Arrival, value: T | Promise<T>, next: (arrival: Arrival, value: T) => void): void {
    if (!(value instanceof Promise)) {
      next(arrival, value);
      return;
    }
    const pending = this.#pendingOf(arrival);
    pending.startDeadline(this.#options.deadlineMs ?? DEFAULT_DEADLINE_MS);
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
      const { requestId } = arrival.exchange;
      this.#services.log.warn({ requestId, path: shownPath(arrival) }, 'request deadline passed');
      this.#fail(arrival, apiError('SERVICE_UNAVAILABLE'));
    });
    arrival.pending = pending;
    arrival.exchange.onAborted(() => {
      this.#held.delete(pending);
      this.#observed.aborted();
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
    this.#refuse(arrival, refusalOf(error) ?? this.#unexpected(arrival, error));
  }

  #refuse(arrival: Arrival, error: ErrorReply): void {
    arrival.rate = narrower(error.rate, arrival.rate);
    this.#respond(arrival, error.status, errorHeaders(error), errorBody(error));
  }

  #unexpected(arrival: Arrival, error: unknown): ErrorReply {
    const { method, requestId } = arrival.exchange;
    this.#services.log.error({ requestId, err: error, method, path: shownPath(arrival) }, 'unhandled exception');
    return apiError('INTERNAL').toReply();
  }

  #respond(arrival: Arrival, status: number, headers: Headers, body: readonly BodyPart[]): void {
    const { pending } = arrival;
    if (pending) {
      this.#held.delete(pending);
      pending.end();
    }
    this.#observed.answered(arrival, status);
    arrival.exchange.respond(status, headers, body, rateHeaders(arrival.rate));
  }
}

/** What goes into the log: paths may hold tokens and addresses of people. */
function shownPath({ found }: Arrival): string {
  const [target] = found.route.methods.values();
  return target?.operation.path ?? '';
}

function refuse(exchange: HttpExchange, error: ErrorReply): void {
  exchange.respond(error.status, errorHeaders(error), errorBody(error));
}
