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
  successBodyOfFields,
  successBodyOfParts,
  toApiErrorReply,
} from './reply.js';
import type { RequestMetrics } from './request-metrics.js';
import { type HttpExchange, type ResponseBodyPart, ResponseHeaders } from './server.js';
import type { FrontendServices } from './services.js';

export class ResponseSender implements RequestLifetimeListener {
  readonly lifetimes: RequestLifetimes;

  /** Makes the sender of responses. @param compressor undefined if no answer is compressed */
  constructor(
    private readonly services: FrontendServices,
    private readonly metrics: RequestMetrics,
    deadlineMs: number,
    private readonly compressor: ResponseCompressor | undefined,
  ) {
    this.lifetimes = new RequestLifetimes(services.clock, this, deadlineMs);
  }

  deadlinePassed(request: InboundRequest): void {
    const { requestId } = request.exchange;
    this.services.log.warn({ requestId, path: pathPattern(request) }, 'request deadline passed');
    this.failed(request, apiError('SERVICE_UNAVAILABLE'));
  }

  clientLeft(): void {
    this.metrics.aborted();
  }

  /** Answers with the refusal that the error stands for; an error that is no refusal is logged and answered 500. */
  failed(request: InboundRequest, error: unknown): void {
    this.#refuse(request, toApiErrorReply(error) ?? this.#unexpected(request, error));
  }

  #refuse(request: InboundRequest, error: ApiErrorReply): void {
    request.rate = selectTighterLimit(error.rate, request.rate);
    this.#respondPlain(request, error.status, errorResponseHeaders(error, request.fromPage), errorResponseBody(error));
  }

  #unexpected(request: InboundRequest, error: unknown): ApiErrorReply {
    const { method, requestId } = request.exchange;
    this.services.log.error({ requestId, err: error, method, path: pathPattern(request) }, 'unhandled exception');
    return apiError('INTERNAL').toReply();
  }

  /** Sends the answer that an operation decided without an actor. */
  local(
    request: InboundRequest,
    operation: ApiOperation,
    outcome: Exclude<OperationOutcome, { to: unknown }>,
    ignored: readonly string[] | undefined,
  ): void {
    if ('ready' in outcome)
      this.#respond(request, 200, JSON_RESPONSE_HEADERS, successBodyOfCachedFields(outcome.ready, ignored));
    else if ('fields' in outcome) {
      const { fields, headers } = outcome;
      const all = headers ? JSON_RESPONSE_HEADERS.with(headers) : JSON_RESPONSE_HEADERS;
      this.#respond(request, 200, all, successBodyOfFields(fields, ignored));
    } else {
      const { status, raw, coded } = outcome;
      const own = Object.entries(outcome.headers);
      const all = new ResponseHeaders(operation.page ? own : [...own, ...CORS_HEADERS]);
      if (coded && status === 200) this.#respond(request, status, all, [raw], all.with(coded));
      else this.#respondPlain(request, status, all, [raw]);
    }
  }

  /** Sends an actor's reply, once this frontend's replica shows the change that the reply reports. */
  actorReply(request: InboundRequest, realm: RealmId, reply: ActorReply, ignored: readonly string[] | undefined): void {
    const shown = reply.after === undefined ? undefined : this.services.waitFor(realm, reply.after);
    if (shown) this.lifetimes.wait(request, shown, () => this.#actorReply(request, reply, ignored));
    else this.#actorReply(request, reply, ignored);
  }

  #actorReply(request: InboundRequest, reply: ActorReply, ignored: readonly string[] | undefined): void {
    if ('error' in reply) {
      this.#refuse(request, reply.error);
      return;
    }
    const { ok, partial } = reply;
    this.#respond(
      request,
      200,
      JSON_RESPONSE_HEADERS,
      partial ? partialSuccessBody(partial) : successBodyOfParts(ok, ignored),
    );
  }

  /** Answers a parked poll; the request object stays in use for the client's next poll. @param now monotonic ms */
  heartbeat(request: InboundRequest, body: readonly ResponseBodyPart[], now: number): void {
    this.metrics.answered(request, 200, now);
    request.exchange.respond(200, JSON_RESPONSE_HEADERS, body, formatRateLimitHeaders(request.rate));
  }

  /**
   * Sends an answer, compressed if it is large and its operation allows it. @param coded headers of the compressed
   * answer, where they differ
   */
  #respond(
    request: InboundRequest,
    status: number,
    headers: ResponseHeaders,
    body: readonly ResponseBodyPart[],
    coded?: ResponseHeaders,
  ): void {
    const { compressor } = this;
    if (!compressor || !isBodyWorthCompressing(body) || !isOperationAnswerCompressible(request.target!.operation)) {
      this.#respondPlain(request, status, headers, body);
      return;
    }
    this.#end(request, status);
    compressor.respond(
      request.exchange,
      request.gzip,
      status,
      headers,
      body,
      formatRateLimitHeaders(request.rate),
      coded,
    );
  }

  /** Sends an answer uncompressed. */
  #respondPlain(
    request: InboundRequest,
    status: number,
    headers: ResponseHeaders,
    body: readonly ResponseBodyPart[],
  ): void {
    this.#end(request, status);
    request.exchange.respond(status, headers, body, formatRateLimitHeaders(request.rate));
  }

  #end(request: InboundRequest, status: number): void {
    request.lifetime?.end();
    this.metrics.answered(request, status);
  }
}

/** Returns the path pattern for the log instead of the real path, which may hold tokens and e-mail addresses. */
function pathPattern({ match }: InboundRequest): string {
  const [target] = match.route.methods.values();
  return target?.operation.path ?? '';
}

/** Refuses a request before its operation is known. */
export function respondWithRefusal(exchange: HttpExchange, error: ApiErrorReply): void {
  exchange.respond(error.status, errorResponseHeaders(error), errorResponseBody(error));
}
