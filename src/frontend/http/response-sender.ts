/** The `reply` step of the pipeline: sends the answers, refusals, errors and heartbeats of operations. */

import { encodeResponseFieldParts } from '#base';
import {
  API_LEVEL_HEADER,
  type ApiLevel,
  BASE_API_LEVEL,
  BASE_LEVEL_ONLY,
  type ClientApiLevels,
  translatorOfLevel,
} from '#domain/levels';
import { clientNameOfRequest } from '#domain/messages';
import type { ApiOperation, OperationOutcome } from '#frontend/api';
import { selectTighterLimit } from '#frontend/limits';
import type { ActorReply, RealmId } from '#model';
import { type ApiErrorReply, apiError } from '#model/errors';
import { formatRateLimitHeaders } from './call-limiter.js';
import { isBodyWorthCompressing, type ResponseCompressor } from './compression.js';
import {
  type InboundRequest,
  isOperationAnswerCompressible,
  type RequestLifetimeListener,
  RequestLifetimes,
} from './inbound-request.js';
import {
  CORS_HEADERS,
  errorResponseBody,
  errorResponseHeaders,
  JSON_RESPONSE_HEADERS,
  partialSuccessBody,
  successBodyOfCachedFields,
  successBodyOfEncodedFields,
  successBodyOfFields,
  toApiErrorReply,
} from './reply.js';
import type { RequestMetrics } from './request-metrics.js';
import { type HttpExchange, type ResponseBodyPart, ResponseHeaders } from './server.js';
import type { FrontendServices } from './services.js';

export class ResponseSender implements RequestLifetimeListener {
  readonly requestLifetimes: RequestLifetimes;

  /** Makes the sender of responses. @param compressor undefined if no answer is compressed */
  constructor(
    private readonly services: FrontendServices,
    private readonly metrics: RequestMetrics,
    deadlineMs: number,
    private readonly compressor: ResponseCompressor | undefined,
  ) {
    this.requestLifetimes = new RequestLifetimes(services.clock, this, deadlineMs);
  }

  handleDeadlinePassed(request: InboundRequest): void {
    const { requestId } = request.exchange;
    this.services.log.warn({ requestId, path: pathPatternOfRequest(request) }, 'request deadline passed');
    this.failRequest(request, apiError('SERVICE_UNAVAILABLE'));
  }

  handleClientLeft(): void {
    this.metrics.countAbortedRequest();
  }

  /** Answers with the refusal that the error stands for; an error that is no refusal is logged and answered 500. */
  failRequest(request: InboundRequest, error: unknown): void {
    this.#sendRefusal(request, toApiErrorReply(error) ?? this.#logAndMakeInternalErrorReply(request, error));
  }

