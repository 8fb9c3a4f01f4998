/** Values that no client should send, as they travel: percent-encoded text of one parameter. */
import type { ParameterDeclaration } from '#frontend/api';

export interface HostileValue {
  readonly title: string;
  /** Encoded as in a form or query string; may have escapes that are no UTF-8. */
  readonly encoded: string;
}

const LONG = 10_000;
/** Near the body limit of the servers under test (1 MiB). */
const HUGE = 900 * 1024;
/** Length of a value that fits into the first line of a request. */
const LINE = 2_000;

const text = (title: string, value: string): HostileValue => ({ title, encoded: encodeURIComponent(value) });
const repeated = (piece: string, times: number): string => piece.repeat(times);
const list = (item: (i: number) => string, length = LONG): string =>
  `[${Array.from({ length }, (_, i) => item(i)).join()}]`;

/** Values for any parameter, in path, query or form. */
const SHORT: readonly HostileValue[] = [
  text('nothing', ''),
  text('a blank', ' '),
  text('a zero byte', '\0'),
  text('a zero byte inside', 'a\0b'),
  text('marks that turn the text', '\u202e\u2066abc\u2069\u202c'),
  text('characters that are none', '\ufffe\u{10ffff}\ufdd0'),
  text('combining marks', `e${'\u0301'.repeat(100)}`),
  { title: 'half a character', encoded: '%ED%A0%80' },
  { title: 'bytes that are no text', encoded: '%FF%FE%C0%80' },
  { title: 'escapes that are none', encoded: '%zz%' },
  text('an escaped lone surrogate', '"\\ud800"'),
  text('a list of a lone surrogate', '["\\udfff"]'),
  text('an escaped zero byte', '"a\\u0000b"'),
  text('0', '0'),
  text('-1', '-1'),
  text('-0', '-0'),
  text('2^32', '4294967296'),
  text('2^53 + 1', '9007199254740993'),
  text('2^64', '18446744073709551616'),
  text('a list of 2^64', '[18446744073709551616]'),
  text('more than any number', '1e400'),
  text('a fraction', '1.5'),
  text('a number that looks like an integer', '1.0'),
  text('hexadecimal', '0x10'),
  text('digits of another script', '١٢'),
  text('NaN', 'NaN'),
  text('null', 'null'),
  text('true', 'true'),
  text('a string', '"x"'),
  text('an object', '{}'),
  text('a list', '[]'),
  text('a list of null', '[null]'),
  text('a list of lists', '[[]]'),
  text('a list of objects', '[{}]'),
  text('half a list', '[1,2'),
  text('a prototype', '{"__proto__":{"id":1},"constructor":{"prototype":{}}}'),
  text('a list of prototypes', '[{"__proto__":{"id":1}},["__proto__","constructor"]]'),
  text('the name of a method', 'constructor'),
  text('another', '__proto__'),
  text('a path', '../../../etc/passwd'),
  text('a query', `' OR 1=1; --`),
  text('an operator', '{"$gt":""}'),
  text('a line', repeated('x', LINE)),
  text('deep', repeated('[', 60) + repeated(']', 60)),
];

/** Values for parameters in bodies only. */
const LARGE: readonly HostileValue[] = [
  text('a text as large as the body may be', repeated('x', HUGE)),
  text('one of wide characters', repeated('\u{1f600}', HUGE / 16)),
  text('one of zero bytes', repeated('\0', HUGE / 4)),
  text('one of one word', repeated('@**', HUGE / 8)),
  text('very deep', repeated('[', 200_000) + repeated(']', 200_000)),
  text('deep objects', repeated('{"a":', 5_000) + repeated('}', 5_000)),
  text('10,000 integers', list(String)),
  text(
    '10,000 ids beyond 2^53',
    list((i) => `90071992547409${90 + (i % 10)}`),
  ),
  text(
    '10,000 strings',
    list((i) => `"s${i}"`),
  ),
  text(
    '10,000 objects',
    list(() => '{}'),
  ),
  text(
    '10,000 lists',
    list((i) => `["topic","${i}"]`),
  ),
  text('200,000 numbers with a fraction', `[${repeated('1.0,', 200_000)}1]`),
  text('200,000 keys', `{${repeated('"k":1,', 100_000)}"k":1}`),
  { title: 'plus signs', encoded: repeated('+', HUGE) },
  text('10,000 keys', `{${Array.from({ length: LONG }, (_, i) => `"k${i}":${i}`).join()}}`),
];

/** Narrows with hostile operands: well-formed as far as their shape goes. */
const OPERATORS = ['stream', 'topic', 'sender', 'dm', 'dm-including', 'id', 'near', 'search', 'is', 'has', 'in', 'x'];
const OPERANDS: readonly unknown[] = [
  '',
  '\0',
  '\u202e',
  'x'.repeat(1_500),
  '\u{1f600}'.repeat(120),
  -1,
  2 ** 53,
  2 ** 60,
];
const NARROWS: readonly HostileValue[] = OPERATORS.flatMap((operator) =>
  OPERANDS.map((operand, i) => text(`operand ${i} of ${operator}`, JSON.stringify([{ operator, operand }]))),
);

interface ListSchema {
  readonly type?: string;
  readonly items?: unknown;
}

/**
 * @param usual a value that the operation takes, decoded
 * @param large also those that are near the bounds of a body
 */
export function hostileValues(
  name: string,
  parameter: ParameterDeclaration,
  method: string,
  usual: unknown,
  large: boolean,
): readonly HostileValue[] {
  const narrows = name === 'narrow' ? NARROWS : [];
  if (parameter.in === 'path' || method === 'GET' || !large) return [...SHORT, ...narrows];
  const { type } = parameter.schema as ListSchema;
  const usualItem = Array.isArray(usual) ? (usual as unknown[])[0] : undefined;
  const many =
    type === 'array' && usualItem !== undefined
      ? [
          text(
            '10,000 times what is usual',
            list(() => JSON.stringify(usualItem)),
          ),
        ]
      : [];
  return [...SHORT, ...LARGE, ...many, ...narrows];
}
