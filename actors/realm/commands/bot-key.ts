/** POST /bots/{bot_id}/api_key/regenerate (users.md § API keys). */
import { success } from '../../shared/replies.js';
import { managedBot } from '../bots.js';
import type { RealmCommand } from './command.js';
import { makeKey, type NewKey, replaceKey } from './own-key.js';
import { actingUser } from './personal.js';

export const regenerateBotKey: RealmCommand<{ readonly bot_id: number }, NewKey> = {
  needs: (_args, { realm }, suppliers) => makeKey(realm, suppliers),
  handle({ parts }, { bot_id }, key, { caller, realm, version }) {
    const { user } = managedBot(parts, bot_id, actingUser(parts, caller));
    return { reply: success({ sealed: key.sealed }, version), ...replaceKey(parts, user, key, realm) };
  },
};
