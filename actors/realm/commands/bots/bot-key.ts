/** POST /bots/{bot_id}/api_key/regenerate (users.md § API keys). */

import { success } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { managedBot } from '../../bots.js';
import type { NewKey } from '../accounts/own-key.js';
import { makeKey, replaceKey } from '../accounts/own-key.js';
import type { RealmCommand } from '../command.js';
import { actingUser } from '../personal/personal.js';

export const regenerateBotKey: RealmCommand<typeof realmCommands.regenerateBotKey, NewKey> = {
  inputs: (_args, { realm }, sources) => makeKey(realm, sources),
  handle({ parts }, { bot_id }, key, { caller, realm, version }) {
    const { user } = managedBot(parts, bot_id, actingUser(parts, caller));
    return { reply: success({ sealed: key.sealed }, version), ...replaceKey(parts, user, key, realm) };
  },
};
