/** Replies that handlers give. */
import type { ActorReply } from '../../src/api/operation.js';
import type { Json, JsonObject } from '../../src/core/index.js';

const encoder = new TextEncoder();
const NOTHING: readonly Uint8Array[] = [];

/** JSON text of fields, starting with a comma, as response bodies are put together. */
export function fields(of: JsonObject): Uint8Array {
  const text = JSON.stringify(of);
  return text === '{}' ? new Uint8Array(0) : encoder.encode(`,${text.slice(1, -1)}`);
}

/** Success with these fields beside result and msg. @param after realm version to be seen by the caller's frontend */
export function success(of?: JsonObject, after?: number): ActorReply {
  const ok = of ? [fields(of)] : NOTHING;
  return after === undefined ? { ok } : { ok, after };
}

export const value = (of: Json): { readonly value: Json } => ({ value: of });
