/**
 * The steps of a request, in the order in which they run.
 *
 * The runner executes step after step in the same turn of the event loop while values are at hand, and without
 * promises: an operation that is answered from the replica is over when `handle` returns. A step that has to await a
 * promise leaves the loop; the runner resumes with the next step when the promise settles. No step makes an object or
 * closure on the synchronous path beyond the request and its call.
 */
import { memoizeByObject } from '#base';
import type { ForwardedCommand, OperationOutcome } from '#frontend/api';
import type { ActorRepeatReply, ActorReply } from '#model';
import { apiError } from '#model/errors';
import type { ActorCommandForwarder } from './actor-forwarder.js';
import type { Authenticator } from './authenticate.js';
import {
  formPolicyOfMethod,
  isFormMediaType,
  isMultipartMediaType,
  type ParsedForm,
  readRequestForm,
  type UploadMemoryBudget,
} from './form.js';
import { NO_FORM_FIELDS, parseUrlencodedForm } from './form-urlencoded.js';
import { checkCallerAdmittedByGuard, checkWebhookBotAllowed } from './guard.js';
import { type HeaderReadingPolicy, InboundRequest } from './inbound-request.js';
import { OperationCall, type OperationCallServices } from './operation-call.js';
import type { FrontendOptions } from './options.js';
import { makeCorsPreflightHeaders } from './reply.js';
import type { RequestMetrics } from './request-metrics.js';
import { type ResponseSender, respondWithRefusal } from './response-sender.js';
import type { HttpRoute, HttpRouter, RoutedOperation } from './route.js';
import type { HttpExchange, ResponseHeaders } from './server.js';
import type { AnonymousCaller, FrontendServices } from './services.js';

/** The objects that the steps of the pipeline use. */
interface PipelineParts {
  readonly router: HttpRouter<RoutedOperation>;
  readonly services: FrontendServices;
  readonly options: FrontendOptions;
  readonly metrics: RequestMetrics;
  readonly authenticator: Authenticator;
  readonly uploads: UploadMemoryBudget;
  /** Maximum of bytes of a body with a file. */
  readonly maxUpload: number;
  readonly headerPolicy: HeaderReadingPolicy;
  readonly callServices: OperationCallServices;
  readonly forwarder: ActorCommandForwarder;
  readonly sender: ResponseSender;
}

/**
 * Returned by a step after which the runner leaves the loop: the request was answered, is parked, or continues by
 * itself.
 */
const STOP = Symbol('stop');

interface Step<T> {
  readonly name: string;
  /** Runs the step. @throws ApiError to refuse the request */
  readonly start: (request: InboundRequest, pipeline: RequestPipeline) => T | Promise<T> | typeof STOP;
  /** Stores the step's result in the request: the value of `start`, or of its promise, unless that is undefined. */
  take?(request: InboundRequest, value: T): void;
}

/** Returns the step unchanged; serves to infer the type of the value that `start` passes to `take`. */
const step = <T>(declared: Step<T>): Step<T> => declared;

const STEPS: readonly Step<unknown>[] = [
  step({ name: 'body', start: readBody, take: takeForm }),
  step({ name: 'operation', start: selectOperation }),
  step({ name: 'authenticate', start: authenticate, take: takeIdentity }),
  step({ name: 'rate', start: countCall }),
  step({ name: 'guard', start: checkRole }),
  step({ name: 'resume', start: resumeParkedPoll }),
  step({ name: 'parameters', start: readParameters }),
  step({ name: 'run', start: runOperation, take: takeOutcome }),
  step({ name: 'forward', start: forward, take: takeReply }),
  step({ name: 'reply', start: reply }),
];

const RUN_STEP = STEPS.findIndex(({ name }) => name === 'run');

/**
 * Maximum of attempts of a request. A request is repeated when the reply got lost on its way from the actor and was too
 * large for the actor to keep.
 */
const MAX_ATTEMPTS = 3;

/**
 * Makes the headers of the answer to OPTIONS for a path. A path counts as a page of a browser if all of its operations
 * do.
 */
