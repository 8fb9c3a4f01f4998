/** What travels between frontends, hosts and actors. Everything here is plain data. */

import type { Json, JsonObject } from '#base';
import type { ActorKey, ActorRepeat, ActorReply, RetryReason } from '#model';
import type { ActorRedirect } from '#model/commands';

/** A command on its way to an actor. */
export interface Envelope {
  /**
   * Names the command across retries. From a client of actors: `<client id>:<n>`; from an actor's outbox:
   * `<actor key>@<n>` with n growing over the life of the sending actor.
   */
  readonly id: string;
  readonly to: ActorKey;
  readonly name: string;
  readonly args: JsonObject;
  /** Authenticated user on whose behalf the command runs; 0 = the system. */
  readonly caller: number;
  /** Client name, for commands that store it. */
  readonly client: string;
  /** Realm version that the sender's directory replica had applied: the receiver's must have, too. */
  readonly after: number;
  /** Commands of this sender with n below this are settled (answered or given up): their replies may be forgotten. */
  readonly settled: number;
  /** Follows one HTTP request through frontend, actor and log. */
  readonly requestId: string;
  /** An actor asks: a command of its own waits for the answer. */
  readonly asked?: true;
}

export type Reply =
  | ActorReply
  | ActorRedirect
  | ActorRepeat
  /** `awayMs`: for how long the host's Store has been away. */
  | { readonly retry: RetryReason; readonly awayMs?: number }
  | { readonly value: Json };

/** Splits `<sender>:<n>` or `<actor key>@<n>`; null for ids that need no memory. */
export function parseCommandId(id: string): { sender: string; n: number; actor: boolean } | null {
  const at = id.lastIndexOf('@');
  const cut = at >= 0 ? at : id.lastIndexOf(':');
  if (cut < 0) return null;
  const n = Number(id.slice(cut + 1));
  return Number.isSafeInteger(n) ? { sender: id.slice(0, cut), n, actor: at >= 0 } : null;
}

/** Comes from an actor's outbox. */
export const isFromActor = (id: string): boolean => id.includes('@');

/** What an actor has begun waits for it: a host that leaves, and may wait for that actor, still takes it. */
export const isForActor = ({ id, asked }: Envelope): boolean => asked === true || isFromActor(id);

/** A command that every actor takes and that does nothing: who gets it loads the actor, and goes on with what was left undone. */
export const WAKE = 'wake';
