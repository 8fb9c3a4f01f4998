/** Rate limits of one account's own; no operation of the API sets them, the command line does. No client sees them. */
import { apiError } from '../../../../src/api/errors.js';
import type { realmCommands } from '../../../../src/model/commands/index.js';
import { success } from '../../../shared/replies.js';
import { userOf } from '../../state.js';
import type { RealmCommand } from '../command.js';
import { LANE } from '../personal/personal.js';
import { accountChanged } from './account-changes.js';
import { changedAccounts } from './deactivate-user.js';

/** rules: as src/limits/rules.ts reads them; null: those of all accounts. */
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
