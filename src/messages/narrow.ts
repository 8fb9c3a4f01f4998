/** Narrows: parsed once to terms (narrow.md § Input format, § Operators). */
import { apiError } from '../api/errors.js';
import { type StreamId, streamId, type UserId, userId } from '../core/index.js';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '../directory/index.js';

/** A term as it came, shape-checked. */
export interface RawTerm {
  readonly operator: string;
  readonly operand: string | number | readonly number[];
  readonly negated: boolean;
}

const ID_OR_NAME = new Set(['sender', 'stream', 'dm-including', 'group-pm-with']);
const PEOPLE = new Set(['dm', 'pm-with']);

function checkOperand(operator: string, operand: unknown): RawTerm['operand'] {
  const refuse = (message: string) => apiError('VALIDATION_FAILED', { message });
  if (ID_OR_NAME.has(operator)) {
    if (typeof operand === 'string' || Number.isSafeInteger(operand)) return operand as string | number;
    throw refuse('elem["operand"] is not a string or integer');
  }
  if (PEOPLE.has(operator)) {
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

/** @param text the parameter as sent. @throws ApiError for every defect of the table in narrow.md */
export function parseNarrow(text: string): RawTerm[] {
  const bad = () => apiError('REQUEST_VARIABLE_INVALID', { var_name: 'narrow', bad_value: text });
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw bad();
  }
  if (!Array.isArray(list)) throw bad();
  return list.map((element: unknown): RawTerm => {
    if (Array.isArray(element)) {
      const [operator, operand] = element as unknown[];
      if (element.length !== 2 || typeof operator !== 'string' || typeof operand !== 'string') throw bad();
      return { operator, operand, negated: false };
    }
    if (typeof element !== 'object' || element === null) throw bad();
    const { operator, operand, negated } = element as Record<string, unknown>;
    if (operator === undefined) throw apiError('VALIDATION_FAILED', { message: 'operator key is missing from elem' });
    if (operand === undefined) throw apiError('VALIDATION_FAILED', { message: 'operand key is missing from elem' });
    if (negated !== undefined && typeof negated !== 'boolean') {
      throw apiError('VALIDATION_FAILED', { message: 'elem["negated"] is not a boolean' });
    }
    if (typeof operator !== 'string') {
      throw apiError('VALIDATION_FAILED', { message: 'elem["operator"] is not a string' });
    }
    return { operator, operand: checkOperand(operator, operand), negated: negated ?? false };
  });
}

/** A term with its operand looked up. */
export type Term = { readonly negated: boolean } & (
  | { readonly is: 'stream'; readonly stream: StreamId }
  | { readonly is: 'public-streams' }
  | { readonly is: 'topic'; readonly topic: string }
  | { readonly is: 'sender'; readonly user: UserId }
  /** Exactly this conversation; the caller included. */
  | { readonly is: 'conversation'; readonly participants: readonly UserId[] }
  | { readonly is: 'direct-with'; readonly user: UserId; readonly groupsOnly: boolean }
  | { readonly is: 'direct' }
  | { readonly is: 'resolved' }
  | { readonly is: 'has'; readonly what: 'link' | 'image' }
  | { readonly is: 'id'; readonly id: number }
  | { readonly is: 'anything' }
);

const ALIASES: Readonly<Record<string, string>> = {
  'pm-with': 'dm',
  pm_with: 'dm',
  group_pm_with: 'group-pm-with',
};

const narrowError = (desc: string) => apiError('BAD_NARROW', { desc });

function findUser(directory: DirectoryView, operand: string | number, shown: unknown): DirectoryUser {
  const user = typeof operand === 'number' ? directory.user(userId(operand)) : directory.userByEmail(operand.trim());
  if (!user) throw narrowError(`unknown user ${String(shown)}`);
  return user;
}

function findStream(directory: DirectoryView, operand: string | number): DirectoryStream {
  const stream =
    typeof operand === 'number' ? directory.stream(streamId(operand)) : directory.streamByName(operand.trim());
  if (!stream) throw narrowError(`unknown stream ${operand}`);
  return stream;
}

function people(directory: DirectoryView, operand: string | readonly number[], caller: number): UserId[] {
  const shown = typeof operand === 'string' ? operand : `[${operand.join(', ')}]`;
  const named = typeof operand === 'string' ? operand.split(',').filter((part) => part.trim() !== '') : operand;
  const ids = named.map((one): UserId => {
    const user = typeof one === 'number' ? directory.user(userId(one)) : directory.userByEmail(one.trim());
    if (!user) throw narrowError(`unknown user in ${shown}`);
    return user.id;
  });
  return [...new Set([...ids, userId(caller)])].sort((a, b) => a - b);
}

/** Look operands up in the directory. @throws ApiError BAD_NARROW */
export function resolveTerms(raw: readonly RawTerm[], directory: DirectoryView, caller: number): Term[] {
  return raw.map(({ operator: given, operand, negated }): Term => {
    const operator = ALIASES[given] ?? given;
    switch (operator) {
      case 'stream':
        return { is: 'stream', stream: findStream(directory, operand as string | number).id, negated };
      case 'streams':
        if (operand !== 'public') throw narrowError(`unknown streams operand ${String(operand)}`);
        return { is: 'public-streams', negated };
      case 'topic':
        return { is: 'topic', topic: String(operand).toLowerCase(), negated };
      case 'sender':
        return { is: 'sender', user: findUser(directory, operand as string | number, operand).id, negated };
      case 'dm':
        return { is: 'conversation', participants: people(directory, operand as string, caller), negated };
      case 'dm-including':
      case 'group-pm-with': {
        const user = findUser(directory, operand as string | number, operand).id;
        return { is: 'direct-with', user, groupsOnly: operator === 'group-pm-with', negated };
      }
      case 'is':
        if (operand === 'dm' || operand === 'private') return { is: 'direct', negated };
        if (operand === 'resolved') return { is: 'resolved', negated };
        throw narrowError(`unknown 'is' operand ${String(operand)}`);
      case 'has':
        if (operand === 'link' || operand === 'image') return { is: 'has', what: operand, negated };
        throw narrowError(`unknown 'has' operand ${String(operand)}`);
      case 'in':
        if (operand !== 'all' && operand !== 'home') throw narrowError(`unknown 'in' operand ${String(operand)}`);
        return { is: 'anything', negated: false };
      case 'near':
        return { is: 'anything', negated: false };
      case 'id':
        if (!/^\d+$/.test(String(operand))) throw narrowError('Invalid message ID');
        return { is: 'id', id: Number(operand), negated };
      default:
        throw narrowError(`unknown operator ${given}`);
    }
  });
}
