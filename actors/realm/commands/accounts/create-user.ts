/**
 * POST /users (users.md): creates an account. The inputs prepare the account, because hashing a password takes too long
 * for a handler.
 */

import { makeSuccessReply } from '#actors/shared';
import { isAdminOrOwner, USER_ROLE } from '#domain/people';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { findUserRecord } from '../../state.js';
import type { RealmCommandHandler } from '../command.js';
import {
  addAccountToRealm,
  checkPreparedNewAccount,
  listFirstStreamsOfNewUser,
  type NewAccountInputs,
  prepareNewAccount,
} from './new-account.js';

export const createUserHandler: RealmCommandHandler<typeof realmActorCommands.createUser, NewAccountInputs> = {
  inputs({ email, password, full_name: fullName, role = USER_ROLE.member }, { realm, view }, sources) {
    const streams = listFirstStreamsOfNewUser(view, [], role);
    return prepareNewAccount({ email, fullName, password, streams }, realm, sources);
  },

  handle(view, args, prepared, context) {
    const { parts } = view;
    const { caller } = context;
    const system = caller === 0;
    if (!system) {
      const acting = findUserRecord(parts, caller);
      // The API's original server has a right `can_create_users` per account; on this server the role of an
      // administrator implies that right.
      if (!acting || !isAdminOrOwner(acting)) throw apiError('ADMIN_REQUIRED');
    }
    checkPreparedNewAccount(prepared, view);
    const role = (system ? args.role : undefined) ?? USER_ROLE.member;
    const streams = listFirstStreamsOfNewUser(view, [], role);
    const { user, ...added } = addAccountToRealm(
      view,
      { prepared, role, streams, origin: args.origin ?? null },
      context,
    );
    return { ...added, reply: makeSuccessReply({ user_id: user.id }, context.version), replyAfterCommands: true };
  },
};
