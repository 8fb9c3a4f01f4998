/**
 * One command of an operation, from sending to its end: with redirects, a follow-up command, and cancellation before an
 * answer.
 */
import { encodeResponseFields, type JsonObject, memoizeByObject } from '#base';
import type { ForwardedCommand } from '#frontend/api';
import type { AuthenticatedCaller, ForwardedCommandContext, ForwardedCommandHandle } from '#frontend/http';
import type { ActorKey, ActorReply, ActorStartOverReply, RealmId, UserId } from '#model';
import { apiError } from '#model/errors';
import { type ActorClient, CommandTimeoutError, type SentCommand } from '#runtime';

export interface ForwardedCommandServices {
  readonly client: ActorClient;
  /** Deadline of a command that an actor answers at once, ms. */
  readonly deadlineMs: number;
  refreshDirectory(realm: RealmId): Promise<void>;
  /**
   * Called before a user's request is answered that changed an actor's state. The log will show the change as this
   * version of the actor.
   */
  noteConfirmedCommit(realm: RealmId, user: UserId, actor: ActorKey, version: number): void;
}

/** Encodes the fields once for each object: the extra fields of registrations are constants. */
const encodeExtraFields = memoizeByObject((fields: JsonObject) => encodeResponseFields(fields));

type ForwardedCommandReply = ActorReply | ActorStartOverReply;

/** Returns the answer to a waiting poll for when the frontend shuts down. */
const makeShutdownReplyOfPoll = ({ onShutdown }: ForwardedCommand): ActorReply =>
  onShutdown ? { ok: [encodeResponseFields(onShutdown)] } : { error: apiError('SERVICE_UNAVAILABLE').toReply() };

function rethrowTimeoutAsUnavailable(error: unknown): never {
  if (error instanceof CommandTimeoutError) throw apiError('SERVICE_UNAVAILABLE');
  throw error;
}

export class ForwardedCommandRun implements ForwardedCommandHandle {
  readonly reply: Promise<ForwardedCommandReply>;
  #cancelled = false;
  #isReleasedForShutdown = false;
  /** The command that was sent last and waits for its reply. */
  #lastSentCommand: SentCommand | undefined;
  /** The `held` command (a long poll) that waits at an actor. A shutdown answers it through `#resolveHeldReply`. */
  #heldCommand: ForwardedCommand | undefined;
  #resolveHeldReply: ((reply: ForwardedCommandReply) => void) | undefined;

  constructor(
    private readonly services: ForwardedCommandServices,
    private readonly first: ForwardedCommand,
    private readonly context: ForwardedCommandContext,
  ) {
    this.reply = this.#sendCommand(first);
  }

  cancel(): void {
    this.#cancelled = true;
    this.#lastSentCommand?.cancel();
  }

  releaseForShutdown(): void {
    this.#isReleasedForShutdown = true;
    if (!this.#heldCommand) return;
    this.#lastSentCommand?.cancel();
    this.#resolveHeldReply?.(makeShutdownReplyOfPoll(this.#heldCommand));
  }

  /** Sends a command, with plain promise reactions: an async function would add three promises to every request. */
  #sendCommand(forward: ForwardedCommand): Promise<ForwardedCommandReply> {
    const held = forward.held === true && forward.followedBy === undefined;
    if (held && this.#isReleasedForShutdown) return Promise.resolve(makeShutdownReplyOfPoll(forward));
    const { context, first, services } = this;
    const sent = services.client.send(forward.to, forward.command, forward.args, {
      caller: forward.as ?? context.caller?.user.id ?? 0,
      client: context.client,
      requestId: context.requestId,
      minRealmVersion: context.caller?.directory.version ?? 0,
      isHeldByActor: held,
      deadlineMs: held ? Number.POSITIVE_INFINITY : (first.deadlineMs ?? services.deadlineMs),
    });
    this.#lastSentCommand = sent;
    const replied = sent.reply.then((reply) => this.#continueAfterReply(forward, reply), rethrowTimeoutAsUnavailable);
    if (!held) return replied;
    this.#heldCommand = forward;
    return new Promise((resolve, reject) => {
      this.#resolveHeldReply = resolve;
      replied.then(resolve, reject);
    });
  }

  /** Follows a redirect or sends the follow-up command; without either, the reply is the final answer. */
  #continueAfterReply(
    forward: ForwardedCommand,
    reply: Awaited<SentCommand['reply']>,
  ): ForwardedCommandReply | Promise<ForwardedCommandReply> {
    const { context, services } = this;
    if ('value' in reply) throw new Error(`${forward.command} was answered with a bare value`);
    if ('forward' in reply) {
      const next = { ...forward, ...reply.forward };
      return reply.fresh
        ? services.refreshDirectory(context.realm).then(() => this.#sendCommand(next))
        : this.#sendCommand(next);
    }
    if ('ok' in reply && reply.logged !== undefined && context.caller) {
      services.noteConfirmedCommit(context.realm, context.caller.user.id, forward.to, reply.logged);
    }
    if ('error' in reply && reply.error.status === 401 && context.caller?.session) {
      return this.#explainEndOfSession(context.caller, reply);
    }
    if ('error' in reply || 'again' in reply || this.#cancelled) return reply;
    if (forward.followedBy) return this.#sendCommand(forward.followedBy);
    return forward.extraFields ? { ...reply, ok: [encodeExtraFields(forward.extraFields), ...reply.ok] } : reply;
  }

  /**
   * An actor learns sooner than this frontend that the organization was deactivated, and refuses with the code for API
   * keys. A session gets the code that its next request would get, because a web client shows the reason of the first
   * refusal.
   */
  async #explainEndOfSession({ realm, directory }: AuthenticatedCaller, refusal: ActorReply): Promise<ActorReply> {
    await this.services.refreshDirectory(realm);
    return directory.deactivated ? { error: apiError('REALM_DEACTIVATED').toReply() } : refusal;
  }
}
