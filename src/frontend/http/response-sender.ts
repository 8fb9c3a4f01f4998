/** The `reply` step of the pipeline: sends the answers, refusals, errors and heartbeats of operations. */

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

  #sendRefusal(request: InboundRequest, error: ApiErrorReply): void {
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
    if ('ready' in outcome)
      this.#respondCompressedIfWorthwhile(
        request,
        200,
        JSON_RESPONSE_HEADERS,
        successBodyOfCachedFields(outcome.ready, ignored),
      );
    else if ('fields' in outcome) {
      const { fields, headers } = outcome;
      const all = headers ? JSON_RESPONSE_HEADERS.withAddedOrReplaced(headers) : JSON_RESPONSE_HEADERS;
      this.#respondCompressedIfWorthwhile(request, 200, all, successBodyOfFields(fields, ignored));
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
    const { ok, partial } = reply;
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

/** Returns the path pattern for the log instead of the real path, which may hold tokens and e-mail addresses. */
function pathPatternOfRequest({ match }: InboundRequest): string {
  const [target] = match.route.targetsByMethod.values();
  return target?.operation.path ?? '';
}

/** Refuses a request before its operation is known. */
export function respondWithEarlyRefusal(exchange: HttpExchange, error: ApiErrorReply): void {
  exchange.respond(error.status, errorResponseHeaders(error), errorResponseBody(error));
}
