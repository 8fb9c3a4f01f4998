/** Constructors for the replies of command handlers. */

import { encodeFieldParts, encodeFields, type Json, type JsonObject, type ResponseFields } from '#base';
import type { ActorReply } from '#model';
import type { ApiError } from '#model/errors';

const NOTHING: readonly Uint8Array[] = [];

/**
 * A reply of success with these fields. @param after realm version that the caller's frontend must see before it
 * replies
 */
export function successReply(of?: JsonObject, after?: number): ActorReply {
  const ok = of ? [encodeFields(of)] : NOTHING;
  return after === undefined ? { ok } : { ok, after };
}

/** A reply of success in which some fields are encoded already. */
export const encodedReply = (of: ResponseFields): ActorReply => ({ ok: encodeFieldParts(of) });

/** A reply that refuses a request whose earlier changes stay. @param after as in `successReply` */
export const refusalAfterChanges = (refusal: ApiError, after: number): ActorReply => ({
  error: refusal.toReply(),
  after,
});

/**
 * A reply of partial success: the time for one request ended; the changes so far stay, and the client repeats the
 * request.
 */
export const partialReply = (): ActorReply => ({ ok: NOTHING, partial: 'REQUEST_TIMEOUT' });

export const valueReply = (of: Json): { readonly value: Json } => ({ value: of });
