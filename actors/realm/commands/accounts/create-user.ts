/**
 * POST /users (users.md): creates an account. The inputs prepare the account, because hashing a password takes too long
 * for a handler.
 */

import { successReply } from '#actors/shared';
import { isAdmin, ROLE } from '#domain/people';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { userRecord } from '../../state.js';
import type { RealmCommand } from '../command.js';
import {
  addAccount,
  checkApplicant,
  firstStreamsOfNewcomer,
  type PreparedAccount,
  prepareAccount,
} from './new-account.js';

export const createUserHandler: RealmCommand<typeof realmCommands.createUser, PreparedAccount> = {
  inputs({ email, password, full_name: fullName, role = ROLE.member }, { realm, view }, sources) {
    const streams = firstStreamsOfNewcomer(view, [], role);
    return prepareAccount({ email, fullName, password, streams }, realm, sources);
  },

  handle(view, args, prepared, context) {
    const { parts } = view;
    const { caller } = context;
    const system = caller === 0;
    if (!system) {
      const acting = userRecord(parts, caller);
      // The API's original server has a right `can_create_users` per account; here the role of an administrator implies
      // that right.
      if (!acting || !isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
    }
    checkApplicant(prepared, view);
    const role = (system ? args.role : undefined) ?? ROLE.member;
    const streams = firstStreamsOfNewcomer(view, [], role);
    const { user, ...added } = addAccount(view, { prepared, role, streams, origin: args.origin ?? null }, context);
    return { ...added, reply: successReply({ user_id: user.id }, context.version), replyAfterCommands: true };
  },
};
