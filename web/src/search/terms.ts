/** Searches as text: reading terms, writing them, and completing the one being typed. Without the DOM. */
import type { Narrow, Operator, Term } from '../core/index.js';
import { rank } from './ranking.js';

/** Names that terms use. */
export interface SearchWorld {
  readonly me: number;
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  /** Active users, those most likely meant first. */
  readonly people: readonly { readonly id: number; readonly name: string; readonly email: string }[];
  /** Topics that are known, newest first. */
  topicsOf(stream: number): readonly string[];
}

/** A search: terms, and the message to stand at. */
export interface Search {
  readonly narrow: Narrow;
  readonly near?: number;
}

/** A completion of what is being typed. */
export type Suggestion =
  | { readonly kind: 'term'; readonly term: Term }
  /** Begins a term: the operator with its colon, which a value follows. */
  | { readonly kind: 'operator'; readonly operator: string; readonly negated: boolean }
  | { readonly kind: 'near'; readonly near: number };

/** Operators with the values that they take where these are few. */
export const OPERATORS = {
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
} as const satisfies Partial<Record<Operator | 'near', readonly string[] | undefined>>;

export type SearchOperator = keyof typeof OPERATORS;

const WORDS: Readonly<Record<string, SearchOperator>> = {
  ...(Object.fromEntries(Object.keys(OPERATORS).map((name) => [name, name])) as Record<SearchOperator, SearchOperator>),
  channel: 'stream',
  channels: 'streams',
  subject: 'topic',
  from: 'sender',
  'pm-with': 'dm',
  'group-pm-with': 'dm-including',
};

const MAX_SUGGESTIONS = 10;
const MAX_OF_KIND = 3;

/** A word of the text: quotes keep spaces together, also behind the colon of an operator. */
interface Piece {
  readonly text: string;
  readonly from: number;
  /** Something stands behind it, so it is not being typed any more. */
  readonly done: boolean;
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const found of text.matchAll(/(?:"[^"]*"?|[^\s"])+/g)) {
    const end = found.index + found[0].length;
    const closed = found[0].endsWith('"') && (found[0].match(/"/g)?.length ?? 0) % 2 === 0;
    pieces.push({ text: found[0], from: found.index, done: end < text.length || closed });
  }
  return pieces;
}

interface Typed {
  readonly operator: SearchOperator;
  readonly value: string;
  readonly negated: boolean;
}

/** @returns undefined for a word that begins with no operator */
function typedTerm(piece: string): Typed | undefined {
  const [, minus, word = '', value = ''] = /^(-?)([a-z-]+?):(.*)$/is.exec(piece) ?? [];
  const operator = WORDS[word.toLowerCase()];
  return operator && { operator, value: value.replaceAll('"', ''), negated: minus === '-' };
}

const signed = (term: Term, negated: boolean): Term => (negated ? { ...term, negated } : term);

/** Id of the one user with this id, name or address. */
function userNamed(value: string, { people, me }: SearchWorld): number | undefined {
  const wanted = value.trim().toLowerCase();
  if (wanted === 'me') return me;
  const id = Number(wanted);
  return people.find(({ id: own, name, email }) =>
    Number.isInteger(id) && wanted !== '' ? own === id : [name, email].some((text) => text.toLowerCase() === wanted),
  )?.id;
}

/** @returns the term; undefined while its value names nothing that is known */
function termOf({ operator, value, negated }: Typed, world: SearchWorld): Term | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  switch (operator) {
    case 'stream': {
      const stream = world.streams.find(({ name }) => name.toLowerCase() === text.toLowerCase());
      return stream && signed({ operator, operand: stream.id }, negated);
    }
    case 'sender':
    case 'dm-including': {
      const user = userNamed(text, world);
      return user === undefined ? undefined : signed({ operator, operand: user }, negated);
    }
    case 'dm': {
      const users = text.split(',').map((name) => userNamed(name, world));
      if (users.some((user) => user === undefined)) return undefined;
      const others = [...new Set(users.map(Number))].filter((id) => id !== world.me).sort((a, b) => a - b);
      return signed({ operator, operand: others.length === 0 ? [world.me] : others }, negated);
    }
    case 'topic':
      return signed({ operator, operand: text }, negated);
    case 'id':
      return /^\d+$/.test(text) ? signed({ operator, operand: text }, negated) : undefined;
    case 'near':
      return undefined;
    default: {
      const known: readonly string[] = OPERATORS[operator];
      const operand = text.toLowerCase() === 'private' ? 'dm' : text.toLowerCase();
      return known.includes(operand) ? signed({ operator, operand }, negated) : undefined;
    }
  }
}

const nearOf = ({ operator, value }: Typed): number | undefined =>
  operator === 'near' && /^\d+$/.test(value.trim()) ? Number(value) : undefined;

/**
 * Takes the terms out of a text.
 *
 * @param whole false: the last word is still being typed and stays
 * @returns the terms, and the text that is left: words to search for, and terms whose values name nothing
 */
export function takeTerms(text: string, world: SearchWorld, whole: boolean): Search & { readonly rest: string } {
  const narrow: Term[] = [];
  let near: number | undefined;
  const rest: string[] = [];
  let kept = '';
  for (const { text: piece, from, done } of piecesOf(text)) {
    const typed = whole || done ? typedTerm(piece) : undefined;
    const term = typed && termOf(typed, world);
    const at = typed && nearOf(typed);
    if (term) narrow.push(term);
    else if (at !== undefined) near = at;
    else rest.push(piece);
    kept = term || at !== undefined ? '' : text.slice(from + piece.length);
  }
  return { narrow, rest: rest.join(' ') + (rest.length > 0 ? kept : ''), ...(near === undefined ? {} : { near }) };
}

