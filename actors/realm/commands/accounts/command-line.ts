import { success } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { userOf } from '../../state.js';
import type { RealmCommand } from '../command.js';
import { LANE } from '../command.js';
import { accountChanged, changedAccounts } from './account-changes.js';
import { personUpdate } from './person-events.js';

export const setBilling: RealmCommand<typeof realmCommands.setBilling> = {
  lane: LANE,
  handle(view, { user_id, on }, _inputs, context) {
    const before = userOf(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    if (before.isBillingAdmin === on) return { reply: success() };
    const after = { ...before, isBillingAdmin: on };
    const told = { events: [personUpdate(context.version, after.id, { is_billing_admin: on })] };
    return changedAccounts(accountChanged({ before, after }, told, view, context), context.version);
  },
};

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
