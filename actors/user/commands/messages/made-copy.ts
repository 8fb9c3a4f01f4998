import { value } from '#actors/shared';
import { markedOf, markedPart } from '#domain/messages';
import type { userCommands } from '#model/commands';
import type { UserCommand } from '../../command.js';

/** Never refuses, and a repeat changes nothing. */
const copying = (mark: 'historical' | 'copied'): UserCommand<typeof userCommands.giveCopy> => ({
  handle({ parts }, { ids }) {
    const before = markedOf(parts, mark);
    const after = before.with(ids);
    return { reply: value(null), ...(after === before ? {} : { parts: markedPart(mark, after) }) };
  },
});

/** The owner of messages tells the user who reacted to them without having copies: from now on he has, read ones. */
export const makeCopy = copying('historical');

/** The user is a bot that was mentioned where it is not: the copy is one as any other. */
export const giveCopy = copying('copied');