/** @returns the search that a text and the terms before it mean; the words that are left are searched for */
export function searchOf(terms: Narrow, text: string, world: SearchWorld): Search {
  const { narrow, near, rest } = takeTerms(text, world, true);
  const words = rest.trim();
  const all: Term[] = [...terms, ...narrow];
  if (words !== '') all.push({ operator: 'search', operand: words });
  return { narrow: all, ...(near === undefined ? {} : { near }) };
}

const quoted = (text: string): string => (/[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text);

/** A term as the reader types it. */
export function writeTerm({ operator, operand, negated }: Term, world: SearchWorld): string {
  const minus = negated ? '-' : '';
  if (operator === 'search') return `${minus}${operand}`;
  const userName = (id: number): string => world.people.find((user) => user.id === id)?.name ?? String(id);
  let value = String(operand);
  if (operator === 'stream') value = world.streams.find(({ id }) => id === operand)?.name ?? value;
  else if (typeof operand === 'object') value = operand.map(userName).join(',');
  else if (typeof operand === 'number') value = userName(operand);
  return `${minus}${operator}:${quoted(value)}`;
}

/** Completions of a value. */
function values({ operator, value, negated }: Typed, terms: Narrow, world: SearchWorld): Suggestion[] {
  const suggest = (term: Term): Suggestion => ({ kind: 'term', term: signed(term, negated) });
  const limit = MAX_SUGGESTIONS;
  switch (operator) {
    case 'stream':
      return rank(world.streams, value, { textOf: ({ name }) => name, limit }).map(({ item }) =>
        suggest({ operator, operand: item.id }),
      );
    case 'sender':
    case 'dm-including':
      return rankPeople(value, world, limit).map((id) => suggest({ operator, operand: id }));
    case 'dm': {
      const names = value.split(',');
      const last = names.pop() ?? '';
      const before = names.map((name) => userNamed(name, world)).filter((id) => id !== undefined);
      return rankPeople(last, world, limit)
        .filter((id) => !before.includes(id))
        .map((id) => suggest({ operator, operand: [...before, id].sort((a, b) => a - b) }));
    }
    case 'topic': {
      const within = terms.find((term) => term.operator === 'stream' && !term.negated)?.operand;
      const topics = topicsIn(world, typeof within === 'number' ? within : undefined);
      const found = rank(topics, value, { textOf: (topic) => topic, limit });
      return found.map(({ item }) => suggest({ operator, operand: item }));
    }
    case 'near':
      return nearOf({ operator, value, negated }) === undefined ? [] : [{ kind: 'near', near: Number(value) }];
    case 'id':
      return /^\d+$/.test(value) ? [suggest({ operator, operand: value })] : [];
    default: {
      const known: readonly string[] = OPERATORS[operator];
      return rank(known, value, { textOf: (word) => word, limit }).map(({ item }) =>
        suggest({ operator, operand: item }),
      );
    }
  }
}

const rankPeople = (name: string, { people }: SearchWorld, limit: number): number[] =>
  rank(people, name, { textOf: (user) => user.name, limit }).map(({ item }) => item.id);

function topicsIn(world: SearchWorld, stream: number | undefined): Iterable<string> {
  const streams = stream === undefined ? world.streams.map(({ id }) => id) : [stream];
  return new Set(streams.flatMap((id) => world.topicsOf(id)));
}

/** Completions of a word that begins with no operator: operators, then streams, people and topics of that name. */
function guesses(word: string, terms: Narrow, world: SearchWorld): Suggestion[] {
  const negated = word.startsWith('-');
  const text = negated ? word.slice(1) : word;
  const beginning: Suggestion[] = Object.keys(OPERATORS)
    .filter((name) => name.startsWith(text.toLowerCase()))
    .map((operator) => ({ kind: 'operator', operator, negated }));
  if (text.length < 2) return beginning;
  const limit = MAX_OF_KIND;
  const suggest = (term: Term): Suggestion => ({ kind: 'term', term: signed(term, negated) });
  const fixed = (['is', 'has'] as const).flatMap((operator) =>
    OPERATORS[operator]
      .filter((value) => value.startsWith(text.toLowerCase()))
      .map((operand) => ({ operator, operand })),
  );
  const has = (operator: Operator): boolean => terms.some((term) => term.operator === operator && !term.negated);
  const streams = has('stream') ? [] : rank(world.streams, text, { textOf: ({ name }) => name, limit });
  const people = rankPeople(text, world, limit);
  const within = terms.find((term) => term.operator === 'stream' && !term.negated)?.operand;
  const topics =
    typeof within === 'number' && !has('topic')
      ? rank(topicsIn(world, within), text, { textOf: (topic) => topic, limit })
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

/** The last word of the text while it is being typed; a space behind it ends it. */
function typedPiece(text: string): Piece | undefined {
  const last = piecesOf(text).at(-1);
  return last && !last.done ? last : undefined;
}

/** @returns completions of the word being typed; the operators where nothing is typed */
export function suggest(terms: Narrow, text: string, world: SearchWorld): readonly Suggestion[] {
  const piece = typedPiece(text);
  if (!piece) {
    const all = text.trim() === '' ? Object.keys(OPERATORS) : [];
    return all.map((operator) => ({ kind: 'operator', operator, negated: false }));
  }
  const typed = typedTerm(piece.text);
  return (typed ? values(typed, terms, world) : guesses(piece.text, terms, world)).slice(0, MAX_SUGGESTIONS);
}

/** The text without the word being typed, which a suggestion has replaced. */
export const withoutTyped = (text: string): string => text.slice(0, typedPiece(text)?.from ?? text.length);
