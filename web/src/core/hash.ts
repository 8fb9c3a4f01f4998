/**
 * Narrows as addresses, in the form that clients of this API write: `#narrow/stream/12-general/topic/a.20b`.
 */
import { type Narrow, type Operator, othersOf, type Term } from './narrow.js';

/** Names that make addresses readable, and ids of streams that old addresses name. */
export interface Names {
  readonly me: number;
  streamName(id: number): string | undefined;
  streamNamed(name: string): number | undefined;
  userName(id: number): string | undefined;
}

/** Percent-encoding with dots: chat programs end links at a percent sign or parenthesis more often than at a dot. */
export const encodePart = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[.!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');

/** @returns the text itself where it is not encoded */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('.', '%'));
  } catch {
    return text;
  }
}

const slug = (name: string | undefined): string =>
  name === undefined ? '' : `-${encodePart(name.replaceAll(' ', '-'))}`;

function operandText({ operator, operand }: Term, names: Names): string {
  if (operator === 'stream' && typeof operand === 'number') return `${operand}${slug(names.streamName(operand))}`;
  if (operator === 'sender' || operator === 'dm' || operator === 'dm-including') {
    if (typeof operand === 'number') return `${operand}${slug(names.userName(operand))}`;
    if (typeof operand === 'object') {
      const [first] = operand;
      return `${operand.join()}-${operand.length === 1 ? encodePart((names.userName(first!) ?? 'user').replaceAll(' ', '-')) : 'group'}`;
    }
  }
  return encodePart(String(operand));
}

/** @param near a message to stand at */
export function hashOf(narrow: Narrow, names: Names, near?: number): string {
  if (narrow.length === 0 && near === undefined) return '#all_messages';
  const parts = narrow.map((term) => `${term.negated ? '-' : ''}${term.operator}/${operandText(term, names)}`);
  if (near !== undefined) parts.push(`near/${near}`);
  return `#narrow/${parts.join('/')}`;
}

/** Other words for the same operator. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  stream: 'stream',
  channel: 'stream',
  streams: 'streams',
  channels: 'streams',
  topic: 'topic',
  subject: 'topic',
  dm: 'dm',
  'pm-with': 'dm',
  'dm-including': 'dm-including',
  'group-pm-with': 'dm-including',
  sender: 'sender',
  from: 'sender',
  is: 'is',
  has: 'has',
  in: 'in',
  id: 'id',
  search: 'search',
};

const leadingId = (text: string): number | undefined => {
  const [, digits] = /^(\d+)(?:-|$)/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

function operandFrom(operator: Operator, text: string, names: Names): Term['operand'] | undefined {
  switch (operator) {
    case 'stream': {
      const id = leadingId(text);
      // A stream may be called "2024-plans": its id is asked for first, then its name.
      if (id !== undefined && (names.streamName(id) !== undefined || names.streamNamed(decodePart(text)) === undefined))
        return id;
      return (
        names.streamNamed(decodePart(text)) ??
        names.streamNamed(decodePart(text).replaceAll('-', ' ')) ??
        decodePart(text)
      );
    }
    case 'sender':
    case 'dm-including':
      return leadingId(text) ?? decodePart(text);
    case 'dm': {
      const [, list] = /^([\d,]+)(?:-|$)/.exec(decodePart(text)) ?? [];
      const ids = list?.split(',').filter(Boolean).map(Number) ?? [];
      return ids.length === 0 ? undefined : othersOf(ids, names.me);
    }
    case 'is':
      return decodePart(text) === 'private' ? 'dm' : decodePart(text);
    default:
      return decodePart(text);
  }
}

/** @returns undefined for an address of another kind, or one that can't be read */
export function narrowOf(hash: string, names: Names): { readonly narrow: Narrow; readonly near?: number } | undefined {
  if (hash === '#all_messages') return { narrow: [] };
  const parts = hash.split('/');
  if (parts[0] !== '#narrow') return undefined;
  const narrow: Term[] = [];
  let near: number | undefined;
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const word = decodePart(parts[at]!);
    const negated = word.startsWith('-');
    const name = negated ? word.slice(1) : word;
    if (name === 'near' || name === 'with') {
      near = leadingId(parts[at + 1]!);
      continue;
    }
    const operator = OPERATORS[name];
    const operand = operator && operandFrom(operator, parts[at + 1]!, names);
    if (operator === undefined || operand === undefined) return undefined;
    narrow.push({ operator, operand, ...(negated ? { negated } : {}) });
  }
  return near === undefined ? { narrow } : { narrow, near };
}
