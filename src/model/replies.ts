/** Replies of actors, and answers of operations that are not JSON. */
import type { ApiErrorReply } from '#model/errors';

/** Bytes of an answer that are read while they are sent, because all of them would be too many for memory. */
export interface AnswerSource {
  readonly length: number;
  /** Reads the bytes from `start` to before `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** An answer of an operation that is not JSON. */
export interface RawHttpAnswer {
  readonly status: number;
  readonly raw: Uint8Array | AnswerSource;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of a text answer that differ if it is compressed. Absent: the answer is never compressed. */
  readonly coded?: Readonly<Record<string, string>>;
}

/** Reply of an actor as it travels on the bus. */
export type ActorReply = ActorSuccessReply | ActorRefusalReply;

interface ActorSuccessReply {
  /**
   * JSON text of the fields beside result and msg, in parts to concatenate; each part is empty or starts with a comma.
   */
  readonly ok: readonly Uint8Array[];
  /** Realm version that the frontend's directory replica must have applied before it answers. */
  readonly after?: number;
  /** Version of the actor whose commit has the events of the change; absent: the change has no events. */
  readonly logged?: number;
  /**
   * Set to 'REQUEST_TIMEOUT' if the time limit passed before all work was done. The finished part stays; the client
   * repeats the request.
   */
  readonly partial?: 'REQUEST_TIMEOUT';
}

/**
 * Reply to a repeated command that was carried out before, whose first reply got lost and was too large to be kept. The
 * sender starts again with a new command.
 */
export interface ActorStartOverReply {
  readonly again: true;
}

export interface ActorRefusalReply {
  /** The error that the handler threw, made by `ApiError.toReply()`. */
  readonly error: ApiErrorReply;
  /**
   * Realm version that the frontend's replica must have applied, as in a success; set if a part was done before the
   * refusal.
   */
  readonly after?: number;
}
