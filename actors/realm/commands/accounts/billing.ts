/** Whether an account looks after what the organization pays; no operation of the API says so, the command line does. */

import { success } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { userOf } from '../../state.js';
import type { RealmCommand } from '../command.js';
import { LANE } from '../personal/personal.js';
import { accountChanged, personUpdate } from './account-changes.js';
import { changedAccounts } from './deactivate-user.js';

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