  #sendRefusal(request: InboundRequest, refusal: ApiErrorReply): void {
    const error = translateRefusal(request, refusal);
    request.rateLimitStatus = selectTighterLimit(error.rate, request.rateLimitStatus);
    this.#respondUncompressed(
      request,
      error.status,
      errorResponseHeaders(error, request.isFromOwnPage),
      errorResponseBody(error),
    );
  }

  #logAndMakeInternalErrorReply(request: InboundRequest, error: unknown): ApiErrorReply {
    const { method, requestId } = request.exchange;
    this.services.log.error(
      { requestId, err: error, method, path: pathPatternOfRequest(request) },
      'unhandled exception',
    );
    return apiError('INTERNAL').toReply();
  }

  /** Sends the answer that an operation decided without an actor. */
  sendOutcomeWithoutActor(
    request: InboundRequest,
    operation: ApiOperation,
    outcome: Exclude<OperationOutcome, { to: unknown }>,
    ignored: readonly string[] | undefined,
  ): void {
    if ('ready' in outcome) {
      const body = answersInOtherForm(request)
        ? successBodyOfEncodedFields(translateFields(request, outcome.ready.encodedParts), ignored)
        : successBodyOfCachedFields(outcome.ready, ignored);
      this.#respondCompressedIfWorthwhile(request, 200, JSON_RESPONSE_HEADERS, body);
    } else if ('fields' in outcome) {
      const { fields, headers } = outcome;
      const all = headers ? JSON_RESPONSE_HEADERS.withAddedOrReplaced(headers) : JSON_RESPONSE_HEADERS;
      const body = answersInOtherForm(request)
        ? successBodyOfEncodedFields(translateFields(request, encodeResponseFieldParts(fields)), ignored)
        : successBodyOfFields(fields, ignored);
      this.#respondCompressedIfWorthwhile(request, 200, all, body);
    } else {
      const { status, raw, coded } = outcome;
      const own = Object.entries(outcome.headers);
      const all = new ResponseHeaders(operation.page ? own : [...own, ...CORS_HEADERS]);
      if (!(raw instanceof Uint8Array)) {
        this.#endLifetimeAndRecordAnswer(request, status);
        request.exchange.respondFromSource(status, all, raw, formatRateLimitHeaders(request.rateLimitStatus));
      } else if (coded && status === 200)
        this.#respondCompressedIfWorthwhile(request, status, all, [raw], all.withAddedOrReplaced(coded));
      else this.#respondUncompressed(request, status, all, [raw]);
    }
  }

  /** Sends an actor's reply, once this frontend's replica shows the change that the reply reports. */
  sendActorReplyOnceVisible(
    request: InboundRequest,
    realm: RealmId,
    reply: ActorReply,
    ignored: readonly string[] | undefined,
  ): void {
    const shown = reply.after === undefined ? undefined : this.services.waitForDirectoryVersion(realm, reply.after);
    if (shown)
      this.requestLifetimes.continueAfterPromise(request, shown, () =>
        this.#sendActorReplyNow(request, reply, ignored),
      );
    else this.#sendActorReplyNow(request, reply, ignored);
  }

  #sendActorReplyNow(request: InboundRequest, reply: ActorReply, ignored: readonly string[] | undefined): void {
    if ('error' in reply) {
      this.#sendRefusal(request, reply.error);
      return;
    }
    const { partial } = reply;
    const ok = answersInOtherForm(request) ? translateFields(request, reply.ok) : reply.ok;
    this.#respondCompressedIfWorthwhile(
      request,
      200,
      JSON_RESPONSE_HEADERS,
      partial ? partialSuccessBody(partial) : successBodyOfEncodedFields(ok, ignored),
    );
  }

  /** Answers a parked poll; the request object stays in use for the client's next poll. @param now monotonic ms */
  sendHeartbeatAnswer(request: InboundRequest, body: readonly ResponseBodyPart[], now: number): void {
    this.metrics.recordAnswer(request, 200, now);
    request.exchange.respond(200, JSON_RESPONSE_HEADERS, body, formatRateLimitHeaders(request.rateLimitStatus));
  }

  /**
   * Sends an answer, compressed if it is large and its operation allows it. @param coded headers of the compressed
   * answer, where they differ
   */
  #respondCompressedIfWorthwhile(
    request: InboundRequest,
    status: number,
    headers: ResponseHeaders,
    body: readonly ResponseBodyPart[],
    coded?: ResponseHeaders,
  ): void {
    const { compressor } = this;
    if (
      !compressor ||
      !isBodyWorthCompressing(body) ||
      !isOperationAnswerCompressible(request.routedOperation!.operation)
    ) {
      this.#respondUncompressed(request, status, headers, body);
      return;
    }
    this.#endLifetimeAndRecordAnswer(request, status);
    compressor.respondCompressedIfSmaller(
      request.exchange,
      request.mayGzipAnswer,
      status,
      headers,
      body,
      formatRateLimitHeaders(request.rateLimitStatus),
      coded,
    );
  }

  /** Sends an answer uncompressed. */
  #respondUncompressed(
    request: InboundRequest,
    status: number,
    headers: ResponseHeaders,
    body: readonly ResponseBodyPart[],
  ): void {
    this.#endLifetimeAndRecordAnswer(request, status);
    request.exchange.respond(status, headers, body, formatRateLimitHeaders(request.rateLimitStatus));
  }

  #endLifetimeAndRecordAnswer(request: InboundRequest, status: number): void {
    request.lifetime?.endRequest();
    this.metrics.recordAnswer(request, status);
  }
}

/** True if the client's API level has another form of the operation's answers. */
const answersInOtherForm = (request: InboundRequest): boolean =>
  request.routedOperation?.levels?.changesAnswersAt(request.apiLevel) === true;

function translateFields(request: InboundRequest, encodedParts: readonly Uint8Array[]): readonly Uint8Array[] {
  const { apiLevel, operationCall, routedOperation } = request;
  const client = { takesEmptyTopicName: operationCall!.params.allow_empty_topic_name === true };
  return routedOperation!.levels!.translateAnswer(apiLevel, encodedParts, client);
}

/** The refusal in the form of the client's API level; a client whose level is unknown gets that of the base level. */
function translateRefusal(request: InboundRequest, refusal: ApiErrorReply): ApiErrorReply {
  try {
    return request.translator?.translateError(refusal) ?? refusal;
  } catch {
    return refusal;
  }
}

/** Returns the path pattern for the log instead of the real path, which may hold tokens and e-mail addresses. */
function pathPatternOfRequest({ match }: InboundRequest): string {
  const [target] = match.route.targetsByMethod.values();
  return target?.operation.path ?? '';
}

/** Level of a request for a path that the base level doesn't have; a bad header counts as none. */
export function levelOfUnroutedRequest(exchange: HttpExchange, levels: ClientApiLevels): ApiLevel {
  try {
    const name = clientNameOfRequest(undefined, exchange.header('user-agent'));
    return levels.levelOfRequest(exchange.header(API_LEVEL_HEADER), name);
  } catch {
    return BASE_API_LEVEL;
  }
}

/** Refuses a request before its operation is known. */
export function respondWithEarlyRefusal(
  exchange: HttpExchange,
  refusal: ApiErrorReply,
  levels: ClientApiLevels = BASE_LEVEL_ONLY,
): void {
  const error =
    translatorOfLevel(levels.isOn ? levelOfUnroutedRequest(exchange, levels) : undefined)?.translateError(refusal) ??
    refusal;
  exchange.respond(error.status, errorResponseHeaders(error), errorResponseBody(error));
}
