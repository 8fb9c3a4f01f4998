/**
 * Narrows, parsed and resolved to terms (narrow.md § Input format, § Operators). The functions have no side effects.
 */

import { toComparableTopicKey } from '#domain/streams';
import { type StreamId, toStreamId, toUserId, type UserId } from '#model';
import { apiError, checkParameterItemCount, checkParameterTextLength } from '#model/errors';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import { MAX_STEMS_AND_PHRASES_PER_SEARCH, type ParsedSearchQuery, parseSearchQuery } from '../search/query.js';

/** Maximum number of terms of one narrow. Clients send a handful; each costs a look-up and a test per message. */
export const MAX_NARROW_TERMS = 100;
/** Maximum length of a narrow's JSON text, UTF-16 units: as much as fits into a URL. */
export const MAX_NARROW_JSON_CHARACTERS = 131_072;

/** A term of a narrow as the client sent it; only its form is checked. */
export interface UnresolvedNarrowTerm {
  readonly operator: string;
  readonly operand: string | number | readonly number[];
  readonly negated: boolean;
}

/**
 * Operators and operands that a request may use. 'classic': those of feature level 184. 'current': also those of later
 * levels, `channel`, `channels`, `with`, `is:followed`, `has:reaction`, and integers as operands of `id`.
 */
export type NarrowDialect = 'classic' | 'current';

/** Operators of the current dialect under the names that they have in the classic dialect. */
const CLASSIC_OPERATOR_BY_CURRENT_NAME: ReadonlyMap<string, string> = new Map([
  ['channel', 'stream'],
  ['channels', 'streams'],
]);

const OPERATORS_TAKING_ID_OR_NAME = new Set(['sender', 'stream', 'dm-including', 'group-pm-with']);
/** Operators that take a message id, in the current dialect also as an integer. */
const OPERATORS_TAKING_MESSAGE_ID = new Set(['id', 'with']);
const OPERATORS_TAKING_USER_LIST = new Set(['dm', 'pm-with']);

function requireOperandForm(
  operator: string,
  operand: unknown,
  dialect: NarrowDialect,
): UnresolvedNarrowTerm['operand'] {
  const refuse = (message: string) => apiError('VALIDATION_FAILED', { message });
  if (
    OPERATORS_TAKING_ID_OR_NAME.has(operator) ||
    (dialect === 'current' && OPERATORS_TAKING_MESSAGE_ID.has(operator))
  ) {
    if (typeof operand === 'string' || Number.isSafeInteger(operand)) return operand as string | number;
    throw refuse('elem["operand"] is not a string or integer');
  }
  if (OPERATORS_TAKING_USER_LIST.has(operator)) {
    if (typeof operand === 'string') return operand;
    if (!Array.isArray(operand)) throw refuse('elem["operand"] is not a string or an integer list');
    operand.forEach((id, i) => {
      if (!Number.isSafeInteger(id)) throw refuse(`elem["operand"][${i}] is not an integer`);
    });
    return operand as number[];
  }
  if (typeof operand !== 'string') throw refuse('elem["operand"] is not a string');
  if (operator === 'search' && operand.trim() === '') throw refuse('elem["operand"] cannot be blank.');
  return operand;
}

/** Parses the parameter `narrow`. @param text as sent @throws ApiError one for each defect in the table of narrow.md */
export function parseDistinctNarrowTerms(text: string, dialect: NarrowDialect = 'classic'): UnresolvedNarrowTerm[] {
  checkParameterTextLength('narrow', text.length, MAX_NARROW_JSON_CHARACTERS);
  const bad = () => apiError('REQUEST_VARIABLE_INVALID', { var_name: 'narrow', bad_value: text });
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw bad();
  }
  if (!Array.isArray(list)) throw bad();
  const toClassicOperator = (operator: string): string =>
    dialect === 'current' ? (CLASSIC_OPERATOR_BY_CURRENT_NAME.get(operator) ?? operator) : operator;
  const terms = list.map((element: unknown): UnresolvedNarrowTerm => {
    if (Array.isArray(element)) {
      const [operator, operand] = element as unknown[];
      if (element.length !== 2 || typeof operator !== 'string' || typeof operand !== 'string') throw bad();
      return { operator: toClassicOperator(operator), operand, negated: false };
    }
    if (typeof element !== 'object' || element === null) throw bad();
    const { operator: given, operand, negated } = element as Record<string, unknown>;
    if (given === undefined) throw apiError('VALIDATION_FAILED', { message: 'operator key is missing from elem' });
    if (operand === undefined) throw apiError('VALIDATION_FAILED', { message: 'operand key is missing from elem' });
    if (negated !== undefined && typeof negated !== 'boolean') {
      throw apiError('VALIDATION_FAILED', { message: 'elem["negated"] is not a boolean' });
    }
    if (typeof given !== 'string') {
      throw apiError('VALIDATION_FAILED', { message: 'elem["operator"] is not a string' });
    }
    const operator = toClassicOperator(given);
    return { operator, operand: requireOperandForm(operator, operand, dialect), negated: negated ?? false };
  });
  // A repeated term changes nothing.
  const different = [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
  checkParameterItemCount('narrow', different.length, MAX_NARROW_TERMS);
  return different;
}

