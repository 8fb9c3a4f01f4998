/**
 * Answered when everybody has been told of what is stored: whoever reads a message from the Store before its event is in
 * the log, and tells of it himself, must not be first.
 */
import type { conversationCommands } from '../../../src/model/commands/index.js';
import { value } from '../../shared/replies.js';
import type { StreamCommand } from '../command.js';

export const told: StreamCommand<typeof conversationCommands.told> = {
  lane: 'told',
  read: true,
  logged: true,
  creates: true,
  handle: () => ({ reply: value(null) }),
};
