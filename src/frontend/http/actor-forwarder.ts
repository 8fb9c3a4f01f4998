/** The `forward` step of the pipeline: sends commands to actors, and lets polls wait for their answers. */
import type { JsonObject } from '#base';
import type { ForwardedCommand } from '#frontend/api';
import type { ActorReply, ActorStartOverReply, RealmId } from '#model';
import { ActorRefusedError, apiError } from '#model/errors';
import type { EndedCredentialKind } from '#model/records';
import type { InboundRequest } from './inbound-request.js';
import type { OperationCall } from './operation-call.js';
import { NextPollMatcher, type ParkedPoll, type ParkedPolls } from './parked-polls.js';
import { parseEncodedFields } from './reply.js';
import type { RequestMetrics } from './request-metrics.js';
import type { ResponseSender } from './response-sender.js';
import type { AuthenticatedCaller, ForwardedCommandContext, FrontendServices } from './services.js';

const REFUSAL_BY_ENDED_CREDENTIAL_KIND = {
  key: 'API_KEY_UNKNOWN',
  session: 'NOT_LOGGED_IN',
  'session of deactivated': 'USER_DEACTIVATED',
} as const;

export class ActorCommandForwarder {
  #isShuttingDown = false;

  /** Makes the forwarder. @param maxPolls maximum of waiting polls; further ones are answered 503 */
  constructor(
    private readonly services: FrontendServices,
    private readonly sender: ResponseSender,
    private readonly parked: ParkedPolls,
    private readonly metrics: RequestMetrics,
    private readonly maxPolls: number,
  ) {}

  /** Answers all waiting polls, because the frontend shuts down; from now on no poll waits. */
  releasePollsForShutdown(): void {
    this.#isShuttingDown = true;
    for (const lifetime of [...this.sender.requestLifetimes.heldPollLifetimes])
      lifetime.forwardedCommand?.releaseForShutdown();
    this.parked.releaseAllForShutdown();
  }

  /**
   * Refuses the waiting polls whose API key or session has ended. A scan over all polls costs less than an index of
   * them.
   */
  refusePollsOfEndedCredential(hash: string, kind: EndedCredentialKind): void {
    const refusal = REFUSAL_BY_ENDED_CREDENTIAL_KIND[kind];
    const held = [...this.sender.requestLifetimes.heldPollLifetimes].map(({ request }) => request);
    for (const request of [...held, ...this.parked.attachedRequests()]) {
      if (request.credentialHash === hash) this.sender.failRequest(request, apiError(refusal));
    }
  }

  /** Sends a command whose answer the operation needs before it can answer. @throws ActorRefusedError, ApiError */
  async sendAndAwaitReplyFields(forward: ForwardedCommand, call: OperationCall): Promise<JsonObject> {
    const reply = await this.services.forwardCommand(forward, forwardedCommandContextOf(call)).reply;
    if ('again' in reply) throw apiError('SERVICE_UNAVAILABLE');
    if ('error' in reply) throw new ActorRefusedError(reply.error);
    if (reply.after !== undefined) await this.services.waitForDirectoryVersion(call.realm, reply.after);
    return parseEncodedFields(reply.ok);
  }

  /**
   * Sends the command of an operation.
   * @returns the actor's reply; undefined where the request has ended in the meantime
   */
  forwardOperationCommand(
    request: InboundRequest,
    forward: ForwardedCommand,
    call: OperationCall,
  ): Promise<ActorReply | ActorStartOverReply> | undefined {
    const lifetime = this.sender.requestLifetimes.findOrCreateLifetime(request);
    if (lifetime.isOver) return undefined;
    const forwarding = this.services.forwardCommand(forward, forwardedCommandContextOf(call));
    lifetime.forwardedCommand = forwarding;
    if (forward.deadlineMs !== undefined) {
      lifetime.stopDeadline();
      lifetime.startDeadlineUnlessSet(forward.deadlineMs);
    }
    return forwarding.reply;
  }

  /** Number of requests that wait for events. */
  get waitingPollCount(): number {
    return this.sender.requestLifetimes.heldPollLifetimes.size + this.parked.attachedRequestCount;
  }

