/** Searches as text: reading terms, writing them, and completing the one being typed. Without the DOM. */
import type { Narrow, NarrowOperator, NarrowTerm } from '../core/index.js';
import { rankByQuery } from './ranking.js';

/** Names for the values of terms. */
export interface SearchNameContext {
  readonly myUserId: number;
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  /** Active users, the most likely ones first. */
  readonly people: readonly { readonly id: number; readonly name: string; readonly email: string }[];
  /** Topics that are known, newest first. */
  listTopics(stream: number): readonly string[];
}

/** A search: its terms, and the message to scroll to. */
export interface ParsedSearch {
  readonly narrow: Narrow;
  readonly near?: number;
}

/** A completion of what is being typed. */
export type SearchSuggestion =
  | { readonly kind: 'term'; readonly term: NarrowTerm }
  /** The operator of a term; its value follows. */
  | { readonly kind: 'operator'; readonly operator: string; readonly negated: boolean }
  | { readonly kind: 'near'; readonly near: number };

/** Values of the operators that take few. */
export const FIXED_VALUES_BY_OPERATOR = {
  stream: undefined,
  topic: undefined,
  sender: undefined,
  dm: undefined,
  'dm-including': undefined,
  is: ['unread', 'mentioned', 'starred', 'dm', 'alerted', 'resolved'],
  has: ['link', 'image', 'attachment'],
  in: ['home', 'all'],
  streams: ['public'],
  near: undefined,
  id: undefined,
} as const satisfies Partial<Record<NarrowOperator | 'near', readonly string[] | undefined>>;

export type SearchOperator = keyof typeof FIXED_VALUES_BY_OPERATOR;

const OPERATOR_BY_TYPED_WORD: Readonly<Record<string, SearchOperator>> = {
  ...(Object.fromEntries(Object.keys(FIXED_VALUES_BY_OPERATOR).map((name) => [name, name])) as Record<
    SearchOperator,
    SearchOperator
  >),
  channel: 'stream',
  channels: 'streams',
  subject: 'topic',
  from: 'sender',
  'pm-with': 'dm',
  'group-pm-with': 'dm-including',
};

const MAX_SUGGESTIONS = 10;
const MAX_SUGGESTIONS_PER_KIND = 3;

/** A word of the text. Quotes keep spaces in it, also after the colon of an operator. */
interface QueryWord {
  readonly text: string;
  readonly startIndex: number;
  /** Whether more text follows, so that the word is no longer being typed. */
  readonly isFinished: boolean;
}

function splitQueryWords(text: string): QueryWord[] {
  const pieces: QueryWord[] = [];
  for (const found of text.matchAll(/(?:"[^"]*"?|[^\s"])+/g)) {
    const end = found.index + found[0].length;
    const closed = found[0].endsWith('"') && (found[0].match(/"/g)?.length ?? 0) % 2 === 0;
    pieces.push({ text: found[0], startIndex: found.index, isFinished: end < text.length || closed });
  }
  return pieces;
}

interface TypedTerm {
  readonly operator: SearchOperator;
  readonly value: string;
  readonly negated: boolean;
}

/** @returns undefined for a word without an operator */
function parseTypedTerm(piece: string): TypedTerm | undefined {
  const [, minus, word = '', value = ''] = /^(-?)([a-z-]+?):(.*)$/is.exec(piece) ?? [];
  const operator = OPERATOR_BY_TYPED_WORD[word.toLowerCase()];
  return operator && { operator, value: value.replaceAll('"', ''), negated: minus === '-' };
}

const makeTermWithNegation = (term: NarrowTerm, negated: boolean): NarrowTerm =>
  negated ? { ...term, negated } : term;

/**
 * Id of the user with this id, name or address.
 *
 * @param whole false: more may be typed; otherwise the start of a word of the name suffices if only one user fits
 */
function findUserIdByIdNameOrEmail(
  value: string,
  { people, myUserId }: SearchNameContext,
  whole: boolean,
): number | undefined {
  const wanted = value.trim().toLowerCase();
  if (wanted === 'me') return myUserId;
  if (/^\d+$/.test(wanted)) return people.find(({ id }) => id === Number(wanted))?.id;
  const named = people.find(({ name, email }) => [name, email].some((text) => text.toLowerCase() === wanted));
  if (named || wanted === '' || !whole) return named?.id;
  const [only, another] = people.filter(({ name }) => ` ${name.toLowerCase()}`.includes(` ${wanted}`));
  return another ? undefined : only?.id;
}

/** @returns the term; undefined if its value is not known */
function resolveTypedTerm(
  { operator, value, negated }: TypedTerm,
  world: SearchNameContext,
  whole: boolean,
): NarrowTerm | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  switch (operator) {
    case 'stream': {
      const stream = world.streams.find(({ name }) => name.toLowerCase() === text.toLowerCase());
      return stream && makeTermWithNegation({ operator, operand: stream.id }, negated);
    }
    case 'sender':
    case 'dm-including': {
      const user = findUserIdByIdNameOrEmail(text, world, whole);
      return user === undefined ? undefined : makeTermWithNegation({ operator, operand: user }, negated);
    }
    case 'dm': {
      const users = text.split(',').map((name) => findUserIdByIdNameOrEmail(name, world, whole));
      if (users.some((user) => user === undefined)) return undefined;
      const others = [...new Set(users.map(Number))].filter((id) => id !== world.myUserId).sort((a, b) => a - b);
      return makeTermWithNegation({ operator, operand: others.length === 0 ? [world.myUserId] : others }, negated);
    }
    case 'topic':
      return makeTermWithNegation({ operator, operand: text }, negated);
    case 'id':
      return /^\d+$/.test(text) ? makeTermWithNegation({ operator, operand: text }, negated) : undefined;
    case 'near':
      return undefined;
    default: {
      const known: readonly string[] = FIXED_VALUES_BY_OPERATOR[operator];
      const operand = text.toLowerCase() === 'private' ? 'dm' : text.toLowerCase();
      return known.includes(operand) ? makeTermWithNegation({ operator, operand }, negated) : undefined;
    }
  }
}