const preflightOf = memoizeByObject((route: HttpRoute<RoutedOperation>): ResponseHeaders => {
  const page = [...route.methods.values()].every(({ operation }) => operation.page);
  return makeCorsPreflightHeaders(route.allow, page);
});

export class RequestPipeline {
  constructor(readonly parts: PipelineParts) {}

  /**
   * Handles one request of the HTTP server: routes, limits the load, and starts the steps. Never throws for what a
   * client sends.
   */
  readonly handle = (exchange: HttpExchange): void => {
    const { router, options, metrics, services, headerPolicy } = this.parts;
    const match = router.find(exchange.path);
    if (!match && options.elsewhere?.(exchange)) return;
    metrics.identify(exchange);
    if (!match) {
      metrics.refused(exchange, 404);
      respondWithRefusal(exchange, apiError('NOT_FOUND').toReply());
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
      respondWithRefusal(exchange, apiError('SERVICE_UNAVAILABLE').toReply());
      return;
    }
    const request = new InboundRequest(exchange, match, services.clock.monotonic(), headerPolicy);
    this.#advance(request);
    if (!exchange.answered) request.captureHeaders();
  };

  /**
   * True if too many requests are in progress. Waiting polls are not counted: they cost little, last long, and have a
   * limit of their own.
   */
  #isFull(): boolean {
    const { options, forwarder } = this.parts;
    const { maxRequests, underWay } = options;
    return maxRequests !== undefined && (underWay?.() ?? 0) - forwarder.pollCount > maxRequests;
  }

  /** Runs the request's next steps until one has to wait or stops. */
  #advance(request: InboundRequest): void {
    try {
      while (request.step < STEPS.length) {
        const current = STEPS[request.step]!;
        const value = current.start(request, this);
        if (value === undefined) {
          request.step++;
          continue;
        }
        if (value === STOP) return;
        if (value instanceof Promise) {
          this.parts.sender.lifetimes.wait(request, value, this.continue);
          return;
        }
        request.step++;
        current.take?.(request, value);
      }
    } catch (error) {
      this.parts.sender.failed(request, error);
    }
  }

  /** Resumes the request behind the current step, whose promise has resolved with this value. */
  readonly continue = (request: InboundRequest, value: unknown): void => {
    const current = STEPS[request.step++]!;
    current.take?.(request, value);
    this.#advance(request);
  };
}

function readBody(request: InboundRequest, pipeline: RequestPipeline): ParsedForm | undefined | typeof STOP {
  const { exchange, match } = request;
  if (!exchange.hasBody) return undefined;
  const contentType = exchange.header('content-type');
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (!isFormMediaType(type)) return undefined;
  const policy = formPolicyOfMethod(match.route.methods, exchange.method);
  if (!policy.possible) return undefined;
  const { authenticator, sender, maxUpload, options } = pipeline.parts;
  // The check comes before the body: clients without an account can't make the server hold or parse a body where an
  // account is needed.
  const after = policy.needsAccount ? authenticator.checkBeforeBody(request, policy.visitors) : undefined;
  after?.catch((error: unknown) => {
    if (!exchange.answered && !exchange.aborted) sender.failed(request, error);
  });
  const files = policy.takesFiles && isMultipartMediaType(type);
  if (files) reserveUpload(request, pipeline);
  const maxBytes = files ? maxUpload : Math.min(policy.maxBytes, options.maxBodyBytes ?? Number.POSITIVE_INFINITY);
  readRequestForm(exchange, { contentType, type, maxBytes, files, after }, (read) => {
    try {
      const form = read();
      if (form instanceof Promise) sender.lifetimes.wait(request, form, pipeline.continue);
      else pipeline.continue(request, form);
    } catch (error) {
      sender.failed(request, error);
    }
  });
  return STOP;
}

function takeForm(request: InboundRequest, form: ParsedForm | undefined): void {
  if (form) request.form = form;
}

/** Reserves memory for an upload: all uploads together stay within the configured bound. */
function reserveUpload(request: InboundRequest, { parts }: RequestPipeline): void {
  const { maxUpload, uploads, metrics, sender } = parts;
  const announced = Number(request.exchange.header('content-length') || maxUpload);
  const release = uploads.reserve(Math.min(announced, maxUpload));
  if (!release) {
    metrics.overload.uploads.n++;
    throw apiError('SERVICE_UNAVAILABLE');
  }
  sender.lifetimes.of(request).releaseUpload = release;
}