/** A term of a narrow with its operand resolved in the directory. */
export type ResolvedNarrowTerm = { readonly negated: boolean } & (
  | { readonly is: 'stream'; readonly stream: StreamId }
  | { readonly is: 'public-streams' }
  | { readonly is: 'web-public-streams' }
  | { readonly is: 'topic'; readonly topic: string }
  | { readonly is: 'sender'; readonly user: UserId }
  /** Only the conversation of exactly these participants, the caller among them. */
  | { readonly is: 'conversation'; readonly participants: readonly UserId[] }
  | { readonly is: 'direct-with'; readonly user: UserId; readonly groupsOnly: boolean }
  | { readonly is: 'direct' }
  | { readonly is: 'resolved' | 'starred' | 'unread' | 'mentioned' | 'alerted' }
  /** Only messages in topics that the caller follows. */
  | { readonly is: 'followed' }
  | { readonly is: 'has'; readonly what: 'link' | 'image' | 'attachment' | 'reaction' }
  /** Only messages that are not in a muted stream or topic. */
  | { readonly is: 'home' }
  | { readonly is: 'search'; readonly search: ParsedSearchQuery }
  | { readonly is: 'id'; readonly id: number }
  | { readonly is: 'anything' }
);

const OPERATOR_BY_ALIAS: Readonly<Record<string, string>> = {
  'pm-with': 'dm',
  pm_with: 'dm',
  group_pm_with: 'group-pm-with',
};

export const makeBadNarrowError = (desc: string) => apiError('BAD_NARROW', { desc });

function requireNarrowUser(directory: DirectoryView, operand: string | number, shown: unknown): DirectoryUser {
  const user =
    typeof operand === 'number' ? directory.user(toUserId(operand)) : directory.userByApiEmail(operand.trim());
  if (!user) throw makeBadNarrowError(`unknown user ${String(shown)}`);
  return user;
}

function requireNarrowStream(directory: DirectoryView, operand: string | number): DirectoryStream {
  const stream =
    typeof operand === 'number' ? directory.stream(toStreamId(operand)) : directory.streamByName(operand.trim());
  if (!stream) throw makeBadNarrowError(`unknown stream ${operand}`);
  return stream;
}

function resolveParticipantsWithCaller(
  directory: DirectoryView,
  operand: string | readonly number[],
  caller: number,
): UserId[] {
  const shown = typeof operand === 'string' ? operand : `[${operand.join(', ')}]`;
  const named = typeof operand === 'string' ? operand.split(',').filter((part) => part.trim() !== '') : operand;
  const ids = named.map((one): UserId => {
    const user = typeof one === 'number' ? directory.user(toUserId(one)) : directory.userByApiEmail(one.trim());
    if (!user) throw makeBadNarrowError(`unknown user in ${shown}`);
    return user.id;
  });
  return [...new Set([...ids, toUserId(caller)])].sort((a, b) => a - b);
}

const TERM_KIND_BY_IS_OPERAND: Readonly<Record<string, Extract<ResolvedNarrowTerm, { is: string }>['is'] | undefined>> =
  Object.assign(Object.create(null), {
    dm: 'direct',
    private: 'direct',
    resolved: 'resolved',
    starred: 'starred',
    unread: 'unread',
    mentioned: 'mentioned',
    alerted: 'alerted',
  });

