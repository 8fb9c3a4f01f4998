/**
 * The steps of a request, in the order in which they run.
 *
 * The runner executes step after step in the same turn of the event loop while values are at hand, and without
 * promises: an operation that is answered from the replica is over when `handleRequest` returns. A step that has to
 * await a promise leaves the loop; the runner resumes with the next step when the promise settles. No step makes an
 * object or closure on the synchronous path beyond the request and its call.
 */
import { memoizeByObject } from '#base';
import { BASE_API_LEVEL } from '#domain/levels';
import type { ForwardedCommand, OperationOutcome } from '#frontend/api';
import type { ActorReply, ActorStartOverReply } from '#model';
import { apiError } from '#model/errors';
import type { ActorCommandForwarder } from './actor-forwarder.js';
import type { Authenticator, KnownCaller } from './authenticate.js';
import {
  formPolicyOfMethod,
  isFormMediaType,
  isMultipartMediaType,
  type ParsedForm,
  readRequestForm,
  type UploadMemoryBudget,
  UploadMemoryReservation,
} from './form.js';
import { NO_FORM_FIELDS, parseUrlencodedForm } from './form-urlencoded.js';
import { checkCallerAdmittedByGuard, checkWebhookBotAllowed } from './guard.js';
import { type HeaderReadingPolicy, InboundRequest } from './inbound-request.js';
import { OperationCall, type OperationCallServices } from './operation-call.js';
import type { FrontendOptions } from './options.js';
import { makeOptionsAnswerHeaders } from './reply.js';
import type { RequestMetrics } from './request-metrics.js';
import { levelOfUnroutedRequest, type ResponseSender, respondWithEarlyRefusal } from './response-sender.js';
import type { HttpRoute, HttpRouteMatch, HttpRouter, NewerRoutes, RoutedOperation } from './route.js';
import type { HttpExchange, ResponseHeaders } from './server.js';
import type { AnonymousCaller, FrontendServices } from './services.js';

/** The objects that the steps of the pipeline use. */
interface PipelineParts {
  readonly router: HttpRouter<RoutedOperation>;
  readonly newerRoutes: NewerRoutes<RoutedOperation>;
  readonly services: FrontendServices;
  readonly options: FrontendOptions;
  readonly metrics: RequestMetrics;
  readonly authenticator: Authenticator;
  readonly uploadMemoryBudget: UploadMemoryBudget;
  /** Maximum of bytes of a body with a file. */
  readonly maxUploadBodyBytes: number;
  readonly headerPolicy: HeaderReadingPolicy;
  readonly callServices: OperationCallServices;
  readonly forwarder: ActorCommandForwarder;
  readonly sender: ResponseSender;
}

/**
 * Returned by a step after which the runner leaves the loop: the request was answered, is parked, or continues by
 * itself.
 */
const LEAVE_STEP_LOOP = Symbol('stop');

interface PipelineStep<T> {
  readonly name: string;
  /** Runs the step. @throws ApiError to refuse the request */
  readonly start: (request: InboundRequest, pipeline: RequestPipeline) => T | Promise<T> | typeof LEAVE_STEP_LOOP;
  /** Stores the step's result in the request: the value of `start`, or of its promise, unless that is undefined. */
  storeResult?(request: InboundRequest, value: T): void;
}

/** Returns the step unchanged; serves to infer the type of the value that `start` passes to `storeResult`. */
const definePipelineStep = <T>(declared: PipelineStep<T>): PipelineStep<T> => declared;

const PIPELINE_STEPS: readonly PipelineStep<unknown>[] = [
  definePipelineStep({ name: 'body', start: startReadingFormBody, storeResult: storeFormIfRead }),
  definePipelineStep({ name: 'operation', start: selectOperationByMethod }),
  definePipelineStep({ name: 'authenticate', start: identifyCaller, storeResult: storeIdentity }),
  definePipelineStep({ name: 'rate', start: checkWebhookBotAndCountCall }),
  definePipelineStep({ name: 'guard', start: checkCallerByGuard }),
  definePipelineStep({ name: 'resume', start: attachToParkedPollIfRepeated }),
  definePipelineStep({ name: 'parameters', start: readParametersAndMakeCall }),
  definePipelineStep({ name: 'run', start: runOperation, storeResult: storeOutcome }),
  definePipelineStep({ name: 'forward', start: forwardOrParkOutcomeCommand, storeResult: storeActorReplyOrRepeatRun }),
  definePipelineStep({ name: 'reply', start: sendReply }),
];

