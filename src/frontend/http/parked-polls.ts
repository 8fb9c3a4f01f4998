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
import type { ActorKey, ActorRepeatReply, ActorReply, RealmId, UserId } from '#model';
import type { InboundRequest, RequestLifetime } from './inbound-request.js';
import { successBodyOfText } from './reply.js';
import type { ResponseSender } from './response-sender.js';
import type { RoutedOperation } from './route.js';
import type { AuthenticatedCaller, ForwardedCommandHandle } from './services.js';

/** Milliseconds after a heartbeat within which the client has to poll again; otherwise the command is cancelled. */
const ABSENCE_MS = 5_000;
/**
 * Minimum share of its heartbeat ids that a parked poll uses; the share is random, so that polls that started together
 * don't expire together.
 */
const MIN_SHARE = 0.5;

interface ParkedPollOptions {
  /** Milliseconds that a request waits for its heartbeat; up to a fifth is added. */
  readonly everyMs: number;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

/** Objects of the first poll for which a command was parked. */
interface FirstPoll {
  readonly keepalive: PollKeepalive;
  /** Recognizes the client's later polls; undefined: each of them has to be parsed. */
  readonly nextPoll: NextPollMatcher | undefined;
  readonly forwarding: ForwardedCommandHandle;
  readonly request: InboundRequest;
  readonly lifetime: RequestLifetime;
  readonly ignored: readonly string[] | undefined;
}

export class ParkedPolls {
  readonly #parked = new Map<ActorKey, ParkedPoll>();
  /** Parked polls that wait for the client's next request, by the query that this request is expected to have. */
  readonly #expected = new Map<string, ParkedPoll>();
  /** Operations whose polls have been parked at least once. */
  readonly #operations = new Set<RoutedOperation>();
  readonly #heartbeats: CoarseTimerRing<ParkedPoll>;
  readonly #absences: CoarseTimerRing<ParkedPoll>;
  /** Number of client requests that wait for the answers of parked commands. */
  attached = 0;

  constructor(
    readonly clock: Clock,
    readonly sender: ResponseSender,
    readonly options: ParkedPollOptions,
  ) {
    this.#heartbeats = new CoarseTimerRing(clock, options.everyMs * (1 + MAX_JITTER_SHARE), (parked, now) =>
      parked.heartbeat(now),
    );
    this.#absences = new CoarseTimerRing(clock, ABSENCE_MS, (parked, now) => parked.checkAbsence(now));
  }

  /**
   * Attaches the request if a command is parked for this queue and the client acknowledges our last heartbeat. Returns
   * false otherwise.
   */
  attach(
    to: ActorKey,
    { last }: PollKeepalive,
    request: InboundRequest,
    ignored: readonly string[] | undefined,
  ): boolean {
    const parked = this.#parked.get(to);
    if (!parked?.canResumeAfter(last)) return false;
    parked.attach(request, ignored);
    return true;
  }

