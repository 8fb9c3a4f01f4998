/** Rate limits of one account's own; no operation of the API sets them, the command line does. No client sees them. */

import { success } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { userOf } from '../../state.js';
import type { RealmCommand } from '../command.js';
import { LANE } from '../personal/personal.js';
import { accountChanged } from './account-changes.js';
import { changedAccounts } from './deactivate-user.js';

/** rules: as src/frontend/limits/rules.ts reads them; null: those of all accounts. */
export const setRateLimits: RealmCommand<typeof realmCommands.setRateLimits> = {
  lane: LANE,
  handle(view, { user_id, rules }, _inputs, context) {
    const before = userOf(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    if ((before.rateLimits ?? null) === rules) return { reply: success() };
    const { rateLimits: _, ...others } = before;
    const after = rules === null ? others : { ...others, rateLimits: rules };
    return changedAccounts(accountChanged({ before, after }, {}, view, context), context.version);
  },
};
