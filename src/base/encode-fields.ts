/** Response bodies made from fields; fields that were encoded before are copied as bytes. */
import type { Json, JsonObject } from './json.js';

const encoder = new TextEncoder();

/** Encoded JSON that goes into a response unchanged. */
export class Encoded {
  constructor(readonly bytes: Uint8Array) {}

  static text(json: string): Encoded {
    return new Encoded(encoder.encode(json));
  }
}

/** Fields of a response; some may be encoded already. */
export interface Fields {
  readonly [name: string]: Json | Encoded | undefined;
}

/** Fields as JSON text without braces and with a leading comma, to append to a body; empty for no fields. */
export function encodeFields(of: JsonObject): Uint8Array {
  const text = JSON.stringify(of);
  return text === '{}' ? new Uint8Array(0) : encoder.encode(`,${text.slice(1, -1)}`);
}

/** Like `encodeFields`, but as a list of parts, so that encoded values are not copied. */
export function encodeParts(of: Fields): Uint8Array[] {
  const plain: Record<string, Json> = {};
  const parts: Uint8Array[] = [];
  for (const name in of) {
    const value = of[name];
    if (value instanceof Encoded) parts.push(encoder.encode(`,${JSON.stringify(name)}:`), value.bytes);
    else if (value !== undefined) plain[name] = value;
  }
  return [encodeFields(plain), ...parts];
}

/** Fields of a response that is sent many times: the body is put together once. */
export class ReadyFields {
  /** The complete body, set by its first sender. */
  body: Uint8Array | undefined;
  #parts: readonly Uint8Array[] | undefined;

  constructor(private readonly fields: Fields) {}

  /** The result of `encodeParts`. */
  get parts(): readonly Uint8Array[] {
    this.#parts ??= encodeParts(this.fields);
    return this.#parts;
  }
}