/** Chooses the operation by the method; a POST may name another method in its form. */
function selectOperation(request: InboundRequest): void {
  const { exchange, match, form } = request;
  let method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
  if (method === 'POST') method = form.fields.get('method') ?? method;
  request.target = match.route.methods.get(method);
  if (!request.target) throw apiError('METHOD_NOT_ALLOWED', { allowed_methods: match.route.allow });
}

/** Finds the account of the request, or the organization of a call without credentials. */
function authenticate(request: InboundRequest, { parts }: RequestPipeline): AnonymousCaller | Promise<AnonymousCaller> {
  return parts.authenticator.identify(request, request.target!.operation);
}

function takeIdentity(request: InboundRequest, identity: AnonymousCaller): void {
  request.identity = identity;
}

function countCall(request: InboundRequest, { parts }: RequestPipeline): void {
  const { rates } = parts.options;
  const { operation } = request.target!;
  const { account } = request;
  if (!account) {
    rates?.countAnonymous(request, operation);
    return;
  }
  checkWebhookBotAllowed(operation, account);
  rates?.countCaller(request, operation, account);
}

function checkRole(request: InboundRequest, { parts }: RequestPipeline): void {
  const { account } = request;
  if (!account) return;
  const { operation } = request.target!;
  if (operation.guard !== 'user') checkCallerAdmittedByGuard(operation.guard, account, parts.services.clock.now());
  operation.before?.(account.directory, account.user.id);
}

/** Attaches the client's next poll to the command that is parked for it, without reading its parameters. */
function resumeParkedPoll(request: InboundRequest, { parts }: RequestPipeline): undefined | typeof STOP {
  const { account } = request;
  return account && parts.forwarder.resume(request, account) ? STOP : undefined;
}

function readParameters(request: InboundRequest, { parts }: RequestPipeline): void {
  const { exchange, match, form, identity, account } = request;
  const { operation, parameters } = request.target!;
  const { pictureMib } = operation;
  if (pictureMib !== undefined && form.files === 'too large') throw apiError('FILE_TOO_LARGE', { n: pictureMib });
  const query = exchange.query === '' ? NO_FORM_FIELDS : parseUrlencodedForm(exchange.query);
  const { values, ignored } = parameters.read(form.fields, query, match.values);
  request.call = new OperationCall(request, identity!, account, values, query, ignored, parts.callServices);
}

function runOperation({ target, call }: InboundRequest): OperationOutcome | Promise<OperationOutcome> {
  return target!.operation.run(call!);
}

function takeOutcome({ call }: InboundRequest, outcome: OperationOutcome): void {
  call!.outcome = outcome;
}

/** Sends the command if the operation's outcome is one; a poll is parked. */
function forward(
  request: InboundRequest,
  { parts }: RequestPipeline,
): Promise<ActorReply | ActorRepeatReply> | undefined | typeof STOP {
  const call = request.call!;
  const outcome = call.outcome!;
  if (!('to' in outcome)) return undefined;
  const { forwarder } = parts;
  if (!outcome.held) return forwarder.forward(request, outcome, call) ?? STOP;
  forwarder.park(request, outcome, call);
  return STOP;
}

function takeReply(request: InboundRequest, answer: ActorReply | ActorRepeatReply | undefined): void {
  if (!answer) return;
  const call = request.call!;
  request.lifetime!.forwarding = undefined;
  if (!('again' in answer)) call.reply = answer;
  else if (call.attempt < MAX_ATTEMPTS) {
    call.attempt++;
    request.step = RUN_STEP;
  } else throw apiError('SERVICE_UNAVAILABLE');
}

function reply(request: InboundRequest, { parts }: RequestPipeline): void {
  const { sender } = parts;
  const { outcome, reply: answer, realm, ignored } = request.call!;
  if (answer) sender.actorReply(request, realm, answer, ignored);
  else
    sender.local(request, request.target!.operation, outcome as Exclude<OperationOutcome, ForwardedCommand>, ignored);
}