const RUN_STEP_INDEX = PIPELINE_STEPS.findIndex(({ name }) => name === 'run');

/**
 * Maximum of attempts of a request. A request is repeated when the reply got lost on its way from the actor and was too
 * large for the actor to keep.
 */
const MAX_REQUEST_ATTEMPTS = 3;

/**
 * Makes the headers of the answer to OPTIONS for a path. A path counts as a page of a browser if all of its operations
 * do.
 */
const preflightHeadersOfRoute = memoizeByObject((route: HttpRoute<RoutedOperation>): ResponseHeaders => {
  const page = [...route.targetsByMethod.values()].every(({ operation }) => operation.page);
  return makeOptionsAnswerHeaders(route.allowedMethods, page);
});

export class RequestPipeline {
  constructor(readonly parts: PipelineParts) {}

  /**
   * Handles one request of the HTTP server: routes, limits the load, and starts the steps. Never throws for what a
   * client sends.
   */
  readonly handleRequest = (exchange: HttpExchange): void => {
    const { router, options, metrics, services, headerPolicy } = this.parts;
    const match = router.findRouteOfPath(exchange.path) ?? this.#findNewerRoute(exchange);
    if (!match && options.handleOtherPath?.(exchange)) return;
    metrics.assignRequestId(exchange);
    if (!match) {
      metrics.recordAnswerWithoutOperation(exchange, 404);
      respondWithEarlyRefusal(exchange, apiError('NOT_FOUND').toReply(), headerPolicy.apiLevels);
      return;
    }
    if (exchange.method === 'OPTIONS') {
      metrics.recordAnswerWithoutOperation(exchange, 204);
      exchange.respond(204, preflightHeadersOfRoute(match.route), []);
      return;
    }
    if (this.#isOverloaded()) {
      metrics.overloadCounters.requests.n++;
      metrics.recordAnswerWithoutOperation(exchange, 503);
      respondWithEarlyRefusal(exchange, apiError('SERVICE_UNAVAILABLE').toReply());
      return;
    }
    const request = new InboundRequest(exchange, match, services.clock.monotonic(), headerPolicy);
    this.#runNextSteps(request);
    if (!exchange.answered && !request.isReplacedByOlder) request.captureHeaders();
  };

  /** Finds the operations that the path has at the client's API level, for a path that the base level doesn't have. */
  #findNewerRoute(exchange: HttpExchange): HttpRouteMatch<RoutedOperation> | undefined {
    const { newerRoutes, headerPolicy } = this.parts;
    const { apiLevels } = headerPolicy;
    if (!apiLevels.isOn) return undefined;
    return newerRoutes.findRouteOfPath(exchange.path, () => levelOfUnroutedRequest(exchange, apiLevels));
  }

  /**
   * True if too many requests are in progress. Waiting polls are not counted: they cost little, last long, and have a
   * limit of their own.
   */
  #isOverloaded(): boolean {
    const { options, forwarder } = this.parts;
    const { maxRequests, countProcessedRequests } = options;
    return maxRequests !== undefined && (countProcessedRequests?.() ?? 0) - forwarder.waitingPollCount > maxRequests;
  }

  /**
   * Refuses a request under overload when its body has arrived: before, it was not counted.
   * @throws ApiError SERVICE_UNAVAILABLE
   */
  checkLoadAfterBody(): void {
    if (!this.#isOverloaded()) return;
    this.parts.metrics.overloadCounters.requests.n++;
    throw apiError('SERVICE_UNAVAILABLE');
  }

  /** Runs the request's next steps until one has to wait or stops. */
  #runNextSteps(request: InboundRequest): void {
    try {
      while (request.nextStepIndex < PIPELINE_STEPS.length) {
        const current = PIPELINE_STEPS[request.nextStepIndex]!;
        const value = current.start(request, this);
        if (value === undefined) {
          request.nextStepIndex++;
          continue;
        }
        if (value === LEAVE_STEP_LOOP) return;
        if (value instanceof Promise) {
          this.parts.sender.requestLifetimes.continueAfterPromise(request, value, this.continueAfterStep);
          return;
        }
        request.nextStepIndex++;
        current.storeResult?.(request, value);
      }
    } catch (error) {
      this.parts.sender.failRequest(request, error);
    }
  }

  /** Resumes the request behind the current step, whose promise has resolved with this value. */
  readonly continueAfterStep = (request: InboundRequest, value: unknown): void => {
    const current = PIPELINE_STEPS[request.nextStepIndex++]!;
    current.storeResult?.(request, value);
    this.#runNextSteps(request);
  };
}