function resolveNarrowTerm(
  term: UnresolvedNarrowTerm,
  directory: DirectoryView,
  caller: number,
  dialect: NarrowDialect,
): ResolvedNarrowTerm {
  const { operator: given, operand, negated } = term;
  const operator = OPERATOR_BY_ALIAS[given] ?? given;
  switch (operator) {
    case 'stream':
      return { is: 'stream', stream: requireNarrowStream(directory, operand as string | number).id, negated };
    case 'streams':
      if (operand === 'public') return { is: 'public-streams', negated };
      if (operand === 'web-public') return { is: 'web-public-streams', negated };
      throw makeBadNarrowError(`unknown streams operand ${String(operand)}`);
    case 'topic':
      return { is: 'topic', topic: toComparableTopicKey(String(operand)), negated };
    case 'sender':
      return { is: 'sender', user: requireNarrowUser(directory, operand as string | number, operand).id, negated };
    case 'dm':
      return {
        is: 'conversation',
        participants: resolveParticipantsWithCaller(directory, operand as string, caller),
        negated,
      };
    case 'dm-including':
    case 'group-pm-with': {
      const user = requireNarrowUser(directory, operand as string | number, operand).id;
      return { is: 'direct-with', user, groupsOnly: operator === 'group-pm-with', negated };
    }
    case 'is': {
      if (operand === 'followed' && dialect === 'current') return { is: 'followed', negated };
      const is = TERM_KIND_BY_IS_OPERAND[operand as string];
      if (!is) throw makeBadNarrowError(`unknown 'is' operand ${String(operand)}`);
      return { is, negated } as ResolvedNarrowTerm;
    }
    case 'has':
      if (operand === 'link' || operand === 'image' || operand === 'attachment') {
        return { is: 'has', what: operand, negated };
      }
      if (operand === 'reaction' && dialect === 'current') return { is: 'has', what: operand, negated };
      throw makeBadNarrowError(`unknown 'has' operand ${String(operand)}`);
    case 'in':
      // The API ignores a negation of `in`.
      if (operand === 'all') return { is: 'anything', negated: false };
      if (operand === 'home') return { is: 'home', negated: false };
      throw makeBadNarrowError(`unknown 'in' operand ${String(operand)}`);
    case 'near':
      return { is: 'anything', negated: false };
    case 'id': {
      if (!/^\d+$/.test(String(operand))) throw makeBadNarrowError('Invalid message ID');
      const id = Number(operand);
      return { is: 'id', id: Number.isSafeInteger(id) ? id : -1, negated };
    }
    case 'search':
      return { is: 'search', search: parseSearchQuery(String(operand)), negated };
    default:
      throw makeBadNarrowError(`unknown operator ${given}`);
  }
}

/**
 * Looks operands up in the directory. GET /messages joins all searches to one that is not negated; `searchApart` keeps
 * each search and its negation.
 * @throws ApiError BAD_NARROW
 */
export function resolveNarrowTerms(
  raw: readonly UnresolvedNarrowTerm[],
  directory: DirectoryView,
  caller: number,
  { searchApart = false, dialect = 'classic' }: { searchApart?: boolean; dialect?: NarrowDialect } = {},
): ResolvedNarrowTerm[] {
  const apart = (term: UnresolvedNarrowTerm): boolean => searchApart || term.operator !== 'search';
  const terms = raw.filter(apart).map((term) => resolveNarrowTerm(term, directory, caller, dialect));
  const searches = raw.filter((term) => !apart(term)).map(({ operand }) => String(operand));
  if (searches.length > 0) terms.push({ is: 'search', search: parseSearchQuery(searches.join(' ')), negated: false });
  const count = searchQueriesOfNarrowTerms(terms).reduce(
    (sum, { stems, phrases }) => sum + stems.length + phrases.length,
    0,
  );
  if (count > MAX_STEMS_AND_PHRASES_PER_SEARCH)
    throw makeBadNarrowError(`too many search terms (maximum ${MAX_STEMS_AND_PHRASES_PER_SEARCH})`);
  return terms;
}

/** All searches among the terms, negated ones too. */
export const searchQueriesOfNarrowTerms = (terms: readonly ResolvedNarrowTerm[]): ParsedSearchQuery[] =>
  terms.flatMap((term) => (term.is === 'search' ? [term.search] : []));

/** Operators of narrows that callers without an account may use. */
const ANONYMOUSLY_USABLE_OPERATORS = new Set(['streams', 'stream', 'topic', 'sender', 'has', 'search', 'near', 'id']);

/**
 * Checks the narrow of a query without credentials: web-public streams only, and nothing personal.
 * @throws ApiError NOT_LOGGED_IN, or BAD_NARROW for a stream that isn't web-public
 */
export function requireAnonymousNarrow(raw: readonly UnresolvedNarrowTerm[], directory: DirectoryView): void {
  const asked = raw.some(
    ({ operator, operand, negated }) => operator === 'streams' && operand === 'web-public' && !negated,
  );
  if (!asked || !raw.every(({ operator }) => ANONYMOUSLY_USABLE_OPERATORS.has(operator)))
    throw apiError('NOT_LOGGED_IN');
  for (const { operator, operand } of raw) {
    if (operator !== 'stream') continue;
    const stream =
      typeof operand === 'number'
        ? directory.stream(toStreamId(operand))
        : directory.streamByName(String(operand).trim());
    if (!stream?.webPublic || stream.archived) throw makeBadNarrowError(`unknown web-public stream ${String(operand)}`);
  }
}