  /**
   * Fast path: attaches a request that repeats the client's previous poll, except for the last event id, to the parked
   * command. False: the request has to be parsed.
   */
  tryResumeParkedPoll(request: InboundRequest, caller: AuthenticatedCaller): boolean {
    if (this.#isShuttingDown || this.waitingPollCount >= this.maxPolls) return false;
    request.credentialHash = credentialHashOf(caller);
    if (!this.parked.tryAttachRepeatedPoll(request, caller)) return false;
    request.releaseInput();
    return true;
  }

  /** Lets a poll wait: attached to the client's parked command where there is one, else with a new command. */
  attachOrForwardPoll(request: InboundRequest, forward: ForwardedCommand, call: OperationCall): void {
    if (request.lifetime?.isOver) return;
    if (this.waitingPollCount >= this.maxPolls) {
      this.metrics.overloadCounters.polls.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    const { account, ignored, realm } = call;
    request.credentialHash = account ? credentialHashOf(account) : '';
    if (account) this.#checkCredentialStillValid(account);
    const { to } = forward;
    // While the frontend shuts down, polls still come on connections kept alive. Parked polls would delay the shutdown.
    const keepalive = this.#isShuttingDown ? undefined : forward.keepalive;
    if (keepalive && this.parked.tryAttachAcknowledgingPoll(to, keepalive, request, ignored)) {
      request.releaseInput();
      return;
    }
    const lifetime = this.sender.requestLifetimes.findOrCreateLifetime(request);
    const forwarding = this.services.forwardCommand(forward, forwardedCommandContextOf(call));
    lifetime.stopDeadline();
    request.isPoll = true;
    const nextPoll = keepalive && account && NextPollMatcher.createIfRecognizable(request, account, keepalive);
    request.releaseInput();
    if (keepalive) {
      const parked = this.parked.addParkedPoll(to, {
        keepalive,
        nextPollMatcher: nextPoll,
        forwardedCommand: forwarding,
        request,
        lifetime,
        ignoredParameters: ignored,
      });
      this.#answerParkedPollOnReply(parked, forwarding.reply, realm);
      return;
    }
    lifetime.forwardedCommand = forwarding;
    this.sender.requestLifetimes.heldPollLifetimes.add(lifetime);
    if (this.#isShuttingDown) forwarding.releaseForShutdown();
    this.#answerHeldPollOnReply(request, forwarding.reply, realm, ignored);
  }

  /** Checks the API key or session again, because it may have ended since authentication. @throws ApiError */
  #checkCredentialStillValid({ realm, user, session }: AuthenticatedCaller): void {
    const directory = this.services.findOpenDirectory(realm);
    if (!directory) return;
    if (session) {
      if (!directory.sessionByHash(session.hash))
        throw apiError(directory.hasSessionEndedByDeactivation(session.hash) ? 'USER_DEACTIVATED' : 'NOT_LOGGED_IN');
    } else if (!directory.userByKeyHash(user.keyHash)) throw apiError('API_KEY_UNKNOWN');
  }

  // A closure keeps all variables of the function that makes it. The next two methods are separate, so that the
  // closures of each poll keep little.

  #answerParkedPollOnReply(parked: ParkedPoll, reply: Promise<ActorReply | ActorStartOverReply>, realm: RealmId): void {
    reply.then(
      (settled) => {
        const { ignoredParameters } = parked;
        const request = parked.endAndTakeWaitingRequest();
        // Between two polls the client has no request open: the events of the reply stay at the actor for the next
        // poll.
        if (request) this.#answerPoll(request, parked.adaptReplyToWaitingRequest(settled), realm, ignoredParameters);
      },
      (error: unknown) => {
        const request = parked.endAndTakeWaitingRequest();
        if (request) this.sender.failRequest(request, error);
      },
    );
  }

  #answerHeldPollOnReply(
    request: InboundRequest,
    reply: Promise<ActorReply | ActorStartOverReply>,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    reply.then(
      (settled) => this.#answerPoll(request, settled, realm, ignored),
      (error: unknown) => {
        if (!request.lifetime!.isOver) this.sender.failRequest(request, error);
      },
    );
  }

  #answerPoll(
    request: InboundRequest,
    reply: ActorReply | ActorStartOverReply,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    const lifetime = request.lifetime!;
    if (lifetime.isOver) return;
    lifetime.forwardedCommand = undefined;
    this.sender.requestLifetimes.heldPollLifetimes.delete(lifetime);
    try {
      if ('again' in reply) throw apiError('SERVICE_UNAVAILABLE');
      this.sender.sendActorReplyOnceVisible(request, realm, reply, ignored);
    } catch (error) {
      this.sender.failRequest(request, error);
    }
  }
}

const credentialHashOf = ({ session, user }: AuthenticatedCaller): string => session?.hash ?? user.keyHash;

const forwardedCommandContextOf = ({
  account,
  realm,
  clientName,
  request,
}: OperationCall): ForwardedCommandContext => ({
  caller: account,
  realm,
  client: clientName,
  requestId: request.exchange.requestId,
});
