/** POST /users (users.md). The account is prepared by the needs: hashing a password takes longer than a handler may. */

import { success } from '#actors/shared';
import type { JsonObject } from '#base';
import { isAdmin, ROLE } from '#domain/people';
import { apiError } from '#model/errors';
import { userOf } from '../../state.js';
import type { RealmCommand } from '../command.js';
import { addAccount, checkApplicant, newcomersStreams, type PreparedAccount, prepareAccount } from './new-account.js';

interface NewUserArgs extends JsonObject {
  readonly email: string;
  readonly password: string;
  readonly full_name: string;
  /** Only from the command line. */
  readonly role?: number;
  /** Base URL of the organization; absent: nobody is greeted. */
  readonly origin?: string;
}

export const createUser: RealmCommand<NewUserArgs, PreparedAccount> = {
  inputs({ email, password, full_name: fullName, role = ROLE.member }, { realm, view }, sources) {
    const streams = newcomersStreams(view, [], role);
    return prepareAccount({ email, fullName, password, streams }, realm, sources);
  },

  handle(view, args, prepared, context) {
    const { parts } = view;
    const { caller } = context;
    const system = caller === 0;
    if (!system) {
      const acting = userOf(parts, caller);
      // The peer's `can_create_users` is here a right of the role, so that it comes and goes with the role.
      if (!acting || !isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
    }
    checkApplicant(prepared, view);
    const role = (system ? args.role : undefined) ?? ROLE.member;
    const streams = newcomersStreams(view, [], role);
    const { user, ...added } = addAccount(view, { prepared, role, streams, origin: args.origin ?? null }, context);
    return { ...added, reply: success({ user_id: user.id }, context.version), replyAfterCommands: true };
  },
};
