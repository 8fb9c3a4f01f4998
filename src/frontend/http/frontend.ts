/**
 * The pipeline: route, authenticate, validate, forward, reply. What is at hand is used in the same turn, and without promises: an
 * operation answered from the replica is over when `handle` returns.
 */

import { madeOnce } from '#base';
import type { Operation, Outcome } from '#frontend/api';
import { apiError } from '#model/errors';
import { Admissions } from './admissions.js';
import { anonymousAt, visitorAt } from './anonymous.js';
import { Arrival, type Target } from './arrival.js';
import { parseAuthorization } from './basic-auth.js';
import { bodyWithFile, type Form, isForm, isMultipart, readForm, UploadRoom } from './body.js';
import { type CallContext, CallOf, DEFAULT_FILE_MIB } from './call.js';
import { Compressing } from './compressing.js';
import { CROSS_ORIGIN, preflightHeaders } from './cross-origin.js';
import { formPolicy } from './form-policy.js';
import { Forwards } from './forwarding.js';
import { checkGuard, checkWebhookBot } from './guard.js';
import { KeptPolls } from './kept-polls.js';
import { noSeries, Observed } from './observed.js';
import type { FrontendOptions } from './options.js';
import { ParameterReader } from './params.js';
import { NO_FIELDS, parseForm } from './params-form.js';
import { authenticateByKey } from './query-key.js';
import type { RateLimiting } from './rate-limiting.js';
import { JSON_HEADERS, successOfFields, successOfReady } from './reply.js';
import { Responding, refuseAtOnce } from './responding.js';
import { type Route, Router, segmentsOf } from './route.js';
import { Headers, type HttpExchange } from './server.js';
import type { AnonymousCaller, Caller, FrontendServices } from './services.js';

export const API_PREFIX = '/api/v1';

const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_HEARTBEAT_MS = 45_000;
const DEFAULT_UPLOAD_MIB = 256;
/** Of a request whose large answer was lost on its way from the actor. */
const MOST_ATTEMPTS = 3;

/** Of a path all of whose operations are pages, or none. */
const preflightOf = madeOnce((route: Route<Target>): Headers => {
  const page = [...route.methods.values()].every(({ operation }) => operation.page);
  return preflightHeaders(route.allow, page);
});

export class Frontend {
  readonly #router = new Router<Target>();
  readonly #services: FrontendServices;
  readonly #options: FrontendOptions;
  readonly #observed: Observed;
  readonly #responding: Responding;
  readonly #forwards: Forwards;
  readonly #calls: CallContext;
  readonly #admissions: Admissions;
  readonly #fileBody: number;
  readonly #maxBody: number;
  readonly #room: UploadRoom;
  readonly #rates: RateLimiting | undefined;
  readonly #readsForwarded: boolean;
  readonly #compresses: boolean;

