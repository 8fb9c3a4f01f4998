/**
 * The operator `with` of a narrow: a message id that stands for the conversation in which the message is now, so that a
 * link to a topic holds after moves (narrow.md § Operators of later levels).
 */
import type { StoredMessage } from '../stored/message.js';
import { currentStreamIdOfMessage } from '../stored/packed-view.js';
import { makeBadNarrowError, type UnresolvedNarrowTerm } from './terms.js';

const OPERATORS_OF_CONVERSATIONS = new Set(['stream', 'topic', 'dm', 'pm-with', 'pm_with']);

const isWithTerm = ({ operator }: UnresolvedNarrowTerm): boolean => operator === 'with';

function parseMessageIdOfWithTerm({ operand, negated }: UnresolvedNarrowTerm): number {
  const id = typeof operand === 'string' && /^\d+$/.test(operand) ? Number(operand) : operand;
  if (negated || typeof id !== 'number' || id < 0) throw makeBadNarrowError("Invalid 'with' operator");
  return id;
}

/** True if the terms name one conversation: a stream with a topic, or the participants of direct messages. */
function areTermsNamingConversation(terms: readonly UnresolvedNarrowTerm[]): boolean {
  const positive = new Set(terms.filter(({ negated }) => !negated).map(({ operator }) => operator));
  return (
    (positive.has('stream') && positive.has('topic')) || ['dm', 'pm-with', 'pm_with'].some((name) => positive.has(name))
  );
}

function makeTermsOfConversation(message: StoredMessage): UnresolvedNarrowTerm[] {
  const { participants, body } = message;
  const stream = currentStreamIdOfMessage(message);
  return stream === 0
    ? [{ operator: 'dm', operand: participants, negated: false }]
    : [
        { operator: 'stream', operand: stream, negated: false },
        { operator: 'topic', operand: body.topic, negated: false },
      ];
}

/**
 * Replaces a term `with` of the current dialect. A message that the caller may not read is like an unknown one: the
 * other terms decide, if they name a conversation.
 *
 * @param findAccessible the message if the caller may read it
 * @throws ApiError BAD_NARROW
 */
export async function replaceWithTerm(
  terms: readonly UnresolvedNarrowTerm[],
  findAccessible: (id: number) => Promise<StoredMessage | undefined>,
): Promise<readonly UnresolvedNarrowTerm[]> {
  const [term, second] = terms.filter(isWithTerm);
  if (!term) return terms;
  if (second) throw makeBadNarrowError("Duplicate 'with' operators");
  const id = parseMessageIdOfWithTerm(term);
  const others = terms.filter((of) => !isWithTerm(of));
  const message = Number.isSafeInteger(id) ? await findAccessible(id) : undefined;
  if (message)
    return [
      ...makeTermsOfConversation(message),
      ...others.filter(({ operator }) => !OPERATORS_OF_CONVERSATIONS.has(operator)),
    ];
  if (!areTermsNamingConversation(others)) throw makeBadNarrowError("Invalid 'with' operator");
  return others;
}
