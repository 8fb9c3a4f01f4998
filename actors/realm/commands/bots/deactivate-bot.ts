/** DELETE /bots/{bot_id} (users.md): of a bot that is deactivated already, nothing. */

import { success } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { managedBot } from '../../bots.js';
import { changedAccounts, deactivating } from '../accounts/deactivate-user.js';
import type { RealmCommand } from '../command.js';
import { actingUser } from '../personal/personal.js';

export const deactivateBot: RealmCommand<typeof realmCommands.deactivateBot> = {
  lane: 'directory',
  exclusive: true,
  handle(view, { bot_id }, _inputs, context) {
    const { user } = managedBot(view.parts, bot_id, actingUser(view.parts, context.caller));
    if (!user.isActive) return { reply: success() };
    return changedAccounts(deactivating([user], view, context), context.version);
  },
};