  /** Throws for operations that clash, or whose parameters cannot be checked. */
  constructor(operations: readonly Operation[], services: FrontendServices, options: FrontendOptions) {
    this.#services = services;
    this.#options = options;
    this.#fileBody = bodyWithFile(options.maxFileMib ?? DEFAULT_FILE_MIB);
    this.#maxBody = options.maxBodyBytes ?? Number.POSITIVE_INFINITY;
    this.#room = new UploadRoom((options.uploadMemoryMib ?? DEFAULT_UPLOAD_MIB) * 1_048_576);
    this.#rates = options.rates;
    this.#readsForwarded = options.rates?.readsForwarded ?? false;
    this.#observed = new Observed(services.clock, services.log, options);
    const compressing = options.compression ? new Compressing(this.#observed.metrics, services.log) : undefined;
    this.#compresses = compressing !== undefined;
    const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
    this.#responding = new Responding(services, this.#observed, deadlineMs, compressing);
    const maxPolls = options.maxPolls ?? Number.POSITIVE_INFINITY;
    const { heartbeatMs: everyMs = DEFAULT_HEARTBEAT_MS, random = Math.random } = options;
    const kept = new KeptPolls(services.clock, this.#responding, { everyMs, random });
    this.#forwards = new Forwards(services, this.#responding, kept, this.#observed, maxPolls);
    this.#calls = { options, services, send: (forward, sender) => this.#forwards.send(forward, sender) };
    this.#admissions = new Admissions(services);
    services.onKeyRevoked((keyHash) => this.#forwards.revoke(keyHash));
    this.#observed.metrics.read('conclave_http_held_polls', () => this.#forwards.held);
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
      refuseAtOnce(exchange, apiError('NOT_FOUND').toReply());
      return;
    }
    if (exchange.method === 'OPTIONS') {
      this.#observed.refused(exchange, 204);
      exchange.respond(204, preflightOf(found.route), []);
      return;
    }
    if (this.#isFull()) {
      this.#observed.overload.requests.n++;
      this.#observed.refused(exchange, 503);
      refuseAtOnce(exchange, apiError('SERVICE_UNAVAILABLE').toReply());
      return;
    }
    const now = this.#services.clock.monotonic();
    const arrival = new Arrival(exchange, found, now, this.#readsForwarded, this.#compresses);
    if (exchange.hasBody) this.#readForm(arrival, exchange.header('content-type'));
    else this.#dispatch(arrival);
    if (!exchange.answered) arrival.keep();
  };

  /** Held polls cost little and last: they are counted apart. */
  #isFull(): boolean {
    const { maxRequests, underWay } = this.#options;
    return maxRequests !== undefined && (underWay?.() ?? 0) - this.#forwards.held > maxRequests;
  }

  /** Before shutdown: answer the held polls, so that their clients come back to another frontend; from now on none is held. */
  releaseHeld(): void {
    this.#forwards.release();
  }

  #readForm(arrival: Arrival, contentType: string): void {
    const { exchange, found } = arrival;
    const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
    if (!isForm(type)) {
      this.#dispatch(arrival);
      return;
    }
    const policy = formPolicy(found.route.methods, exchange.method);
    if (!policy.possible) {
      this.#dispatch(arrival);
      return;
    }
    const responding = this.#responding;
    responding.attempt(arrival, () => {
      // Before the body: without an account nobody has us hold or parse one where an account is needed.
      const caller = policy.needsAccount ? this.#callerBefore(arrival, policy.visitors) : undefined;
      const files = policy.takesFiles && isMultipart(type);
      if (files) this.#makeRoom(arrival);
      const most = files ? this.#fileBody : Math.min(policy.mostBytes, this.#maxBody);
      readForm(exchange, { contentType, type, most, files, after: caller }, (read) =>
        responding.attempt(arrival, () => responding.whenThere(arrival, read(), this.#withForm)),
      );
    });
  }

  /** Undefined: it is known who calls. Where it takes a look elsewhere, the refusal comes when that is over, and the body is dropped. */
  #callerBefore(arrival: Arrival, visitors: boolean): Promise<unknown> | undefined {
    const { exchange } = arrival;
    const caller =
      visitors && arrival.authorization === ''
        ? visitorAt(this.#services, arrival.host, this.#options.webPublicStreams ?? false)
        : this.#authenticate(arrival);
    if (!(caller instanceof Promise)) return undefined;
    caller.catch((error: unknown) => {
      if (!exchange.answered && !exchange.aborted) this.#responding.fail(arrival, error);
    });
    return caller;
  }

  /** All together hold no more than there is memory for. */
  #makeRoom(arrival: Arrival): void {
    const announced = Number(arrival.exchange.header('content-length') || this.#fileBody);
    const release = this.#room.take(Math.min(announced, this.#fileBody));
    if (!release) {
      this.#observed.overload.uploads.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    this.#responding.pendingOf(arrival).release = release;
  }

  readonly #withForm = (arrival: Arrival, form: Form): void => {
    arrival.form = form;
    this.#dispatch(arrival);
  };

  #authenticate({ authorization, host }: Arrival): Caller | Promise<Caller> {
    const known = this.#admissions.find(authorization, host);
    if (known) return known;
    const { username, key } = parseAuthorization(authorization);
    const caller = this.#services.authenticate(username, key, host);
    if (!(caller instanceof Promise)) this.#admissions.add(authorization, host, caller);
    return caller;
  }

  #dispatch(arrival: Arrival): void {
    try {
      this.#admit(arrival, this.#targetOf(arrival));
    } catch (error) {
      this.#responding.fail(arrival, error);
    }
  }

  #targetOf(arrival: Arrival): Target {
    const { exchange, found } = arrival;
    let method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    if (method === 'POST') method = arrival.form.fields.get('method') ?? method;
    const target = found.route.methods.get(method);
    if (!target) throw apiError('METHOD_NOT_ALLOWED', { allowed_methods: found.route.allow });
    arrival.target = target;
    return target;
  }

