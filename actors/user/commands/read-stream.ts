/** The user left the stream, or the stream ended: what is there to read counts as read. */
import { value } from '../../shared/replies.js';
import type { UserCommand } from '../command.js';

/** @param until id of the stream's newest message */
export const readStream: UserCommand<{ readonly stream: number; readonly until: number }> = {
  handle: () => ({ reply: value(null) }),
};
