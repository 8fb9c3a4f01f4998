/** Constructors for the replies of command handlers. */

import { encodeResponseFieldParts, encodeResponseFields, type Json, type JsonObject, type ResponseFields } from '#base';
import type { ActorReply } from '#model';
import type { ApiError } from '#model/errors';

const NO_ENCODED_FIELDS: readonly Uint8Array[] = [];

/**
 * A reply of success with these fields. @param after realm version that the caller's frontend must see before it
 * replies
 */
export function makeSuccessReply(of?: JsonObject, after?: number): ActorReply {
  const ok = of ? [encodeResponseFields(of)] : NO_ENCODED_FIELDS;
  return after === undefined ? { ok } : { ok, after };
}

/** A reply of success in which some fields are encoded already. */
export const makeSuccessReplyOfEncodedFields = (of: ResponseFields): ActorReply => ({
  ok: encodeResponseFieldParts(of),
});

/** A reply that refuses a request whose earlier changes stay. @param after as in `makeSuccessReply` */
export const makeRefusalReplyAfterChanges = (refusal: ApiError, after: number): ActorReply => ({
  error: refusal.toReply(),
  after,
});

/**
 * Reply of partial success: the time limit of a request was reached; the changes that were made stay, and the client
 * repeats the request.
 */
export const makePartialSuccessReply = (): ActorReply => ({ ok: NO_ENCODED_FIELDS, partial: 'REQUEST_TIMEOUT' });

export const makeValueReply = (of: Json): { readonly value: Json } => ({ value: of });
