/** What actors and operations answer with. */
import type { ErrorReply } from '#model/errors';

/** A response that isn't JSON. */
export interface RawAnswer {
  readonly status: number;
  readonly raw: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Set for text: the headers that differ when it is sent compressed. Absent: never compressed. */
  readonly coded?: Readonly<Record<string, string>>;
}

/** Reply of an actor, as it travels. */
export type ActorReply = ActorSuccess | ActorRefusal;

export interface ActorSuccess {
  /** JSON text of the fields beside result and msg: parts to be concatenated, each empty or starting with a comma. */
  readonly ok: readonly Uint8Array[];
  /** Realm version that the frontend's replica must have applied before it answers. */
  readonly after?: number;
  /** Version of the actor whose commit, once in the log, shows what was done; absent: nothing to show. */
  readonly logged?: number;
  /** Time ran out with a part done. That part stays; the client repeats the request. */
  readonly partial?: 'REQUEST_TIMEOUT';
}

/**
 * The command was carried out, but its answer was lost on the way and is too large to be remembered: the sender starts
 * again, with a new command.
 */
export interface ActorRepeat {
  readonly again: true;
}

export interface ActorRefusal {
  /** ApiError.toReply() of what the handler threw. */
  readonly error: ErrorReply;
  /** A part was done before the refusal: as `after` of a success. */
  readonly after?: number;
}
