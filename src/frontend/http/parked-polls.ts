/**
 * Polls that wait in the frontend. A parked poll is a command that waits at an actor, together with one object that
 * represents all client requests for its answer, one after the other.
 *
 * While no event comes, the frontend answers each request with a heartbeat that the operation declares
 * (`ForwardedCommand.keepalive`), and the client's next poll is attached to the same command: an idle client costs its
 * actor nothing for 32 to 64 heartbeats. Objects that live for a minute are expensive to collect, so the objects of the
 * command's first poll are reused for all later ones, and most of those are not even parsed (NextPollMatcher).
 */
import { encodeResponseFields } from '#base';
import { addJitter, type Clock, CoarseTimerRing, MAX_JITTER_SHARE } from '#base/clock';
import type { PollKeepalive } from '#frontend/api';
import type { ActorKey, ActorReply, ActorStartOverReply, RealmId, UserId } from '#model';
import type { InboundRequest, RequestLifetime } from './inbound-request.js';
import { successBodyOfFieldsText } from './reply.js';
import type { ResponseSender } from './response-sender.js';
import type { RoutedOperation } from './route.js';
import type { AuthenticatedCaller, ForwardedCommandHandle } from './services.js';

/** Milliseconds after a heartbeat within which the client has to poll again; otherwise the command is cancelled. */
const MAX_ABSENCE_BETWEEN_POLLS_MS = 5_000;
/**
 * Minimum share of its heartbeat ids that a parked poll uses; the share is random, so that polls that started together
 * don't expire together.
 */
const MIN_USED_HEARTBEAT_IDS_SHARE = 0.5;

interface ParkedPollOptions {
  /** Milliseconds that a request waits for its heartbeat; up to a fifth is added. */
  readonly heartbeatMs: number;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

/** Objects of the first poll for which a command was parked. */
interface FirstPollObjects {
  readonly keepalive: PollKeepalive;
  /** Recognizes the client's later polls; undefined: each of them has to be parsed. */
  readonly nextPollMatcher: NextPollMatcher | undefined;
  readonly forwardedCommand: ForwardedCommandHandle;
  readonly request: InboundRequest;
  readonly lifetime: RequestLifetime;
  readonly ignoredParameters: readonly string[] | undefined;
}

export class ParkedPolls {
  readonly #parkedPollsByActor = new Map<ActorKey, ParkedPoll>();
  /** Parked polls that wait for the client's next request, by the query that this request is expected to have. */
  readonly #parkedPollsByExpectedQuery = new Map<string, ParkedPoll>();
  /** Operations whose polls have been parked at least once. */
  readonly #parkedOperations = new Set<RoutedOperation>();
  readonly #heartbeatTimers: CoarseTimerRing<ParkedPoll>;
  readonly #absenceTimers: CoarseTimerRing<ParkedPoll>;
  /** Number of client requests that wait for the answers of parked commands. */
  attachedRequestCount = 0;

