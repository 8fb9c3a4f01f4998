import type { JsonObject } from '../core/index.js';

const encoder = new TextEncoder();

/** JSON text of fields, starting with a comma, as response bodies are put together; empty for no fields. */
export function encodeFields(of: JsonObject): Uint8Array {
  const text = JSON.stringify(of);
  return text === '{}' ? new Uint8Array(0) : encoder.encode(`,${text.slice(1, -1)}`);
}
