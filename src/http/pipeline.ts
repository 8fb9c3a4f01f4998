/**
 * The steps of a request, in their order: this file is the place to look up what happens when.
 *
 * The runner goes from step to step in the same turn of the event loop while values are at hand, and without promises: an operation that is
 * answered from the replica is over when `handle` returns. A step that has a promise to wait for leaves the loop; the runner goes on behind
 * that step when the promise settles. No step makes an object or closure on the synchronous path beyond the request and its call.
 */
import { type ActorRepeat, type ActorReply, apiError, type Forward, type Outcome } from '../api/index.js';
import { madeOnce } from '../core/index.js';
import type { ActorForwarder } from './actor-forwarder.js';
import type { Authenticator } from './authenticate.js';
import { type Form, formPolicy, isForm, isMultipart, readForm, type UploadBudget } from './form.js';
import { NO_FIELDS, parseForm } from './form-urlencoded.js';
import { checkGuard, checkWebhookBot } from './guard.js';
import { type HeaderPolicy, InboundRequest } from './inbound-request.js';
import { type CallServices, OperationCall } from './operation-call.js';
import type { FrontendOptions } from './options.js';
import { preflightHeaders } from './reply.js';
import type { RequestMetrics } from './request-metrics.js';
import { type ResponseSender, refuseAtOnce } from './response-sender.js';
import type { Route, RoutedOperation, Router } from './route.js';
import type { Headers, HttpExchange } from './server.js';
import type { AnonymousCaller, FrontendServices } from './services.js';

/** What the steps work with. */
export interface PipelineParts {
  readonly router: Router<RoutedOperation>;
  readonly services: FrontendServices;
  readonly options: FrontendOptions;
  readonly metrics: RequestMetrics;
  readonly authenticator: Authenticator;
  readonly uploads: UploadBudget;
  /** Largest body with a file, bytes. */
  readonly maxUpload: number;
  readonly headerPolicy: HeaderPolicy;
  readonly callServices: CallServices;
  readonly forwarder: ActorForwarder;
  readonly sender: ResponseSender;
}

/** The request has been answered, is parked, or continues by itself: the runner leaves the loop. */
const STOP = Symbol('stop');

interface Step<T> {
  readonly name: string;
  /** @throws ApiError to refuse the request */
  start(request: InboundRequest): T | Promise<T> | typeof STOP;
  /** Takes the value of `start`, or what its promise resolved with. */
  take?(request: InboundRequest, value: T): void;
}

/** Infers the type of the value that goes from `start` to `take`. */
const step = <T>(declared: Step<T>): Step<T> => declared;

/** Attempts of a request whose answer was too large to be remembered and was lost on its way from the actor. */
const MAX_ATTEMPTS = 3;

/** A path counts as a page if all of its operations do. */
const preflightOf = madeOnce((route: Route<RoutedOperation>): Headers => {
  const page = [...route.methods.values()].every(({ operation }) => operation.page);
  return preflightHeaders(route.allow, page);
});

const isForward = (outcome: Outcome): outcome is Forward => 'to' in outcome;

