/**
 * Answered when everybody has been told of what is stored: whoever reads a message from the Store before its event is in
 * the log, and tells of it himself, must not be first.
 */

import { value } from '#actors/shared';
import type { conversationCommands } from '#model/commands';
import type { StreamCommand } from '../command.js';

export const told: StreamCommand<typeof conversationCommands.awaitPublished> = {
  lane: 'told',
  read: true,
  logged: true,
  creates: true,
  handle: () => ({ reply: value(null) }),
};
