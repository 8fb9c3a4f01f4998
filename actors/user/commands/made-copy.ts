import { markedOf, markedPart } from '../../../src/messages/index.js';
import { value } from '../../shared/replies.js';
import type { UserCommand } from '../command.js';

/**
 * The owner of messages tells the user who reacted to them without having copies: from now on he has, read ones. Never
 * refuses, and a repeat changes nothing.
 */
export const makeCopy: UserCommand<{ readonly ids: readonly number[] }> = {
  handle({ parts }, { ids }) {
    const before = markedOf(parts, 'historical');
    const after = before.with(ids);
    return { reply: value(null), ...(after === before ? {} : { parts: markedPart('historical', after) }) };
  },
};
