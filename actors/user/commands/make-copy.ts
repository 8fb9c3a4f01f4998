import { type Copied, madeCopy } from '../../../src/messages/index.js';
import { value } from '../../shared/replies.js';
import type { UserCommand } from '../command.js';

/** The owner of a message tells the user who reacted to it without having a copy: never refuses. */
export const makeCopy: UserCommand<{ readonly id: number; readonly home: number }> = {
  handle: ({ parts }, copied: Copied) => ({ reply: value(null), parts: madeCopy(parts, copied) }),
};