const parseNearMessageId = ({ operator, value }: TypedTerm): number | undefined =>
  operator === 'near' && /^\d+$/.test(value.trim()) ? Number(value) : undefined;

/**
 * Extracts the terms of a text.
 *
 * @param whole false: the last word is still being typed and is kept as text
 * @returns the terms, the terms with unknown values, and the remaining text: words to search for, and those terms
 */
export function extractResolvedTerms(
  text: string,
  world: SearchNameContext,
  whole: boolean,
): ParsedSearch & { readonly rest: string; readonly unknown: readonly string[] } {
  const narrow: NarrowTerm[] = [];
  let near: number | undefined;
  const rest: string[] = [];
  const unknown: string[] = [];
  let kept = '';
  for (const { text: piece, startIndex, isFinished } of splitQueryWords(text)) {
    const typed = whole || isFinished ? parseTypedTerm(piece) : undefined;
    const term = typed && resolveTypedTerm(typed, world, whole);
    const at = typed && parseNearMessageId(typed);
    if (term) narrow.push(term);
    else if (at !== undefined) near = at;
    else {
      rest.push(piece);
      if (typed?.value) unknown.push(piece);
    }
    kept = term || at !== undefined ? '' : text.slice(startIndex + piece.length);
  }
  const left = rest.join(' ') + (rest.length > 0 ? kept : '');
  return { narrow, rest: left, unknown, ...(near === undefined ? {} : { near }) };
}

/** @returns the search for terms and a text after them. The remaining words are searched for. */
export function parseSearch(
  terms: Narrow,
  text: string,
  world: SearchNameContext,
): ParsedSearch & { readonly unknown: readonly string[] } {
  const { narrow, near, rest, unknown } = extractResolvedTerms(text, world, true);
  const words = rest.trim();
  const all: NarrowTerm[] = [...terms, ...narrow];
  if (words !== '') all.push({ operator: 'search', operand: words });
  return { narrow: all, unknown, ...(near === undefined ? {} : { near }) };
}

