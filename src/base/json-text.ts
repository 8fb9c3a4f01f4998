/**
 * Parses the JSON text of parameters. JSON.parse alone is not enough: `5.0` and `5e0` must not pass for integers, long
 * numbers lose digits, and megabytes of brackets must not reach recursive code.
 */
import { randomBytes } from 'node:crypto';

/** A number that was written with a fraction or an exponent. */
export class JsonFloat {
  constructor(readonly value: number) {}
}

export interface ParsedJsonText {
  readonly value: unknown;
  /**
   * True if every number of the text is an integer of at most 15 digits: a compiled validator can then judge `value`.
   */
  readonly plain: boolean;
  /** True if the value may contain lone surrogates or `__proto__` keys, which `cleanParsedJson` removes. */
  readonly suspicious: boolean;
}

/** Maximum nesting of arrays and objects in a JSON text. The deepest parameter of the API has 4 levels. */
const MAX_JSON_DEPTH = 64;
/** Characters of one number. 1.8e308, the largest, has 309 digits; the conversion of 10 MiB of digits takes 40 ms. */
const MAX_NUMBER_CHARACTERS = 1_000;
/** Blanks between values: a few bytes for each value of indented JSON. JSON.parse reads 10 MiB of them in 30 ms. */
const MAX_JSON_BLANKS = 1_048_576;
/** Digits up to which every integer is exact as a JavaScript number. */
const MAX_EXACT_INTEGER_DIGITS = 15;

export class TooManyJsonValuesError extends Error {}

/**
 * Parses the JSON text of a parameter.
 * @param most limit of values: items and keys at all levels
 * @returns undefined for text that is not JSON, is nested deeper than 64 levels, or has a number of more than 1,000
 *   characters or more than a MiB of blanks between its values
 * @throws TooManyJsonValuesError before any object is built
 */
export function parseJsonText(text: string, most = Number.POSITIVE_INFINITY): ParsedJsonText | undefined {
  const found = scanJsonText(text, most);
  if (!found) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const suspicious = text.includes('\\u') || text.includes('__proto__');
    if (found.floats.length === 0) return { value, plain: found.exact, suspicious };
    return { value: replaceFloatMarkers(JSON.parse(markFloats(text, found.floats))), plain: false, suspicious };
  } catch {
    return undefined;
  }
}

interface JsonScanResult {
  /** Start and end offset of each number with a fraction or exponent. */
  readonly floats: readonly (readonly [number, number])[];
  readonly exact: boolean;
}

function scanJsonText(text: string, most: number): JsonScanResult | undefined {
  const floats: [number, number][] = [];
  let exact = true;
  let depth = 0;
  let values = 1;
  let blanks = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 34) i = findStringEnd(text, i);
    else if (c === 91 || c === 123) {
      if (++depth > MAX_JSON_DEPTH) return undefined;
      if (++values > most) throw new TooManyJsonValuesError();
    } else if (c === 93 || c === 125) depth--;
    else if (c === 44) {
      if (++values > most) throw new TooManyJsonValuesError();
    } else if (c === 45 || (c >= 48 && c <= 57)) {
      const start = i;
      let float = false;
      while (i - start < MAX_NUMBER_CHARACTERS && isNumberCharacter(text.charCodeAt(i + 1))) {
        i++;
        const d = text.charCodeAt(i);
        float ||= d === 46 || d === 69 || d === 101;
      }
      if (i - start >= MAX_NUMBER_CHARACTERS) return undefined;
      if (float) floats.push([start, i + 1]);
      else if (i - start >= MAX_EXACT_INTEGER_DIGITS) exact = false;
    } else if (c <= 32 && ++blanks > MAX_JSON_BLANKS) return undefined;
  }
  return { floats, exact };
}

/** Index of the quote that closes the string at `start`; the length of the text if there is none. */
function findStringEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 92) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}

/** True for the code of a character that numbers consist of: digits, signs, points and exponent letters. */
const isNumberCharacter = (c: number): boolean =>
  (c >= 48 && c <= 57) || c === 46 || c === 69 || c === 101 || c === 43 || c === 45;

/** Key that marks floats between two passes of the parser; random, so that no client can send it. */
const FLOAT_MARKER_KEY = randomBytes(16).toString('hex');

function markFloats(text: string, floats: readonly (readonly [number, number])[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of floats) {
    pieces.push(text.slice(at, start), `{"${FLOAT_MARKER_KEY}":`, text.slice(start, end), '}');
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}

/**
 * Replaces marked floats in a parsed value by `JsonFloat`, in place. A JSON.parse reviver takes 40 times as long; the
 * recursion here is safe because the scan has checked the depth.
 */
function replaceFloatMarkers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = replaceFloatMarkers(value[i]);
    return value;
  }
  const object = value as Record<string, unknown>;
  if (Object.hasOwn(object, FLOAT_MARKER_KEY)) return new JsonFloat(object[FLOAT_MARKER_KEY] as number);
  for (const key of Object.keys(object)) {
    const item = object[key];
    if (typeof item === 'object') object[key] = replaceFloatMarkers(item);
  }
  return object;
}

/**
 * Cleans a parsed value in place: JsonFloats become numbers, lone surrogates become U+FFFD (no store keeps them), and
 * `__proto__` keys are removed (a later copy would set the prototype).
 */
export function cleanParsedJson(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd');
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof JsonFloat) return value.value;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) value[i] = cleanParsedJson(item);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const item = object[key];
    const name = cleanParsedJson(key) as string;
    if (name !== key || key === '__proto__') delete object[key];
    if (name !== '__proto__') object[name] = cleanParsedJson(item);
  }
  return object;
}
