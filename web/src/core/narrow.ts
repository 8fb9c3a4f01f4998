/**
 * Narrows: which messages a view shows. A narrow is a list of terms that all hold; the empty list is every message.
 * Streams and users are named by id. hash.ts turns narrows into addresses and back, match.ts tests messages.
 */

export type NarrowOperator =
  | 'stream'
  | 'streams'
  | 'topic'
  | 'dm'
  | 'dm-including'
  | 'sender'
  | 'is'
  | 'has'
  | 'in'
  | 'id'
  | 'search';

export interface NarrowTerm {
  readonly operator: NarrowOperator;
  /** Stream and sender: id (or a name that no stream has). `dm`: ids of the others, ascending. */
  readonly operand: string | number | readonly number[];
  readonly negated?: boolean;
}

export type Narrow = readonly NarrowTerm[];

export const ALL_MESSAGES_NARROW: Narrow = [];

export const makeStreamNarrow = (stream: number): Narrow => [{ operator: 'stream', operand: stream }];

export const makeTopicNarrow = (stream: number, topic: string): Narrow => [
  { operator: 'stream', operand: stream },
  { operator: 'topic', operand: topic },
];

/** @param users the others, or only the user's own id for notes to self */
export const makeDirectNarrow = (users: readonly number[]): Narrow => [
  { operator: 'dm', operand: [...users].sort((a, b) => a - b) },
];

/** The operand of the first term with this operator that is not negated. */
export const findPositiveOperand = (narrow: Narrow, operator: NarrowOperator): NarrowTerm['operand'] | undefined =>
  narrow.find((term) => term.operator === operator && !term.negated)?.operand;

/** Equal keys mean equal narrows; topics differ in case only. */
export const makeNarrowKey = (narrow: Narrow): string =>
  JSON.stringify(
    narrow.map(({ operator, operand, negated }) => [
      negated ? `-${operator}` : operator,
      operator === 'topic' ? String(operand).toLowerCase() : operand,
    ]),
  );

/** A conversation: a topic of a stream, or the users of direct messages. */
export type Conversation =
  | { readonly stream: number; readonly topic: string }
  /** Ids of the others, ascending; only the own id for notes to self. */
  | { readonly users: readonly number[] };

export type ConversationKey = string;

export const makeConversationKey = (of: Conversation): ConversationKey =>
  'users' in of ? `dm/${of.users.join()}` : `${of.stream}/${of.topic.toLowerCase()}`;

export const makeConversationNarrow = (of: Conversation): Narrow =>
  'users' in of ? makeDirectNarrow(of.users) : makeTopicNarrow(of.stream, of.topic);

/** The conversation whose messages the narrow shows; undefined for every other narrow. */
export function findExactNarrowConversation(narrow: Narrow): Conversation | undefined {
  if (narrow.some(({ negated }) => negated)) return undefined;
  const [first, second] = narrow;
  if (narrow.length === 1 && first?.operator === 'dm' && Array.isArray(first.operand)) return { users: first.operand };
  const stream = findPositiveOperand(narrow, 'stream');
  const topic = findPositiveOperand(narrow, 'topic');
  if (narrow.length !== 2 || !first || !second || typeof stream !== 'number' || typeof topic !== 'string')
    return undefined;
  return { stream, topic };
}

/** The API wants each narrow of a reader without an account to name the streams that are open to all. */
const WEB_PUBLIC_STREAMS_TERM: NarrowTerm = { operator: 'streams', operand: 'web-public' };

/** The form that the API takes. @param me id of the reader; 0: without an account */
export const makeNarrowApiParam = (narrow: Narrow, me?: number) =>
  (me === 0 ? [...narrow, WEB_PUBLIC_STREAMS_TERM] : narrow).map(({ operator, operand, negated }) => ({
    operator,
    operand: typeof operand === 'object' ? [...operand] : operand,
    ...(negated ? { negated } : {}),
  }));

/** Sorted ids of the others, or the own id for notes to self. */
export function getOtherOrOwnUserIds(users: Iterable<number>, me: number): readonly number[] {
  const others = [...new Set(users)].filter((id) => id !== me).sort((a, b) => a - b);
  return others.length === 0 ? [me] : others;
}