  constructor(
    readonly clock: Clock,
    readonly sender: ResponseSender,
    readonly options: ParkedPollOptions,
  ) {
    this.#heartbeatTimers = new CoarseTimerRing(clock, options.heartbeatMs * (1 + MAX_JITTER_SHARE), (parked, now) =>
      parked.answerWithHeartbeat(now),
    );
    this.#absenceTimers = new CoarseTimerRing(clock, MAX_ABSENCE_BETWEEN_POLLS_MS, (parked, now) =>
      parked.cancelIfClientAbsent(now),
    );
  }

  /**
   * Attaches the request if a command is parked for this queue and the client acknowledges our last heartbeat. Returns
   * false otherwise.
   */
  tryAttachAcknowledgingPoll(
    to: ActorKey,
    { last }: PollKeepalive,
    request: InboundRequest,
    ignored: readonly string[] | undefined,
  ): boolean {
    const parked = this.#parkedPollsByActor.get(to);
    if (!parked?.canAttachPollAfterEventId(last)) return false;
    parked.attachNextPoll(request, ignored);
    return true;
  }

  /**
   * Attaches a request that repeats the client's previous poll, without parsing it. Returns false for any other
   * request.
   */
  tryAttachRepeatedPoll(request: InboundRequest, caller: AuthenticatedCaller): boolean {
    if (!this.#parkedOperations.has(request.routedOperation!)) return false;
    const parked = this.#parkedPollsByExpectedQuery.get(request.exchange.query);
    if (!parked?.nextPollMatcher?.matchesApartFromQuery(request, caller)) return false;
    parked.attachNextPoll(request, parked.ignoredParameters);
    return true;
  }

  addParkedPoll(to: ActorKey, first: FirstPollObjects): ParkedPoll {
    const before = this.#parkedPollsByActor.get(to);
    if (before && !before.isRequestWaiting) before.cancel();
    const parked = new ParkedPoll(this, to, first);
    if (first.nextPollMatcher) this.#parkedOperations.add(first.request.routedOperation!);
    this.#parkedPollsByActor.set(to, parked);
    parked.startWaitingForHeartbeat(first.ignoredParameters);
    return parked;
  }

  *attachedRequests(): Iterable<InboundRequest> {
    for (const parked of this.#parkedPollsByActor.values()) if (parked.isRequestWaiting) yield parked.request;
  }

  /** Ends all polls when the frontend shuts down: waiting requests are answered, the other commands cancelled. */
  releaseAllForShutdown(): void {
    for (const parked of [...this.#parkedPollsByActor.values()]) parked.releaseForShutdown();
    this.#heartbeatTimers.clear();
    this.#absenceTimers.clear();
  }

  /**
   * Starts the timer for the poll's next heartbeat. @internal
   * @param since monotonic ms at which the request arrived
   */
  scheduleHeartbeat(parked: ParkedPoll, since: number): void {
    const { heartbeatMs, random } = this.options;
    this.#heartbeatTimers.addExpiringAfter(parked, addJitter(heartbeatMs, random), since);
  }

  /**
   * Waits for the client's next poll, and cancels the command if none comes.
   * @internal
   * @param query query that the next poll should have; undefined if that poll has to be parsed
   * @param now monotonic ms
   */
  expectNextPoll(parked: ParkedPoll, query: string | undefined, now: number): void {
    if (query !== undefined) this.#parkedPollsByExpectedQuery.set(query, parked);
    this.#absenceTimers.addExpiringAfter(parked, MAX_ABSENCE_BETWEEN_POLLS_MS, now);
  }

  /** Removes the query that the client's next poll was expected to have. @internal */
  forgetExpectedQuery(parked: ParkedPoll, query: string): void {
    if (this.#parkedPollsByExpectedQuery.get(query) === parked) this.#parkedPollsByExpectedQuery.delete(query);
  }

  /** Removes a parked poll that has ended. @internal */
  removeParkedPoll(to: ActorKey, parked: ParkedPoll): void {
    if (this.#parkedPollsByActor.get(to) === parked) this.#parkedPollsByActor.delete(to);
  }
}

export class ParkedPoll {
  /** True while a request waits for the command's answer. */
  isRequestWaiting = false;
  ignoredParameters: readonly string[] | undefined;
  readonly nextPollMatcher: NextPollMatcher | undefined;
  /** The client request that waits for the command's answer, or that was answered last. */
  readonly request: InboundRequest;
  readonly #keepalive: PollKeepalive;
  readonly #forwardedCommand: ForwardedCommandHandle;
  readonly #lifetime: RequestLifetime;
  #isOver = false;
  /** Id of the last heartbeat; before the first heartbeat, the id of the client's last event. */
  #lastSentEventId: number;
  #heartbeatsLeft: number;
  #lastHeartbeatAtMs = 0;
  #expectedQuery: string | undefined;

  constructor(
    private readonly owner: ParkedPolls,
    private readonly to: ActorKey,
    { keepalive, nextPollMatcher, forwardedCommand, request, lifetime }: FirstPollObjects,
  ) {
    this.#keepalive = keepalive;
    this.nextPollMatcher = nextPollMatcher;
    this.#forwardedCommand = forwardedCommand;
    this.request = request;
    this.#lifetime = lifetime;
    this.#lastSentEventId = keepalive.last;
    this.#heartbeatsLeft = Math.ceil(
      keepalive.heartbeatIds *
        (MIN_USED_HEARTBEAT_IDS_SHARE + (1 - MIN_USED_HEARTBEAT_IDS_SHARE) * owner.options.random()),
    );
    lifetime.forwardedCommand = this;
  }

  canAttachPollAfterEventId(last: number): boolean {
    return !this.isRequestWaiting && this.#lastSentEventId === last;
  }

  attachNextPoll(next: InboundRequest, ignored: readonly string[] | undefined): void {
    next.lifetime?.stopDeadline();
    this.request.rebindToNextPoll(next);
    this.startWaitingForHeartbeat(ignored);
    this.request.exchange.setAbortListener(this.#lifetime.handleClientLeft);
  }

  startWaitingForHeartbeat(ignored: readonly string[] | undefined): void {
    this.ignoredParameters = ignored;
    this.isRequestWaiting = true;
    this.#forgetExpectedQuery();
    this.owner.attachedRequestCount++;
    this.owner.scheduleHeartbeat(this, this.request.since);
  }

  /**
   * Adapts the actor's answer to the request that waits now. A refusal of the command's older event id is replaced,
   * because the client has acknowledged later ids since.
   */
  adaptReplyToWaitingRequest(reply: ActorReply | ActorStartOverReply): ActorReply | ActorStartOverReply {
    if (!('error' in reply) || this.#lastSentEventId === this.#keepalive.last) return reply;
    const instead = this.#keepalive.answerInsteadOf(reply.error);
    return instead ? { ok: [encodeResponseFields(instead)] } : reply;
  }

  /** Ends the parked poll, because its command was answered. @returns the request that waits for the answer */
  endAndTakeWaitingRequest(): InboundRequest | undefined {
    const { isRequestWaiting } = this;
    this.#markOverAndRemove();
    return isRequestWaiting ? this.request : undefined;
  }

  /** Cancels the command, because the client has left. */
  cancel(): void {
    if (this.#isOver) return;
    this.#markOverAndRemove();
    this.#forwardedCommand.cancel();
  }

  /** Gives the poll up, because the frontend shuts down. */
  releaseForShutdown(): void {
    if (this.isRequestWaiting) this.#forwardedCommand.releaseForShutdown();
    else this.cancel();
  }

  /** Answers the waiting request with a heartbeat; the last one also ends the command. @param now monotonic ms */
  answerWithHeartbeat(now: number): void {
    if (!this.isRequestWaiting) return;
    this.#markNoRequestWaiting();
    const body = successBodyOfFieldsText(this.#keepalive.fields(++this.#lastSentEventId), this.ignoredParameters);
    if (--this.#heartbeatsLeft > 0) {
      this.#lastHeartbeatAtMs = now;
      this.#expectedQuery = this.nextPollMatcher?.queryWithEventId(this.#lastSentEventId);
      this.owner.expectNextPoll(this, this.#expectedQuery, now);
    } else {
      this.#lifetime.forwardedCommand = undefined;
      this.cancel();
    }
    this.owner.sender.sendHeartbeatAnswer(this.request, body, now);
  }

  /** Cancels the command if the client has not polled again after the last heartbeat. @param now monotonic ms */
  cancelIfClientAbsent(now: number): void {
    if (this.isRequestWaiting || now - this.#lastHeartbeatAtMs < MAX_ABSENCE_BETWEEN_POLLS_MS) return;
    this.#lifetime.forwardedCommand = undefined;
    this.cancel();
  }

  #markNoRequestWaiting(): void {
    if (this.isRequestWaiting) this.owner.attachedRequestCount--;
    this.isRequestWaiting = false;
  }

  #forgetExpectedQuery(): void {
    if (this.#expectedQuery !== undefined) this.owner.forgetExpectedQuery(this, this.#expectedQuery);
    this.#expectedQuery = undefined;
  }

  #markOverAndRemove(): void {
    this.#isOver = true;
    this.#markNoRequestWaiting();
    this.#forgetExpectedQuery();
    this.owner.removeParkedPoll(this.to, this);
  }
}

/** Pattern of queries without escapes, which can be compared as text. */
const UNESCAPED_QUERY_PATTERN = /^[\w=&.-]*$/;

/** Recognizes a client's next poll without parsing: the same query except for the event id, by the same account. */
export class NextPollMatcher {
  private constructor(
    private readonly operation: RoutedOperation,
    private readonly realm: RealmId,
    private readonly user: UserId,
    private readonly before: string,
    private readonly after: string,
  ) {}

  /**
   * Makes a matcher for the polls that follow this one.
   * @returns undefined unless the query has the last event id exactly once, in plain digits, and the request has no
   * body
   */
  static createIfRecognizable(
    { exchange, routedOperation }: InboundRequest,
    caller: AuthenticatedCaller,
    { parameter, last }: Pick<PollKeepalive, 'parameter' | 'last'>,
  ): NextPollMatcher | undefined {
    const { query, hasBody } = exchange;
    if (!routedOperation || hasBody || !UNESCAPED_QUERY_PATTERN.test(query)) return undefined;
    const prefix = `${parameter}=`;
    const digits = `${last}`;
    const at = query.indexOf(prefix);
    const from = at + prefix.length;
    const to = from + digits.length;
    if (at < 0 || (at > 0 && query[at - 1] !== '&') || query.indexOf(prefix, from) >= 0) return undefined;
    if (query.slice(from, to) !== digits || (to < query.length && query[to] !== '&')) return undefined;
    return new NextPollMatcher(routedOperation, caller.realm, caller.user.id, query.slice(0, from), query.slice(to));
  }

  /** The query of the next poll with this event id. */
  queryWithEventId(id: number): string {
    return this.before + id + this.after;
  }

  /**
   * True if the request is this client's next poll: same operation and account, no body. The caller has compared the
   * query.
   */
  matchesApartFromQuery({ routedOperation, exchange }: InboundRequest, { realm, user }: AuthenticatedCaller): boolean {
    return this.operation === routedOperation && this.user === user.id && this.realm === realm && !exchange.hasBody;
  }
}