const quoteIfNeeded = (text: string): string => (/[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text);

/** A term as the reader types it. */
export function formatTermAsTyped({ operator, operand, negated }: NarrowTerm, world: SearchNameContext): string {
  const minus = negated ? '-' : '';
  if (operator === 'search') return `${minus}${operand}`;
  const userName = (id: number): string => world.people.find((user) => user.id === id)?.name ?? String(id);
  let value = String(operand);
  if (operator === 'stream') value = world.streams.find(({ id }) => id === operand)?.name ?? value;
  else if (typeof operand === 'object') value = operand.map(userName).join(',');
  else if (typeof operand === 'number') value = userName(operand);
  return `${minus}${operator}:${quoteIfNeeded(value)}`;
}

/** Completions of a value. */
function suggestTermsForValue(
  { operator, value, negated }: TypedTerm,
  terms: Narrow,
  world: SearchNameContext,
): SearchSuggestion[] {
  const suggest = (term: NarrowTerm): SearchSuggestion => ({ kind: 'term', term: makeTermWithNegation(term, negated) });
  const limit = MAX_SUGGESTIONS;
  switch (operator) {
    case 'stream':
      return rankByQuery(world.streams, value, { getText: ({ name }) => name, limit }).map(({ item }) =>
        suggest({ operator, operand: item.id }),
      );
    case 'sender':
    case 'dm-including':
      return rankUserIdsByName(value, world, limit).map((id) => suggest({ operator, operand: id }));
    case 'dm': {
      const names = value.split(',');
      const last = names.pop() ?? '';
      const before = names.map((name) => findUserIdByIdNameOrEmail(name, world, true)).filter((id) => id !== undefined);
      return rankUserIdsByName(last, world, limit)
        .filter((id) => !before.includes(id))
        .map((id) => suggest({ operator, operand: [...before, id].sort((a, b) => a - b) }));
    }
    case 'topic': {
      const within = terms.find((term) => term.operator === 'stream' && !term.negated)?.operand;
      const topics = listTopicsOfStreamOrAll(world, typeof within === 'number' ? within : undefined);
      const found = rankByQuery(topics, value, { getText: (topic) => topic, limit });
      return found.map(({ item }) => suggest({ operator, operand: item }));
    }
    case 'near':
      return parseNearMessageId({ operator, value, negated }) === undefined
        ? []
        : [{ kind: 'near', near: Number(value) }];
    case 'id':
      return /^\d+$/.test(value) ? [suggest({ operator, operand: value })] : [];
    default: {
      const known: readonly string[] = FIXED_VALUES_BY_OPERATOR[operator];
      return rankByQuery(known, value, { getText: (word) => word, limit }).map(({ item }) =>
        suggest({ operator, operand: item }),
      );
    }
  }
}

/** @param takesMe whether `me` stands for the reader, as in the value of a term */
function rankUserIdsByName(
  name: string,
  { people, myUserId }: SearchNameContext,
  limit: number,
  takesMe = true,
): number[] {
  const ids = rankByQuery(people, name, { getText: (user) => user.name, limit }).map(({ item }) => item.id);
  return takesMe && name.toLowerCase() === 'me' ? [...new Set([myUserId, ...ids])].slice(0, limit) : ids;
}

function listTopicsOfStreamOrAll(world: SearchNameContext, stream: number | undefined): Iterable<string> {
  const streams = stream === undefined ? world.streams.map(({ id }) => id) : [stream];
  return new Set(streams.flatMap((id) => world.listTopics(id)));
}

/** Completions of a word without an operator: operators, then streams, people and topics of that name. */
function suggestForPlainWord(word: string, terms: Narrow, world: SearchNameContext): SearchSuggestion[] {
  const negated = word.startsWith('-');
  const text = negated ? word.slice(1) : word;
  const beginning: SearchSuggestion[] = Object.keys(FIXED_VALUES_BY_OPERATOR)
    .filter((name) => name.startsWith(text.toLowerCase()))
    .map((operator) => ({ kind: 'operator', operator, negated }));
  if (text.length < 2) return beginning;
  const limit = MAX_SUGGESTIONS_PER_KIND;
  const suggest = (term: NarrowTerm): SearchSuggestion => ({ kind: 'term', term: makeTermWithNegation(term, negated) });
  const fixed = (['is', 'has'] as const).flatMap((operator) =>
    FIXED_VALUES_BY_OPERATOR[operator]
      .filter((value) => value.startsWith(text.toLowerCase()))
      .map((operand) => ({ operator, operand })),
  );
  const has = (operator: NarrowOperator): boolean => terms.some((term) => term.operator === operator && !term.negated);
  const streams = has('stream') ? [] : rankByQuery(world.streams, text, { getText: ({ name }) => name, limit });
  const people = rankUserIdsByName(text, world, limit, false);
  const within = terms.find((term) => term.operator === 'stream' && !term.negated)?.operand;
  const topics =
    typeof within === 'number' && !has('topic')
      ? rankByQuery(listTopicsOfStreamOrAll(world, within), text, { getText: (topic) => topic, limit })
      : [];
  return [
    ...beginning,
    ...fixed.map(suggest),
    ...streams.map(({ item }) => suggest({ operator: 'stream', operand: item.id })),
    ...topics.map(({ item }) => suggest({ operator: 'topic', operand: item })),
    ...(has('sender') ? [] : people.map((id) => suggest({ operator: 'sender', operand: id }))),
    ...(has('dm') || has('stream') ? [] : people.map((id) => suggest({ operator: 'dm', operand: [id] }))),
  ];
}

/** The last word of the text, unless a space ends it. */
function findWordBeingTyped(text: string): QueryWord | undefined {
  const last = splitQueryWords(text).at(-1);
  return last && !last.isFinished ? last : undefined;
}

/** @returns completions of the word being typed, or the operators if there is none */
export function suggestCompletions(terms: Narrow, text: string, world: SearchNameContext): readonly SearchSuggestion[] {
  const piece = findWordBeingTyped(text);
  if (!piece) {
    const all = text.trim() === '' ? Object.keys(FIXED_VALUES_BY_OPERATOR) : [];
    return all.map((operator) => ({ kind: 'operator', operator, negated: false }));
  }
  const typed = parseTypedTerm(piece.text);
  return (typed ? suggestTermsForValue(typed, terms, world) : suggestForPlainWord(piece.text, terms, world)).slice(
    0,
    MAX_SUGGESTIONS,
  );
}

/** The text without the word being typed, which a suggestion replaces. */
export const removeWordBeingTyped = (text: string): string =>
  text.slice(0, findWordBeingTyped(text)?.startIndex ?? text.length);