function startReadingFormBody(
  request: InboundRequest,
  pipeline: RequestPipeline,
): ParsedForm | undefined | typeof LEAVE_STEP_LOOP {
  const { exchange, match } = request;
  if (!exchange.hasBody) return undefined;
  const contentType = exchange.header('content-type');
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const policy = formPolicyOfMethod(match.route.targetsByMethod, exchange.method);
  if (!policy.hasOperation || !(policy.takesBody || isFormMediaType(type))) return undefined;
  const { authenticator, sender, maxUploadBodyBytes, options } = pipeline.parts;
  // The check comes before the body: clients without an account can't make the server hold or parse a body where an
  // account is needed.
  const caller = policy.needsAccount ? authenticator.checkCallerBeforeBody(request, policy) : undefined;
  const beforeParsing = caller instanceof Promise ? caller : undefined;
  beforeParsing?.catch((error: unknown) => {
    if (!exchange.answered && !exchange.aborted) sender.failRequest(request, error);
  });
  const files = policy.takesFiles && isMultipartMediaType(type);
  const onProgress = files ? reserveUploadMemoryAsBytesArrive(request, pipeline, caller) : undefined;
  const maxBytes = files
    ? maxUploadBodyBytes
    : Math.min(policy.maxBytes, options.maxBodyBytes ?? Number.POSITIVE_INFINITY);
  readRequestForm(
    exchange,
    {
      contentType,
      mediaType: type,
      maxBytes,
      keepsFiles: files,
      keepsBody: policy.takesBody,
      beforeParsing,
      onProgress,
    },
    (read) => {
      try {
        pipeline.checkLoadAfterBody();
        const form = read();
        if (form instanceof Promise)
          sender.requestLifetimes.continueAfterPromise(request, form, pipeline.continueAfterStep);
        else pipeline.continueAfterStep(request, form);
      } catch (error) {
        sender.failRequest(request, error);
      }
    },
  );
  return LEAVE_STEP_LOOP;
}

function storeFormIfRead(request: InboundRequest, form: ParsedForm | undefined): void {
  if (form) request.form = form;
}

/**
 * Prepares the memory of an upload: all uploads together stay within the configured bound. An upload whose announced
 * length has no room is refused at once.
 *
 * @param caller of the request; callers that are not authenticated yet share the memory of one account
 * @returns the function that reserves memory for the bytes that the body takes so far
 */
function reserveUploadMemoryAsBytesArrive(
  request: InboundRequest,
  { parts }: RequestPipeline,
  caller: KnownCaller | Promise<unknown> | undefined,
): (heldByteCount: number) => void {
  const { maxUploadBodyBytes, uploadMemoryBudget, metrics, sender } = parts;
  const account = caller && 'user' in caller ? `${caller.realm}/${caller.user.id}` : '';
  const memory = new UploadMemoryReservation(uploadMemoryBudget, account);
  const makeRefusal = () => {
    metrics.overloadCounters.uploads.n++;
    return apiError('SERVICE_UNAVAILABLE');
  };
  const announced = Number(request.exchange.header('content-length') || 0);
  if (!memory.canGrowTo(Math.min(announced, maxUploadBodyBytes))) throw makeRefusal();
  sender.requestLifetimes.findOrCreateLifetime(request).uploadMemory = memory;
  return (bytes) => {
    if (!memory.tryGrowTo(bytes)) sender.failRequest(request, makeRefusal());
  };
}

/** Chooses the operation by the method; a POST may name another method in its form. */
function selectOperationByMethod(request: InboundRequest): void {
  const { exchange, match, form } = request;
  let method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
  if (method === 'POST') method = form.fields.get('method') ?? method;
  request.routedOperation = match.route.targetsByMethod.get(method);
  if (!request.routedOperation) throw apiError('METHOD_NOT_ALLOWED', { allowed_methods: match.route.allowedMethods });
}

/** Finds the account of the request, or the organization of a call without credentials. */
function identifyCaller(
  request: InboundRequest,
  { parts }: RequestPipeline,
): AnonymousCaller | Promise<AnonymousCaller> {
  return parts.authenticator.identifyCaller(request, request.routedOperation!.operation);
}

