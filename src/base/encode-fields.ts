/** Response bodies made from fields; fields that were encoded before are copied as bytes. */
import type { Json, JsonObject } from './json.js';

const textEncoder = new TextEncoder();

/**
 * Encoded JSON that goes into a response as it is: parts to concatenate. Values may share parts, so that nearly equal
 * lists need not be copied.
 */
export class EncodedJson {
  constructor(readonly parts: readonly Uint8Array[]) {}

  static fromJsonText(json: string): EncodedJson {
    return new EncodedJson([textEncoder.encode(json)]);
  }

  /** The whole value as one array; a copy if there are several parts. */
  toBytes(): Uint8Array {
    return this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
  }
}

/** Fields of a response, by name; a value may be encoded already. */
export interface ResponseFields {
  readonly [name: string]: Json | EncodedJson | undefined;
}

/** Fields as JSON text without braces and with a leading comma, to append to a body; empty for no fields. */
export function encodeResponseFields(of: JsonObject): Uint8Array {
  const text = JSON.stringify(of);
  if (text === '{}') return new Uint8Array(0);
  const length = text.length - 1;
  if (length > MAX_CHARACTERS_ENCODED_ONE_BY_ONE) return textEncoder.encode(`,${text.slice(1, -1)}`);
  const bytes = new Uint8Array(length);
  bytes[0] = COMMA;
  for (let i = 1; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > MAX_ASCII_CODE) return textEncoder.encode(`,${text.slice(1, -1)}`);
    bytes[i] = code;
  }
  return bytes;
}

const COMMA = 44;
const MAX_ASCII_CODE = 127;
/** Length up to which a text is copied character by character: a call of the encoder takes a microsecond. */
const MAX_CHARACTERS_ENCODED_ONE_BY_ONE = 64;

/** JSON name of a field with the comma before it and the colon behind, by name. Names are few. */
const encodedFieldNames = new Map<string, Uint8Array>();

function encodeFieldName(name: string): Uint8Array {
  let encoded = encodedFieldNames.get(name);
  if (!encoded) {
    encoded = textEncoder.encode(`,${JSON.stringify(name)}:`);
    encodedFieldNames.set(name, encoded);
  }
  return encoded;
}

/**
 * Moves the fields that are encoded already into `parts`. @returns the other fields; the same object if none is encoded
 */
function takeEncodedFieldsOut(fields: ResponseFields, parts: Uint8Array[]): JsonObject {
  let isPlain = true;
  for (const name in fields) if (fields[name] instanceof EncodedJson) isPlain = false;
  if (isPlain) return fields as JsonObject;
  const plain: Record<string, Json> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value instanceof EncodedJson) parts.push(encodeFieldName(name), ...value.parts);
    else if (value !== undefined) plain[name] = value;
  }
  return plain;
}

/** Like `encodeResponseFields`, but as a list of parts, so that encoded values are not copied. */
export function encodeResponseFieldParts(of: ResponseFields): Uint8Array[] {
  const parts: Uint8Array[] = [];
  return [encodeResponseFields(takeEncodedFieldsOut(of, parts)), ...parts];
}

/** Like `encodeResponseFieldParts` for several objects: the fields that are not encoded yet come first, as one part. */
export function encodeAllResponseFieldParts(all: readonly ResponseFields[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let plainText = '';
  for (const fields of all) {
    const text = JSON.stringify(takeEncodedFieldsOut(fields, parts));
    if (text !== '{}') plainText += `,${text.slice(1, -1)}`;
  }
  return plainText === '' ? parts : [textEncoder.encode(plainText), ...parts];
}

/** Joins parts below this size with their neighbours; larger parts stay as they are, because others may share them. */
export function joinSmallParts(parts: readonly Uint8Array[], maxJoinedBytes: number): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const addSmall = (): void => {
    if (small.length > 0) joined.push(Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (part.byteLength < maxJoinedBytes) small.push(part);
    else {
      addSmall();
      joined.push(part);
    }
  }
  addSmall();
  return joined;
}

/** Fields of a response that is sent many times: the body is put together once. */
export class CachedResponseFields {
  /** The complete body in parts to concatenate, set by its first sender. */
  completeBody: readonly Uint8Array[] | undefined;
  #encodedParts: readonly Uint8Array[] | undefined;

  constructor(private readonly fields: ResponseFields) {}

  /** The encoded fields, as `encodeResponseFieldParts` makes them. */
  get encodedParts(): readonly Uint8Array[] {
    this.#encodedParts ??= encodeResponseFieldParts(this.fields);
    return this.#encodedParts;
  }
}
