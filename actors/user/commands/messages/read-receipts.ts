/** GET /messages/{message_id}/read_receipts: the users who have read a message. */

import { makeSuccessReply } from '#actors/shared';
import { findVisibleMessageReaderIds } from '#domain/messages';
import type { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommandHandler } from '../../state.js';
import { loadAccessibleMessage } from './on-message.js';

interface ReadReceiptsInputs {
  readonly isMessageAccessible: boolean;
  readonly readerIds: readonly number[];
}

export const listReadReceiptsHandler: UserCommandHandler<typeof userActorCommands.readReceipts, ReadReceiptsInputs> = {
  lane: 'read',
  read: true,
  async inputs({ message_id }, context, sources) {
    const own = await loadAccessibleMessage(message_id, context, sources);
    const { realm, caller } = context;
    const directory = await sources.loadDirectory(realm);
    if (!own || !directory.settings.enable_read_receipts)
      return { isMessageAccessible: own !== undefined, readerIds: [] };
    return {
      isMessageAccessible: true,
      readerIds: await findVisibleMessageReaderIds(own.message, caller, { ...sources, realm, directory }),
    };
  },
  handle(_view, _args, { isMessageAccessible, readerIds }, { directory }) {
    if (!isMessageAccessible) throw apiError('INVALID_MESSAGES');
    if (!directory.settings.enable_read_receipts) throw apiError('READ_RECEIPTS_DISABLED');
    return { reply: makeSuccessReply({ user_ids: readerIds }) };
  },
};
