/** Fields of an account that only the command line sets; the API has no operation for them. */

import { makeSuccessReply } from '#actors/shared';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { findUserRecord } from '../../state.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { makeAccountChangeCommit, makeOutcomeOfPartialCommit } from './account-changes.js';
import { makeUserUpdatedEvent } from './person-events.js';

/** Makes an account a billing administrator, or an ordinary account again. */
export const setBillingAdminHandler: RealmCommandHandler<typeof realmActorCommands.setBilling> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle(view, { user_id, on }, _inputs, context) {
    const before = findUserRecord(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    if (before.isBillingAdmin === on) return { reply: makeSuccessReply() };
    const after = { ...before, isBillingAdmin: on };
    const own = { events: [makeUserUpdatedEvent(context.version, after.id, { is_billing_admin: on })] };
    return makeOutcomeOfPartialCommit(makeAccountChangeCommit({ before, after }, own, view, context), context.version);
  },
};

/**
 * Sets rate limits for one account; clients get no event. `rules` is the text that src/frontend/limits/rules.ts parses;
 * null: the account has the limits of all accounts.
 */
export const setAccountRateLimitsHandler: RealmCommandHandler<typeof realmActorCommands.setRateLimits> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle(view, { user_id, rules }, _inputs, context) {
    const before = findUserRecord(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    if ((before.rateLimits ?? null) === rules) return { reply: makeSuccessReply() };
    const { rateLimits: _, ...others } = before;
    const after = rules === null ? others : { ...others, rateLimits: rules };
    return makeOutcomeOfPartialCommit(makeAccountChangeCommit({ before, after }, {}, view, context), context.version);
  },
};
