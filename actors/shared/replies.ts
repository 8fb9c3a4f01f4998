/** Replies that handlers give. */

import type { Fields, Json, JsonObject } from '#base';
import { encodeFields, encodeParts } from '#base';
import type { ActorReply } from '#model';
import type { ApiError } from '#model/errors';

const NOTHING: readonly Uint8Array[] = [];

/** Success with these fields beside result and msg. @param after realm version to be seen by the caller's frontend */
export function success(of?: JsonObject, after?: number): ActorReply {
  const ok = of ? [encodeFields(of)] : NOTHING;
  return after === undefined ? { ok } : { ok, after };
}

/** Success with fields of which some are encoded already. */
export const encoded = (of: Fields): ActorReply => ({ ok: encodeParts(of) });

/** What came before the refusal stays done. @param after as of a success */
export const refusedAfter = (refusal: ApiError, after: number): ActorReply => ({ error: refusal.toReply(), after });

/** The time for one request is over; what is done stays. */
export const partially = (): ActorReply => ({ ok: NOTHING, partial: 'REQUEST_TIMEOUT' });

export const value = (of: Json): { readonly value: Json } => ({ value: of });
