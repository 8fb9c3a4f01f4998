/** Reading payloads, which are JSON of any shape: a part with another type than expected is like one that is absent. */
import type { Json, JsonObject } from '#base';

/** The object itself; an empty object for any other value. */
export const objectOrEmpty = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** Objects of a list; other items are left out. */
export const objectsOfList = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(objectOrEmpty).filter((item) => Object.keys(item).length > 0) : [];

/** Text without blanks around it and without null bytes, which no message has; '' for any other value. */
export const textOrEmpty = (value: Json | undefined): string =>
  typeof value === 'string' ? value.replaceAll('\0', '').trim() : '';

const NO_LINE_CHARACTERS_PATTERN = /[\s\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+/gu;

/** Text of one line, in characters that topics may have. */
export const lineOrEmpty = (value: Json | undefined): string =>
  textOrEmpty(value).replace(NO_LINE_CHARACTERS_PATTERN, ' ').trim();

const HALF_CHARACTER_AT_END_PATTERN = /\p{Cs}$/u;

/**
 * Copies a payload with texts of at most `maxCharacters` together: texts behind this limit are cut or empty. A message
 * shows much less, and the time of a translation grows with its text.
 */
export function withBoundedTexts(payload: Json, maxCharacters: number): Json {
  let left = maxCharacters;
  const bound = (value: Json | undefined): Json | undefined => {
    if (typeof value === 'string') {
      const kept = value.length <= left ? value : value.slice(0, left).replace(HALF_CHARACTER_AT_END_PATTERN, '');
      left -= kept.length;
      return kept;
    }
    if (Array.isArray(value)) return value.map((item: Json) => bound(item)!);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, bound(item)]));
  };
  return bound(payload)!;
}

const WEB_ADDRESS_PATTERN = /^https?:\/\/[^\s<>]+$/i;

/** Markdown of a link; the label alone if the address is none of the web. */
export function makeMarkdownLink(label: string, address: string): string {
  if (!WEB_ADDRESS_PATTERN.test(address)) return label;
  const target = address.replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${label.replaceAll('[', '(').replaceAll(']', ')')}](${target})`;
}

/** The parts that are not empty, with a separator between them. */
export const joinNonEmpty = (parts: readonly string[], separator: string): string =>
  parts.filter((part) => part !== '').join(separator);
