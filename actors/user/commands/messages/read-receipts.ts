/** GET /messages/{message_id}/read_receipts: the users who have read a message. */

import { makeSuccessReply } from '#actors/shared';
import { findMessageReaders } from '#domain/messages';
import type { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommandHandler } from '../../state.js';
import { loadAccessibleMessage } from './on-message.js';

interface Receipts {
  readonly accessible: boolean;
  readonly readers: readonly number[];
}

export const listReadReceiptsHandler: UserCommandHandler<typeof userActorCommands.readReceipts, Receipts> = {
  lane: 'read',
  read: true,
  async inputs({ message_id }, context, sources) {
    const own = await loadAccessibleMessage(message_id, context, sources);
    const { realm, caller } = context;
    const directory = await sources.directory(realm);
    if (!own || !directory.settings.enable_read_receipts) return { accessible: own !== undefined, readers: [] };
    return {
      accessible: true,
      readers: await findMessageReaders(own.message, caller, { ...sources, realm, directory }),
    };
  },
  handle(_view, _args, { accessible, readers }, { directory }) {
    if (!accessible) throw apiError('INVALID_MESSAGES');
    if (!directory.settings.enable_read_receipts) throw apiError('READ_RECEIPTS_DISABLED');
    return { reply: makeSuccessReply({ user_ids: readers }) };
  },
};