export class Pipeline {
  readonly #steps: readonly Step<unknown>[] = [
    step<Form | undefined>({
      name: 'body',
      start: (request) => this.#readBody(request),
      take: (request, form) => {
        if (form) request.form = form;
      },
    }),
    step({ name: 'operation', start: (request) => this.#selectOperation(request) }),
    step<AnonymousCaller>({
      name: 'authenticate',
      start: (request) => this.#parts.authenticator.identify(request, request.target!.operation),
      take: (request, identity) => {
        request.identity = identity;
      },
    }),
    step({ name: 'rate', start: (request) => this.#countCall(request) }),
    step({ name: 'guard', start: (request) => this.#checkRole(request) }),
    step({ name: 'resume', start: (request) => this.#resumeParkedPoll(request) }),
    step({ name: 'parameters', start: (request) => this.#readParameters(request) }),
    step<Outcome>({
      name: 'run',
      start: ({ target, call }) => target!.operation.run(call!),
      take: ({ call }, outcome) => {
        call!.outcome = outcome;
      },
    }),
    step<ActorReply | ActorRepeat | undefined>({
      name: 'forward',
      start: (request) => this.#forward(request),
      take: (request, reply) => {
        if (reply) this.#takeReply(request, reply);
      },
    }),
    step({ name: 'reply', start: (request) => this.#reply(request) }),
  ];
  readonly #runStep = this.#steps.findIndex(({ name }) => name === 'run');
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** For HttpServer's `handler`: routes, limits the load, and starts the steps. Never throws for what a client sends. */
  readonly handle = (exchange: HttpExchange): void => {
    const { router, options, metrics, services, headerPolicy } = this.#parts;
    const match = router.find(exchange.path);
    if (!match && options.elsewhere?.(exchange)) return;
    metrics.identify(exchange);
    if (!match) {
      metrics.refused(exchange, 404);
      refuseAtOnce(exchange, apiError('NOT_FOUND').toReply());
      return;
    }
    if (exchange.method === 'OPTIONS') {
      metrics.refused(exchange, 204);
      exchange.respond(204, preflightOf(match.route), []);
      return;
    }
    if (this.#isFull()) {
      metrics.overload.requests.n++;
      metrics.refused(exchange, 503);
      refuseAtOnce(exchange, apiError('SERVICE_UNAVAILABLE').toReply());
      return;
    }
    const request = new InboundRequest(exchange, match, services.clock.monotonic(), headerPolicy);
    this.#advance(request);
    if (!exchange.answered) request.captureHeaders();
  };

  /** Waiting polls are not counted: they cost little, last long, and have a limit of their own. */
  #isFull(): boolean {
    const { options, forwarder } = this.#parts;
    const { maxRequests, underWay } = options;
    return maxRequests !== undefined && (underWay?.() ?? 0) - forwarder.pollCount > maxRequests;
  }

  /** Runs the request's next steps until one has to wait or stops. */
  #advance(request: InboundRequest): void {
    const steps = this.#steps;
    const { sender } = this.#parts;
    try {
      while (request.step < steps.length) {
        const current = steps[request.step]!;
        const value = current.start(request);
        if (value === STOP) return;
        if (value instanceof Promise) {
          sender.lifetimes.wait(request, value, this.#continue);
          return;
        }
        request.step++;
        current.take?.(request, value);
      }
    } catch (error) {
      sender.failed(request, error);
    }
  }

  /** Goes on behind a step whose value has arrived. */
  readonly #continue = (request: InboundRequest, value: unknown): void => {
    const current = this.#steps[request.step++]!;
    current.take?.(request, value);
    this.#advance(request);
  };

  #readBody(request: InboundRequest): undefined | typeof STOP {
    const { exchange, match } = request;
    if (!exchange.hasBody) return undefined;
    const contentType = exchange.header('content-type');
    const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
    if (!isForm(type)) return undefined;
    const policy = formPolicy(match.route.methods, exchange.method);
    if (!policy.possible) return undefined;
    const { authenticator, sender, maxUpload, options } = this.#parts;
    // Before the body: clients without an account can't make the server hold or parse one where an account is needed.
    const after = policy.needsAccount ? authenticator.checkBeforeBody(request, policy.visitors) : undefined;
    after?.catch((error: unknown) => {
      if (!exchange.answered && !exchange.aborted) sender.failed(request, error);
    });
    const files = policy.takesFiles && isMultipart(type);
    if (files) this.#reserveUpload(request);
    const maxBytes = files ? maxUpload : Math.min(policy.maxBytes, options.maxBodyBytes ?? Number.POSITIVE_INFINITY);
    readForm(exchange, { contentType, type, maxBytes, files, after }, (read) => {
      try {
        const form = read();
        if (form instanceof Promise) sender.lifetimes.wait(request, form, this.#continue);
        else this.#continue(request, form);
      } catch (error) {
        sender.failed(request, error);
      }
    });
    return STOP;
  }

  /** All uploads together stay within the configured memory. */
  #reserveUpload(request: InboundRequest): void {
    const { maxUpload, uploads, metrics, sender } = this.#parts;
    const announced = Number(request.exchange.header('content-length') || maxUpload);
    const release = uploads.reserve(Math.min(announced, maxUpload));
    if (!release) {
      metrics.overload.uploads.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    sender.lifetimes.of(request).releaseUpload = release;
  }

  /** By the method; a POST may name another one in its form. */
  #selectOperation(request: InboundRequest): void {
    const { exchange, match, form } = request;
    let method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    if (method === 'POST') method = form.fields.get('method') ?? method;
    request.target = match.route.methods.get(method);
    if (!request.target) throw apiError('METHOD_NOT_ALLOWED', { allowed_methods: match.route.allow });
  }

  #countCall(request: InboundRequest): void {
    const { rates } = this.#parts.options;
    const { operation } = request.target!;
    const { account } = request;
    if (!account) {
      rates?.countAnonymous(request, operation);
      return;
    }
    checkWebhookBot(operation, account);
    rates?.countCaller(request, operation, account);
  }

  #checkRole(request: InboundRequest): void {
    const { account } = request;
    if (!account) return;
    const { operation } = request.target!;
    if (operation.guard !== 'user') checkGuard(operation.guard, account, this.#parts.services.clock.now());
    operation.before?.(account.directory, account.user.id);
  }

  /** The client's next poll may continue the parked one without being read. */
  #resumeParkedPoll(request: InboundRequest): undefined | typeof STOP {
    const { account } = request;
    return account && this.#parts.forwarder.resume(request, account) ? STOP : undefined;
  }

  #readParameters(request: InboundRequest): void {
    const { exchange, match, form, identity, account } = request;
    const { operation, parameters } = request.target!;
    const { pictureMib } = operation;
    if (pictureMib !== undefined && form.files === 'too large') throw apiError('FILE_TOO_LARGE', { n: pictureMib });
    const query = exchange.query === '' ? NO_FIELDS : parseForm(exchange.query);
    const { values, ignored } = parameters.read(form.fields, query, match.values);
    request.call = new OperationCall(request, identity!, account, values, query, ignored, this.#parts.callServices);
  }

  #forward(request: InboundRequest): Promise<ActorReply | ActorRepeat> | undefined | typeof STOP {
    const call = request.call!;
    const outcome = call.outcome!;
    if (!isForward(outcome)) return undefined;
    const { forwarder } = this.#parts;
    if (!outcome.held) return forwarder.forward(request, outcome, call) ?? STOP;
    forwarder.park(request, outcome, call);
    return STOP;
  }

  #takeReply(request: InboundRequest, reply: ActorReply | ActorRepeat): void {
    const call = request.call!;
    request.lifetime!.forwarding = undefined;
    if (!('again' in reply)) call.reply = reply;
    else if (call.attempt < MAX_ATTEMPTS) {
      call.attempt++;
      request.step = this.#runStep;
    } else throw apiError('SERVICE_UNAVAILABLE');
  }

  #reply(request: InboundRequest): void {
    const { sender } = this.#parts;
    const { outcome, reply, realm, ignored } = request.call!;
    if (reply) sender.actorReply(request, realm, reply, ignored);
    else sender.local(request, request.target!.operation, outcome as Exclude<Outcome, Forward>, ignored);
  }
}
