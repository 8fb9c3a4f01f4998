/**
 * Large JSON values for a parameter: many items, many keys, deep nesting, long strings, of the declared shape and of
 * other shapes.
 */
import { DEFAULT_MAX_JSON_PARAMETER_VALUES, type ParameterDeclaration } from '#frontend/api';

export interface LargeValue {
  readonly title: string;
  readonly text: string;
}

interface Shape {
  readonly type?: string;
  readonly items?: Shape | readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly check?: string;
}

/** Small value of a shape; values with different `i` differ. */
function small(shape: Shape, i: number): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[i % shape.enum.length];
  if (shape.anyOf) return small(shape.anyOf.find(({ type }) => type !== 'null') ?? {}, i);
  switch (shape.type) {
    case 'integer':
    case 'number':
      return i + 1;
    case 'boolean':
      return i % 2 === 0;
    case 'array': {
      const { items = {} } = shape;
      return Array.isArray(items)
        ? (items as readonly Shape[]).map((item) => small(item, i))
        : [small(items as Shape, i), small(items as Shape, i + 1)];
    }
    case 'object': {
      const { properties = {}, required = [] } = shape;
      const names = Object.keys(properties).filter((name) => required.includes(name));
      return Object.fromEntries(names.map((name) => [name, small(properties[name]!, i)]));
    }
    default:
      return shape.check === 'hexColor' ? '#c2c2c2' : `zq${i}`;
  }
}

const arrayOf = (shape: Shape): Shape | undefined =>
  shape.type === 'array' ? shape : shape.anyOf?.map(arrayOf).find((found) => found !== undefined);

const isDictionary = (shape: Shape): boolean => shape.type === 'object' || (shape.anyOf ?? []).some(isDictionary);

/** Joins as many pieces as fit into the characters and values. */
function joined(open: string, close: string, characters: number, values: number, piece: (i: number) => string): string {
  const pieces: string[] = [];
  let left = characters - 2;
  for (let i = 0; i < values; i++) {
    const next = piece(i);
    left -= next.length + 1;
    if (left < 0) break;
    pieces.push(next);
  }
  return `${open}${pieces.join()}${close}`;
}

const weightOf = (text: string): number => (text.match(/[[{,]/g)?.length ?? 0) + 1;

const quoted = JSON.stringify;

/**
 * @param characters maximum length of the text; the rest of the request fits beside it
 * @param usual value that the operation accepts
 */
export function largeValues(name: string, of: ParameterDeclaration, characters: number, usual: unknown): LargeValue[] {
  const { maxValues = DEFAULT_MAX_JSON_PARAMETER_VALUES } = of;
  const shape = of.schema as Shape;
  const list = arrayOf(shape);
  const values: LargeValue[] = [
    { title: 'numbers with a fraction', text: `[${'1.0,'.repeat(Math.floor(characters / 4) - 1)}1]` },
    {
      title: 'numbers with a fraction, as many as allowed',
      text: joined('[', ']', characters, maxValues - 1, () => '1.5'),
    },
    { title: 'deep lists', text: joined('[', ']', characters, maxValues, () => `${'['.repeat(60)}${']'.repeat(60)}`) },
    {
      title: 'deep lists, as many as allowed',
      text: joined('[', ']', characters, Math.floor(maxValues / 62), () => `${'['.repeat(60)}${']'.repeat(60)}`),
    },
    { title: 'one long string', text: quoted('x'.repeat(characters - 2)) },
    { title: 'a list of one long string', text: `["${'x y '.repeat(Math.floor(characters / 4) - 2)}"]` },
    { title: 'escapes', text: `["${'\\u0041'.repeat(Math.floor(characters / 6) - 1)}"]` },
    { title: 'blanks', text: `[${' '.repeat(characters - 2)}]` },
    { title: 'digits', text: `[${'1'.repeat(characters - 2)}]` },
  ];
  if (list) {
    const { items = {} } = list;
    const item = (i: number): string => quoted(small((Array.isArray(items) ? items[0] : items) as Shape, i));
    const weight = weightOf(item(0));
    const most = Math.floor((maxValues - 1) / weight);
    values.push({ title: 'as many items as allowed', text: joined('[', ']', characters, most, item) });
    values.push({ title: 'one item, again and again', text: joined('[', ']', characters, most, () => item(7)) });
    if (Array.isArray(usual) && usual.length > 0) {
      const again = quoted((usual as unknown[])[0]);
      const times = Math.floor((maxValues - 1) / weightOf(again));
      values.push({ title: 'the usual item, again and again', text: joined('[', ']', characters, times, () => again) });
    }
  }
  if (isDictionary(shape) || list) {
    const most = maxValues - 1;
    const keys = (key: (i: number) => string, value: (i: number) => string): string =>
      joined('{', '}', characters, most, (i) => `${quoted(key(i))}:${value(i)}`);
    values.push(
      {
        title: 'as many keys as allowed',
        text: keys(
          (i) => `k${i}`,
          (i) => quoted(`v${i}`),
        ),
      },
      {
        title: 'keys that are numbers',
        text: keys(
          (i) => String(i * 7919),
          () => '""',
        ),
      },
      {
        title: 'keys of prototypes',
        text: keys(
          (i) => (i % 2 ? '__proto__' : `a${i}`),
          () => '"a"',
        ),
      },
      { title: 'dictionaries in keys', text: joined('{', '}', characters, most / 2, (i) => `"${i}":{}`) },
    );
  }
  if (name === 'narrow') values.push(...acceptedNarrows(characters, maxValues));
  return values;
}

const TERMS = ['stream', 'topic', 'sender', 'is', 'has', 'in', 'near', 'id', 'dm', 'dm-including', 'streams'];
const OPERANDS: Readonly<Record<string, unknown>> = {
  stream: 'stream 1',
  is: 'starred',
  has: 'link',
  in: 'all',
  near: 1,
  id: 1,
  streams: 'public',
};

/** Narrows of accepted shapes; other large values are refused by their shape. */
function acceptedNarrows(characters: number, maxValues: number): LargeValue[] {
  const words = (n: number): string => Array.from({ length: n }, (_, i) => `zq${i}`).join(' ');
  const search = (operand: string): string => quoted([{ operator: 'search', operand }]);
  const many = (operator: string, form: 'pair' | 'term'): LargeValue => ({
    title: `${form}s of ${operator}`,
    text: joined('[', ']', characters, Math.floor((maxValues - 1) / 3), (i) => {
      const operand = OPERANDS[operator] ?? `zq${i}`;
      return form === 'pair' ? quoted([operator, String(operand)]) : quoted({ operator, operand });
    }),
  });
  return [
    { title: 'a search for one long word', text: search('z'.repeat(characters - 50)) },
    { title: 'a search for 30 words', text: search(words(30)) },
    { title: 'a search for words', text: search(words(Math.floor(characters / 8))) },
    { title: 'a search for quotes', text: search(`"a" ${'"zq1 '.repeat(Math.floor(characters / 8))}`) },
    many('search', 'term'),
    ...TERMS.flatMap((operator) => [many(operator, 'pair'), many(operator, 'term')]),
  ];
}
