/** Commands and replies in the form in which they travel between frontends, hosts and actors: plain data. */

import type { Json, JsonObject } from '#base';
import type { ActorKey, ActorReply, ActorStartOverReply, CommandRetryReason } from '#model';
import type { ActorRedirectReply } from '#model/commands';
import type { BusRequest } from '#ports/bus';

/** A command on its way to an actor. */
export interface CommandEnvelope {
  /**
   * Id of the command, equal in all retries. From a client of actors: `<client id>:<n>`; from an actor's outbox:
   * `<actor key>@<n>` with n growing over the life of the sending actor.
   */
  readonly id: string;
  readonly to: ActorKey;
  readonly name: string;
  readonly args: JsonObject;
  /** Authenticated user on whose behalf the command runs; 0 = the system. */
  readonly caller: number;
  /** Name of the client program, for commands that store it. */
  readonly client: string;
  /**
   * Realm version that the sender's directory replica had applied: the receiver's replica must have applied it, too.
   */
  readonly after: number;
  /**
   * Number below which all commands of this sender are settled (answered or given up): their replies may be forgotten.
   */
  readonly settled: number;
  /** Id of the HTTP request that caused the command; it is in the logs of frontend and host. */
  readonly requestId: string;
  /** True if an actor sends the command, and a command of that actor waits for the answer. */
  readonly asked?: true;
}

export type ActorCommandReply =
  | ActorReply
  | ActorRedirectReply
  | ActorStartOverReply
  /** Request to the sender to retry. `awayMs`: for how long the host's Store has been away. */
  | { readonly retry: CommandRetryReason; readonly awayMs?: number }
  | { readonly value: Json };

/** A request on the bus that carries a command. */
export type CommandBusRequest = BusRequest<ActorCommandReply>;

/** Splits `<sender>:<n>` or `<actor key>@<n>`; null for ids whose replies need not be remembered. */
export function parseCommandId(id: string): { sender: string; n: number; actor: boolean } | null {
  const at = id.lastIndexOf('@');
  const cut = at >= 0 ? at : id.lastIndexOf(':');
  if (cut < 0) return null;
  const n = Number(id.slice(cut + 1));
  return Number.isSafeInteger(n) ? { sender: id.slice(0, cut), n, actor: at >= 0 } : null;
}

/** True if the command comes from an actor's outbox. */
export const isCommandFromActor = (id: string): boolean => id.includes('@');

/**
 * True if another actor waits for the command. A host that hands the partition over still takes it, since it may in
 * turn wait for that actor.
 */
export const isCommandAwaitedByActor = ({ id, asked }: CommandEnvelope): boolean =>
  asked === true || isCommandFromActor(id);

/**
 * A command that the host answers in place of the receiver: it starts the timers of all sleepers in the receiver's
 * partition. An import sends it after it has written roots into the Store, because a host looks for sleepers only when
 * it takes a partition. An organization may have a hundred thousand conversations, so that none is loaded for this.
 */
export const START_SLEEPER_TIMERS_COMMAND = 'start-sleeper-timers';

/** A command without effect that every actor takes: it loads the actor, which continues its outbox. */
export const WAKE_ACTOR_COMMAND = 'wake';
