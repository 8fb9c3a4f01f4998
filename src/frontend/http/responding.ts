/** How requests end: with an answer, a refusal, a fault, or their client's leaving; at once, or when what they wait for comes. */
import type { ActorReply } from '#frontend/api';
import { narrower } from '#frontend/limits';
import type { RealmId } from '#model';
import { apiError, type ErrorReply } from '#model/errors';
import { type Arrival, isCompressed } from './arrival.js';
import { type Compressing, isLarge } from './compressing.js';
import type { Observed } from './observed.js';
import { Pending } from './pending.js';
import { rateHeaders } from './rate-limiting.js';
import { refusalOf } from './refusal.js';
import { errorBody, errorHeaders, JSON_HEADERS, partialBody, successOfParts } from './reply.js';
import type { BodyPart, Headers, HttpExchange } from './server.js';
import type { FrontendServices } from './services.js';

export class Responding {
  /** Polls that wait for events. */
  readonly held = new Set<Pending>();

  /** @param deadlineMs from the first wait until 503 @param compressing undefined: nothing is compressed */
  constructor(
    private readonly services: FrontendServices,
    private readonly observed: Observed,
    private readonly deadlineMs: number,
    private readonly compressing: Compressing | undefined,
  ) {}

  /** Go on with a value that is there or will come; in the second case the client may leave and the time may run out. */
  whenThere<T>(arrival: Arrival, value: T | Promise<T>, next: (arrival: Arrival, value: T) => void): void {
    if (value instanceof Promise) this.later(arrival, value, next);
    else next(arrival, value);
  }

  later<T>(arrival: Arrival, value: Promise<T>, next: (arrival: Arrival, value: T) => void): void {
    const pending = this.pendingOf(arrival);
    pending.startDeadline(this.deadlineMs);
    value.then(
      (settled) => {
        if (!pending.over) this.attempt(arrival, () => next(arrival, settled));
      },
      (error: unknown) => {
        if (!pending.over) this.fail(arrival, error);
      },
    );
  }

  pendingOf(arrival: Arrival): Pending {
    if (arrival.pending) return arrival.pending;
    const pending = new Pending(arrival, this.services.clock, () => {
      const { requestId } = arrival.exchange;
      this.services.log.warn({ requestId, path: shownPath(arrival) }, 'request deadline passed');
      this.fail(arrival, apiError('SERVICE_UNAVAILABLE'));
    });
    arrival.pending = pending;
    pending.gone = () => {
      this.held.delete(pending);
      this.observed.aborted();
      pending.end();
    };
    arrival.exchange.onAborted(pending.gone);
    return pending;
  }

  attempt(arrival: Arrival, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(arrival, error);
    }
  }

  fail(arrival: Arrival, error: unknown): void {
    this.refuse(arrival, refusalOf(error) ?? this.#unexpected(arrival, error));
  }

  refuse(arrival: Arrival, error: ErrorReply): void {
    arrival.rate = narrower(error.rate, arrival.rate);
    this.respondPlain(arrival, error.status, errorHeaders(error), errorBody(error));
  }

  #unexpected(arrival: Arrival, error: unknown): ErrorReply {
    const { method, requestId } = arrival.exchange;
    this.services.log.error({ requestId, err: error, method, path: shownPath(arrival) }, 'unhandled exception');
    return apiError('INTERNAL').toReply();
  }

  /** What an actor answered, once this frontend shows what was done. */
  reply(arrival: Arrival, realm: RealmId, reply: ActorReply, ignored: readonly string[] | undefined): void {
    const send = (): void => {
      if ('error' in reply) {
        this.refuse(arrival, reply.error);
        return;
      }
      const { ok, partial } = reply;
      this.respond(arrival, 200, JSON_HEADERS, partial ? partialBody(partial) : successOfParts(ok, ignored));
    };
    if (reply.after === undefined) send();
    else this.whenThere(arrival, this.services.waitFor(realm, reply.after), send);
  }

  /** Its client will go on with the same. @param now monotonic ms */
  respondMeanwhile(arrival: Arrival, headers: Headers, body: readonly BodyPart[], now: number): void {
    this.observed.answered(arrival, 200, now);
    arrival.exchange.respond(200, headers, body, rateHeaders(arrival.rate));
  }

  /** @param coded headers with which it goes out compressed, where they differ */
  respond(arrival: Arrival, status: number, headers: Headers, body: readonly BodyPart[], coded?: Headers): void {
    const { compressing } = this;
    if (!compressing || !isLarge(body) || !isCompressed(arrival.target!.operation)) {
      this.respondPlain(arrival, status, headers, body);
      return;
    }
    this.#end(arrival, status);
    compressing.respond(arrival.exchange, arrival.gzip, status, headers, body, rateHeaders(arrival.rate), coded);
  }

  /** Whatever its client takes. */
  respondPlain(arrival: Arrival, status: number, headers: Headers, body: readonly BodyPart[]): void {
    this.#end(arrival, status);
    arrival.exchange.respond(status, headers, body, rateHeaders(arrival.rate));
  }

  #end(arrival: Arrival, status: number): void {
    const { pending } = arrival;
    if (pending) {
      this.held.delete(pending);
      pending.end();
    }
    this.observed.answered(arrival, status);
  }
}

/** What goes into the log: paths may hold tokens and addresses of people. */
function shownPath({ found }: Arrival): string {
  const [target] = found.route.methods.values();
  return target?.operation.path ?? '';
}

/** Before it is known which operation is meant. */
export function refuseAtOnce(exchange: HttpExchange, error: ErrorReply): void {
  exchange.respond(error.status, errorHeaders(error), errorBody(error));
}
