import type { Json, JsonObject } from './json.js';

const encoder = new TextEncoder();

/** JSON that was encoded before and goes into an answer as it is. */
export class Encoded {
  constructor(readonly bytes: Uint8Array) {}

  static text(json: string): Encoded {
    return new Encoded(encoder.encode(json));
  }
}

/** Fields of an answer, some of them encoded before. */
export interface Fields {
  readonly [name: string]: Json | Encoded | undefined;
}

/** JSON text of fields, starting with a comma, as response bodies are put together; empty for no fields. */
export function encodeFields(of: JsonObject): Uint8Array {
  const text = JSON.stringify(of);
  return text === '{}' ? new Uint8Array(0) : encoder.encode(`,${text.slice(1, -1)}`);
}

/** The same in parts: what was encoded before is not copied. */
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

/** Fields of answers that are given again and again: whoever sends them puts the body together once. */
export class ReadyFields {
  /** The whole body, once it was put together. */
  body: Uint8Array | undefined;
  #parts: readonly Uint8Array[] | undefined;

  constructor(private readonly fields: Fields) {}

  /** As `encodeParts` makes them. */
  get parts(): readonly Uint8Array[] {
    this.#parts ??= encodeParts(this.fields);
    return this.#parts;
  }
}
