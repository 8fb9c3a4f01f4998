/** Narrows as addresses, in the form that clients of this API write: `#narrow/stream/12-general/topic/a.20b`. */
import { getOtherOrOwnUserIds, type Narrow, type NarrowOperator, type NarrowTerm } from './narrow.js';

/** Names that make addresses readable, and ids of streams that old addresses name. */
export interface AddressNameLookup {
  readonly ownUserId: number;
  streamName(id: number): string | undefined;
  findStreamIdByName(name: string): number | undefined;
  userName(id: number): string | undefined;
}

/** Percent-encoding with dots in place of percent signs, at which chat programs often end a link. */
export const encodeHashPart = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[.!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');

/** @returns the text itself where it is not encoded */
export function decodeHashPart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('.', '%'));
  } catch {
    return text;
  }
}

const formatHashNameSuffix = (name: string | undefined): string =>
  name === undefined ? '' : `-${encodeHashPart(name.replaceAll(' ', '-'))}`;

function formatHashOperand({ operator, operand }: NarrowTerm, names: AddressNameLookup): string {
  if (operator === 'stream' && typeof operand === 'number')
    return `${operand}${formatHashNameSuffix(names.streamName(operand))}`;
  if (operator === 'sender' || operator === 'dm' || operator === 'dm-including') {
    if (typeof operand === 'number') return `${operand}${formatHashNameSuffix(names.userName(operand))}`;
    if (typeof operand === 'object') {
      const [first] = operand;
      return `${operand.join()}-${operand.length === 1 ? encodeHashPart((names.userName(first!) ?? 'user').replaceAll(' ', '-')) : 'group'}`;
    }
  }
  return encodeHashPart(String(operand));
}

/** @param near message to scroll to */
export function formatNarrowHash(narrow: Narrow, names: AddressNameLookup, near?: number): string {
  if (narrow.length === 0 && near === undefined) return '#all_messages';
  const parts = narrow.map((term) => `${term.negated ? '-' : ''}${term.operator}/${formatHashOperand(term, names)}`);
  if (near !== undefined) parts.push(`near/${near}`);
  return `#narrow/${parts.join('/')}`;
}

/** Operators by the words of other clients. */
const OPERATOR_BY_HASH_WORD: Readonly<Record<string, NarrowOperator>> = {
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

/** @returns undefined also for a number that is too large to be an id of the server */
const parseLeadingId = (text: string): number | undefined => {
  const [, digits] = /^(\d+)(?:-|$)/.exec(text) ?? [];
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;
};

function parseHashOperand(
  operator: NarrowOperator,
  text: string,
  names: AddressNameLookup,
): NarrowTerm['operand'] | undefined {
  switch (operator) {
    case 'stream': {
      const id = parseLeadingId(text);
      // A stream may have the name "2024-plans", so an id is tried first, then the name.
      if (
        id !== undefined &&
        (names.streamName(id) !== undefined || names.findStreamIdByName(decodeHashPart(text)) === undefined)
      )
        return id;
      return (
        names.findStreamIdByName(decodeHashPart(text)) ??
        names.findStreamIdByName(decodeHashPart(text).replaceAll('-', ' ')) ??
        decodeHashPart(text)
      );
    }
    case 'sender':
    case 'dm-including':
      return parseLeadingId(text) ?? decodeHashPart(text);
    case 'dm': {
      const [, list] = /^([\d,]+)(?:-|$)/.exec(decodeHashPart(text)) ?? [];
      const ids = list?.split(',').filter(Boolean).map(Number) ?? [];
      return ids.length === 0 ? undefined : getOtherOrOwnUserIds(ids, names.ownUserId);
    }
    case 'is':
      return decodeHashPart(text) === 'private' ? 'dm' : decodeHashPart(text);
    default:
      return decodeHashPart(text);
  }
}

/** @returns undefined for an address of another kind, or one that can't be read */
export function parseNarrowHash(
  hash: string,
  names: AddressNameLookup,
): { readonly narrow: Narrow; readonly near?: number } | undefined {
  // `feed` is the word in links of newer clients.
  if (/^#(?:all_messages|feed)$/.test(hash)) return { narrow: [] };
  const parts = hash.split('/');
  if (parts[0] !== '#narrow') return undefined;
  const narrow: NarrowTerm[] = [];
  let near: number | undefined;
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const word = decodeHashPart(parts[at]!);
    const negated = word.startsWith('-');
    const name = negated ? word.slice(1) : word;
    if (name === 'near' || name === 'with') {
      near = parseLeadingId(parts[at + 1]!);
      continue;
    }
    const operator = Object.hasOwn(OPERATOR_BY_HASH_WORD, name) ? OPERATOR_BY_HASH_WORD[name] : undefined;
    const operand = operator && parseHashOperand(operator, parts[at + 1]!, names);
    if (operator === undefined || operand === undefined) return undefined;
    narrow.push({ operator, operand, ...(negated ? { negated } : {}) });
  }
  return near === undefined ? { narrow } : { narrow, near };
}