  #admit(arrival: Arrival, { operation }: Target): void {
    const { guard, visitors } = operation;
    const bare = arrival.authorization === '';
    const key = visitors && bare ? parseForm(arrival.exchange.query).get('api_key') : undefined;
    if (guard === 'none' || (visitors && bare && key === undefined)) {
      this.#responding.whenThere(arrival, anonymousAt(this.#services, arrival.host, operation), this.#asNobody);
      return;
    }
    if (bare && operation.anonymous) {
      const visitor = visitorAt(this.#services, arrival.host, this.#options.webPublicStreams ?? false);
      this.#responding.whenThere(arrival, visitor, this.#asNobody);
      return;
    }
    const caller =
      key === undefined ? this.#authenticate(arrival) : authenticateByKey(this.#services, key, arrival.host);
    if (caller instanceof Promise) this.#responding.later(arrival, caller, this.#asCaller);
    else this.#asCaller(arrival, caller);
  }

  readonly #asNobody = (arrival: Arrival, at: AnonymousCaller): void => {
    const target = arrival.target!;
    this.#rates?.nobody(arrival, target.operation);
    this.#run(arrival, target, at, undefined);
  };

  readonly #asCaller = (arrival: Arrival, caller: Caller): void => {
    const target = arrival.target!;
    const { operation } = target;
    checkWebhookBot(operation, caller);
    this.#rates?.caller(arrival, operation, caller);
    if (operation.guard !== 'user') checkGuard(operation.guard, caller, this.#services.clock.now());
    this.#run(arrival, target, caller, caller);
  };

  #run(arrival: Arrival, target: Target, at: AnonymousCaller, caller: Caller | undefined): void {
    const { exchange, found, form } = arrival;
    const { operation } = target;
    if (caller) {
      operation.before?.(caller.directory, caller.user.id);
      if (this.#forwards.goOn(arrival, caller)) return;
    }
    const { pictureMib } = operation;
    if (pictureMib !== undefined && form.files === 'too large') throw apiError('FILE_TOO_LARGE', { n: pictureMib });
    const query = exchange.query === '' ? NO_FIELDS : parseForm(exchange.query);
    const { values, ignored } = target.parameters.read(form.fields, query, found.values);
    this.#decide(new CallOf(arrival, at, caller, values, query, this.#calls), operation, ignored, 1);
  }

  #decide(call: CallOf, operation: Operation, ignored: readonly string[] | undefined, attempt: number): void {
    const outcome = operation.run(call);
    if (outcome instanceof Promise) {
      this.#responding.later(call.arrival, outcome, (_, decided) =>
        this.#carryOut(decided, call, operation, ignored, attempt),
      );
    } else this.#carryOut(outcome, call, operation, ignored, attempt);
  }

  #carryOut(
    outcome: Outcome,
    call: CallOf,
    operation: Operation,
    ignored: readonly string[] | undefined,
    attempt: number,
  ): void {
    const { arrival } = call;
    const responding = this.#responding;
    if ('ready' in outcome) responding.respond(arrival, 200, JSON_HEADERS, successOfReady(outcome.ready, ignored));
    else if ('fields' in outcome) {
      const { fields, headers } = outcome;
      const all = headers ? JSON_HEADERS.with(headers) : JSON_HEADERS;
      responding.respond(arrival, 200, all, successOfFields(fields, ignored));
    } else if ('raw' in outcome) {
      const { status, raw, coded } = outcome;
      const own = Object.entries(outcome.headers);
      const all = new Headers(operation.page ? own : [...own, ...CROSS_ORIGIN]);
      if (coded && status === 200) responding.respond(arrival, status, all, [raw], all.with(coded));
      else responding.respondPlain(arrival, status, all, [raw]);
    } else if (outcome.held) this.#forwards.hold(outcome, call, ignored);
    else {
      this.#forwards.forward(outcome, call, (reply) => {
        if (!('again' in reply)) responding.reply(arrival, call.realm, reply, ignored);
        else if (attempt < MOST_ATTEMPTS) this.#decide(call, operation, ignored, attempt + 1);
        else throw apiError('SERVICE_UNAVAILABLE');
      });
    }
  }
}