  /**
   * Attaches a request that repeats the client's previous poll, without parsing it. Returns false for any other
   * request.
   */
  attachRepeat(request: InboundRequest, caller: AuthenticatedCaller): boolean {
    if (!this.#operations.has(request.target!)) return false;
    const parked = this.#expected.get(request.exchange.query);
    if (!parked?.nextPoll?.matches(request, caller)) return false;
    parked.attach(request, parked.ignored);
    return true;
  }

  add(to: ActorKey, first: FirstPoll): ParkedPoll {
    const before = this.#parked.get(to);
    if (before && !before.isAttached) before.cancel();
    const parked = new ParkedPoll(this, to, first);
    if (first.nextPoll) this.#operations.add(first.request.target!);
    this.#parked.set(to, parked);
    parked.waitForHeartbeat(first.ignored);
    return parked;
  }

  *attachedRequests(): Iterable<InboundRequest> {
    for (const parked of this.#parked.values()) if (parked.isAttached) yield parked.request;
  }

  /** Ends all polls when the frontend shuts down: waiting requests are answered, the other commands cancelled. */
  release(): void {
    for (const parked of [...this.#parked.values()]) parked.release();
    this.#heartbeats.clear();
    this.#absences.clear();
  }

  /**
   * Starts the timer for the poll's next heartbeat. @internal
   * @param since monotonic ms at which the request arrived
   */
  scheduleHeartbeat(parked: ParkedPoll, since: number): void {
    const { everyMs, random } = this.options;
    this.#heartbeats.add(parked, addJitter(everyMs, random), since);
  }

  /**
   * Waits for the client's next poll, and cancels the command if none comes.
   * @internal
   * @param query query that the next poll should have; undefined if that poll has to be parsed
   * @param now monotonic ms
   */
  expectNext(parked: ParkedPoll, query: string | undefined, now: number): void {
    if (query !== undefined) this.#expected.set(query, parked);
    this.#absences.add(parked, ABSENCE_MS, now);
  }

  /** Removes the query that the client's next poll was expected to have. @internal */
  forgetExpected(parked: ParkedPoll, query: string): void {
    if (this.#expected.get(query) === parked) this.#expected.delete(query);
  }

  /** Removes a parked poll that has ended. @internal */
  remove(to: ActorKey, parked: ParkedPoll): void {
    if (this.#parked.get(to) === parked) this.#parked.delete(to);
  }
}

export class ParkedPoll {
  /** True while a request waits for the command's answer. */
  isAttached = false;
  ignored: readonly string[] | undefined;
  readonly nextPoll: NextPollMatcher | undefined;
  /** The client request that waits for the command's answer, or that was answered last. */
  readonly request: InboundRequest;
  readonly #keepalive: PollKeepalive;
  readonly #forwarding: ForwardedCommandHandle;
  readonly #lifetime: RequestLifetime;
  #over = false;
  /** Id of the last heartbeat; before the first heartbeat, the id of the client's last event. */
  #lastId: number;
  #heartbeatsLeft: number;
  #answeredAt = 0;
  #expectedQuery: string | undefined;

  constructor(
    private readonly owner: ParkedPolls,
    private readonly to: ActorKey,
    { keepalive, nextPoll, forwarding, request, lifetime }: FirstPoll,
  ) {
    this.#keepalive = keepalive;
    this.nextPoll = nextPoll;
    this.#forwarding = forwarding;
    this.request = request;
    this.#lifetime = lifetime;
    this.#lastId = keepalive.last;
    this.#heartbeatsLeft = Math.ceil(keepalive.heartbeatIds * (MIN_SHARE + (1 - MIN_SHARE) * owner.options.random()));
    lifetime.forwarding = this;
  }

  canResumeAfter(last: number): boolean {
    return !this.isAttached && this.#lastId === last;
  }

  attach(next: InboundRequest, ignored: readonly string[] | undefined): void {
    next.lifetime?.stopDeadline();
    this.request.rebind(next);
    this.waitForHeartbeat(ignored);
    this.request.exchange.onAborted(this.#lifetime.clientLeft);
  }

  waitForHeartbeat(ignored: readonly string[] | undefined): void {
    this.ignored = ignored;
    this.isAttached = true;
    this.#forgetExpected();
    this.owner.attached++;
    this.owner.scheduleHeartbeat(this, this.request.since);
  }

  /**
   * Adapts the actor's answer to the request that waits now. A refusal of the command's older event id is replaced,
   * because the client has acknowledged later ids since.
   */
  answerOf(reply: ActorReply | ActorRepeatReply): ActorReply | ActorRepeatReply {
    if (!('error' in reply) || this.#lastId === this.#keepalive.last) return reply;
    const instead = this.#keepalive.answerInsteadOf(reply.error);
    return instead ? { ok: [encodeResponseFields(instead)] } : reply;
  }

  /** Ends the parked poll, because its command was answered. @returns the request that waits for the answer */
  finish(): InboundRequest | undefined {
    const { isAttached } = this;
    this.#end();
    return isAttached ? this.request : undefined;
  }

  /** Cancels the command, because the client has left. */
  cancel(): void {
    if (this.#over) return;
    this.#end();
    this.#forwarding.cancel();
  }

  /** Gives the poll up, because the frontend shuts down. */
  release(): void {
    if (this.isAttached) this.#forwarding.release();
    else this.cancel();
  }

  /** Answers the waiting request with a heartbeat; the last one also ends the command. @param now monotonic ms */
  heartbeat(now: number): void {
    if (!this.isAttached) return;
    this.#detach();
    const body = successBodyOfText(this.#keepalive.fields(++this.#lastId), this.ignored);
    if (--this.#heartbeatsLeft > 0) {
      this.#answeredAt = now;
      this.#expectedQuery = this.nextPoll?.queryFor(this.#lastId);
      this.owner.expectNext(this, this.#expectedQuery, now);
    } else {
      this.#lifetime.forwarding = undefined;
      this.cancel();
    }
    this.owner.sender.heartbeat(this.request, body, now);
  }

  /** Cancels the command if the client has not polled again after the last heartbeat. @param now monotonic ms */
  checkAbsence(now: number): void {
    if (this.isAttached || now - this.#answeredAt < ABSENCE_MS) return;
    this.#lifetime.forwarding = undefined;
    this.cancel();
  }

  #detach(): void {
    if (this.isAttached) this.owner.attached--;
    this.isAttached = false;
  }

  #forgetExpected(): void {
    if (this.#expectedQuery !== undefined) this.owner.forgetExpected(this, this.#expectedQuery);
    this.#expectedQuery = undefined;
  }

  #end(): void {
    this.#over = true;
    this.#detach();
    this.#forgetExpected();
    this.owner.remove(this.to, this);
  }
}

/** Pattern of queries without escapes, which can be compared as text. */
const PLAIN = /^[\w=&.-]*$/;

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
  static create(
    { exchange, target }: InboundRequest,
    caller: AuthenticatedCaller,
    { parameter, last }: Pick<PollKeepalive, 'parameter' | 'last'>,
  ): NextPollMatcher | undefined {
    const { query, hasBody } = exchange;
    if (!target || hasBody || !PLAIN.test(query)) return undefined;
    const prefix = `${parameter}=`;
    const digits = `${last}`;
    const at = query.indexOf(prefix);
    const from = at + prefix.length;
    const to = from + digits.length;
    if (at < 0 || (at > 0 && query[at - 1] !== '&') || query.indexOf(prefix, from) >= 0) return undefined;
    if (query.slice(from, to) !== digits || (to < query.length && query[to] !== '&')) return undefined;
    return new NextPollMatcher(target, caller.realm, caller.user.id, query.slice(0, from), query.slice(to));
  }

  /** The query of the next poll with this event id. */
  queryFor(id: number): string {
    return this.before + id + this.after;
  }

  /**
   * True if the request is this client's next poll: same operation and account, no body. The caller has compared the
   * query.
   */
  matches({ target, exchange }: InboundRequest, { realm, user }: AuthenticatedCaller): boolean {
    return this.operation === target && this.user === user.id && this.realm === realm && !exchange.hasBody;
  }
}
