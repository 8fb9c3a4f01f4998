/** Replies that handlers give. */
import { encodeFields } from '../../src/api/encode-fields.js';
import type { ActorReply } from '../../src/api/operation.js';
import type { Json, JsonObject } from '../../src/core/index.js';

const NOTHING: readonly Uint8Array[] = [];

/** Success with these fields beside result and msg. @param after realm version to be seen by the caller's frontend */
export function success(of?: JsonObject, after?: number): ActorReply {
  const ok = of ? [encodeFields(of)] : NOTHING;
  return after === undefined ? { ok } : { ok, after };
}

export const value = (of: Json): { readonly value: Json } => ({ value: of });
