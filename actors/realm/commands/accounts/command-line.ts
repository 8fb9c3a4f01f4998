/** Fields of an account that only the command line sets; the API has no operation for them. */

import { successReply } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { userRecord } from '../../state.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import { accountChangeEffect, outcomeOfEffect } from './account-changes.js';
import { personUpdatedEvent } from './person-events.js';

/** Makes an account a billing administrator, or an ordinary account again. */
export const setBillingAdminHandler: RealmCommand<typeof realmCommands.setBilling> = {
  lane: SETTINGS_LANE,
  handle(view, { user_id, on }, _inputs, context) {
    const before = userRecord(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    if (before.isBillingAdmin === on) return { reply: successReply() };
    const after = { ...before, isBillingAdmin: on };
    const own = { events: [personUpdatedEvent(context.version, after.id, { is_billing_admin: on })] };
    return outcomeOfEffect(accountChangeEffect({ before, after }, own, view, context), context.version);
  },
};

/**
 * Sets rate limits for one account; clients get no event. `rules` is the text that src/frontend/limits/rules.ts parses;
 * null: the account has the limits of all accounts.
 */
export const setAccountRateLimitsHandler: RealmCommand<typeof realmCommands.setRateLimits> = {
  lane: SETTINGS_LANE,
  handle(view, { user_id, rules }, _inputs, context) {
    const before = userRecord(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    if ((before.rateLimits ?? null) === rules) return { reply: successReply() };
    const { rateLimits: _, ...others } = before;
    const after = rules === null ? others : { ...others, rateLimits: rules };
    return outcomeOfEffect(accountChangeEffect({ before, after }, {}, view, context), context.version);
  },
};
