/** The `forward` step of the pipeline: sends commands to actors, and lets polls wait for their answers. */
import type { JsonObject } from '#base';
import type { ForwardedCommand } from '#frontend/api';
import type { ActorRepeatReply, ActorReply, RealmId } from '#model';
import { ActorRefusedError, apiError } from '#model/errors';
import type { InboundRequest } from './inbound-request.js';
import type { OperationCall } from './operation-call.js';
import { NextPollMatcher, type ParkedPoll, type ParkedPolls } from './parked-polls.js';
import { parseEncodedFields } from './reply.js';
import type { RequestMetrics } from './request-metrics.js';
import type { ResponseSender } from './response-sender.js';
import type { AuthenticatedCaller, ForwardedCommandContext, FrontendServices } from './services.js';

const REFUSALS = { key: 'API_KEY_UNKNOWN', session: 'NOT_LOGGED_IN' } as const;

export class ActorCommandForwarder {
  #leaving = false;

  /** Makes the forwarder. @param maxPolls maximum of waiting polls; further ones are answered 503 */
  constructor(
    private readonly services: FrontendServices,
    private readonly sender: ResponseSender,
    private readonly parked: ParkedPolls,
    private readonly metrics: RequestMetrics,
    private readonly maxPolls: number,
  ) {}

  /** Answers all waiting polls, because the frontend shuts down; from now on no poll waits. */
  leave(): void {
    this.#leaving = true;
    for (const lifetime of [...this.sender.lifetimes.heldPolls]) lifetime.forwarding?.release();
    this.parked.release();
  }

  /**
   * Refuses the waiting polls whose API key or session has ended. A scan over all polls costs less than an index of
   * them.
   */
  refuseCredential(hash: string, kind: 'key' | 'session'): void {
    const refusal = REFUSALS[kind];
    const held = [...this.sender.lifetimes.heldPolls].map(({ request }) => request);
    for (const request of [...held, ...this.parked.attachedRequests()]) {
      if (request.credential === hash) this.sender.failed(request, apiError(refusal));
    }
  }

  /** Sends a command whose answer the operation needs before it can answer. @throws ActorRefusedError, ApiError */
  async send(forward: ForwardedCommand, call: OperationCall): Promise<JsonObject> {
    const reply = await this.services.forward(forward, contextOf(call)).reply;
    if ('again' in reply) throw apiError('SERVICE_UNAVAILABLE');
    if ('error' in reply) throw new ActorRefusedError(reply.error);
    if (reply.after !== undefined) await this.services.waitFor(call.realm, reply.after);
    return parseEncodedFields(reply.ok);
  }

  /**
   * Sends the command of an operation.
   * @returns the actor's reply; undefined where the request has ended in the meantime
   */
  forward(
    request: InboundRequest,
    forward: ForwardedCommand,
    call: OperationCall,
  ): Promise<ActorReply | ActorRepeatReply> | undefined {
    const lifetime = this.sender.lifetimes.of(request);
    if (lifetime.over) return undefined;
    const forwarding = this.services.forward(forward, contextOf(call));
    lifetime.forwarding = forwarding;
    if (forward.deadlineMs !== undefined) {
      lifetime.stopDeadline();
      lifetime.startDeadline(forward.deadlineMs);
    }
    return forwarding.reply;
  }

  /** Number of requests that wait for events. */
  get pollCount(): number {
    return this.sender.lifetimes.heldPolls.size + this.parked.attached;
  }

  /**
   * Fast path: attaches a request that repeats the client's previous poll, except for the last event id, to the parked
   * command. False: the request has to be parsed.
   */
  resume(request: InboundRequest, caller: AuthenticatedCaller): boolean {
    if (this.#leaving || this.pollCount >= this.maxPolls) return false;
    request.credential = credentialOf(caller);
    if (!this.parked.attachRepeat(request, caller)) return false;
    request.releaseInput();
    return true;
  }

  /** Lets a poll wait: attached to the client's parked command where there is one, else with a new command. */
  park(request: InboundRequest, forward: ForwardedCommand, call: OperationCall): void {
    if (request.lifetime?.over) return;
    if (this.pollCount >= this.maxPolls) {
      this.metrics.overload.polls.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    const { account, ignored, realm } = call;
    request.credential = account ? credentialOf(account) : '';
    if (account) this.#checkCredential(account);
    const { to } = forward;
    // While the frontend shuts down, polls still come on connections kept alive. Parked polls would delay the shutdown.
    const keepalive = this.#leaving ? undefined : forward.keepalive;
    if (keepalive && this.parked.attach(to, keepalive, request, ignored)) {
      request.releaseInput();
      return;
    }
    const lifetime = this.sender.lifetimes.of(request);
    const forwarding = this.services.forward(forward, contextOf(call));
    lifetime.stopDeadline();
    request.isPoll = true;
    const nextPoll = keepalive && account && NextPollMatcher.create(request, account, keepalive);
    request.releaseInput();
    if (keepalive) {
      const parked = this.parked.add(to, { keepalive, nextPoll, forwarding, request, lifetime, ignored });
      this.#awaitParked(parked, forwarding.reply, realm);
      return;
    }
    lifetime.forwarding = forwarding;
    this.sender.lifetimes.heldPolls.add(lifetime);
    if (this.#leaving) forwarding.release();
    this.#awaitHeld(request, forwarding.reply, realm, ignored);
  }

  /** Checks the API key or session again, because it may have ended since authentication. @throws ApiError */
  #checkCredential({ realm, user, session }: AuthenticatedCaller): void {
    const directory = this.services.directoryNow(realm);
    if (!directory) return;
    if (session) {
      if (!directory.sessionByHash(session.hash)) throw apiError('NOT_LOGGED_IN');
    } else if (!directory.userByKeyHash(user.keyHash)) throw apiError('API_KEY_UNKNOWN');
  }

  // A closure keeps all variables of the function that makes it. The next two methods are separate, so that the
  // closures of each poll keep little.

  #awaitParked(parked: ParkedPoll, reply: Promise<ActorReply | ActorRepeatReply>, realm: RealmId): void {
    reply.then(
      (settled) => {
        const { ignored } = parked;
        const request = parked.finish();
        // Between two polls the client has no request open: the events of the reply stay at the actor for the next
        // poll.
        if (request) this.#answer(request, parked.answerOf(settled), realm, ignored);
      },
      (error: unknown) => {
        const request = parked.finish();
        if (request) this.sender.failed(request, error);
      },
    );
  }

  #awaitHeld(
    request: InboundRequest,
    reply: Promise<ActorReply | ActorRepeatReply>,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    reply.then(
      (settled) => this.#answer(request, settled, realm, ignored),
      (error: unknown) => {
        if (!request.lifetime!.over) this.sender.failed(request, error);
      },
    );
  }

  #answer(
    request: InboundRequest,
    reply: ActorReply | ActorRepeatReply,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    const lifetime = request.lifetime!;
    if (lifetime.over) return;
    lifetime.forwarding = undefined;
    this.sender.lifetimes.heldPolls.delete(lifetime);
    try {
      if ('again' in reply) throw apiError('SERVICE_UNAVAILABLE');
      this.sender.actorReply(request, realm, reply, ignored);
    } catch (error) {
      this.sender.failed(request, error);
    }
  }
}

const credentialOf = ({ session, user }: AuthenticatedCaller): string => session?.hash ?? user.keyHash;

const contextOf = ({ account, realm, client, request }: OperationCall): ForwardedCommandContext => ({
  caller: account,
  realm,
  client,
  requestId: request.exchange.requestId,
});