function storeIdentity(request: InboundRequest, identity: AnonymousCaller): void {
  request.identity = identity;
}

function checkWebhookBotAndCountCall(request: InboundRequest, { parts }: RequestPipeline): void {
  const { callRateLimiter } = parts.options;
  const { operation } = request.routedOperation!;
  const { account } = request;
  if (!account) {
    callRateLimiter?.countAnonymousCall(request, operation);
    return;
  }
  checkWebhookBotAllowed(operation, account);
  callRateLimiter?.countAccountCall(request, operation, account);
}

function checkCallerByGuard(request: InboundRequest, { parts }: RequestPipeline): void {
  const { account } = request;
  if (!account) return;
  const { operation } = request.routedOperation!;
  if (operation.guard !== 'user') checkCallerAdmittedByGuard(operation.guard, account, parts.services.clock.now());
  operation.before?.(account.directory, account.user.id);
}

/** Attaches the client's next poll to the command that is parked for it, without reading its parameters. */
function attachToParkedPollIfRepeated(
  request: InboundRequest,
  { parts }: RequestPipeline,
): undefined | typeof LEAVE_STEP_LOOP {
  const { account } = request;
  return account && parts.forwarder.tryResumeParkedPoll(request, account) ? LEAVE_STEP_LOOP : undefined;
}

function readParametersAndMakeCall(request: InboundRequest, { parts }: RequestPipeline): void {
  const { exchange, match, form, identity, account } = request;
  const { operation, parameters, levels } = request.routedOperation!;
  const { pictureMib } = operation;
  if (pictureMib !== undefined && form.files === 'too large') throw apiError('FILE_TOO_LARGE', { n: pictureMib });
  const query = exchange.query === '' ? NO_FORM_FIELDS : parseUrlencodedForm(exchange.query);
  const { values, ignoredNames } =
    levels && request.apiLevel !== BASE_API_LEVEL
      ? levels.decodeAndCheckParameters(request.apiLevel, form.fields, query, match.segmentValues)
      : parameters.decodeAndCheckParameters(form.fields, query, match.segmentValues);
  request.operationCall = new OperationCall(
    request,
    identity!,
    account,
    values,
    query,
    ignoredNames,
    parts.callServices,
  );
}

function runOperation({
  routedOperation,
  operationCall,
}: InboundRequest): OperationOutcome | Promise<OperationOutcome> {
  return routedOperation!.operation.run(operationCall!);
}

function storeOutcome({ operationCall }: InboundRequest, outcome: OperationOutcome): void {
  operationCall!.outcome = outcome;
}

/** Sends the command if the operation's outcome is one; a poll is parked. */
function forwardOrParkOutcomeCommand(
  request: InboundRequest,
  { parts }: RequestPipeline,
): Promise<ActorReply | ActorStartOverReply> | undefined | typeof LEAVE_STEP_LOOP {
  const call = request.operationCall!;
  const outcome = call.outcome!;
  if (!('to' in outcome)) return undefined;
  const { forwarder } = parts;
  if (!outcome.held) return forwarder.forwardOperationCommand(request, outcome, call) ?? LEAVE_STEP_LOOP;
  forwarder.attachOrForwardPoll(request, outcome, call);
  return LEAVE_STEP_LOOP;
}

function storeActorReplyOrRepeatRun(
  request: InboundRequest,
  answer: ActorReply | ActorStartOverReply | undefined,
): void {
  if (!answer) return;
  const call = request.operationCall!;
  request.lifetime!.forwardedCommand = undefined;
  if (!('again' in answer)) call.actorReply = answer;
  else if (call.attemptNumber < MAX_REQUEST_ATTEMPTS) {
    call.attemptNumber++;
    request.nextStepIndex = RUN_STEP_INDEX;
  } else throw apiError('SERVICE_UNAVAILABLE');
}

function sendReply(request: InboundRequest, { parts }: RequestPipeline): void {
  const { sender } = parts;
  const { outcome, actorReply: answer, realm, ignored } = request.operationCall!;
  if (answer) sender.sendActorReplyOnceVisible(request, realm, answer, ignored);
  else
    sender.sendOutcomeWithoutActor(
      request,
      request.routedOperation!.operation,
      outcome as Exclude<OperationOutcome, ForwardedCommand>,
      ignored,
    );
}
