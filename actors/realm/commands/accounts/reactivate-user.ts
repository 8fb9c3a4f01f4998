/** POST /users/{user_id}/reactivate (users.md): the account is back, in the streams that it was in. */

import { success } from '#actors/shared';
import { addressRole, isAdmin, presentProfile, presentUser, ROLE } from '#domain/people';
import type { Audience, LogItem, RealmSettings } from '#model';
import type { realmCommands } from '#model/commands';
import { userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { Parts } from '../../state.js';
import { profileFieldsOf, profileOf, userOf } from '../../state.js';
import { checkMayCreateBot } from '../bots/create-bot.js';
import type { RealmCommand } from '../command.js';
import { accountChanged } from './account-changes.js';
import { changedAccounts, ownActor } from './deactivate-user.js';

/** Administrators may, and owners of bots where they may create such bots. @throws ApiError */
function checkMay(parts: Parts, caller: number, user: DirectoryUser, settings: RealmSettings): void {
  if (caller === 0) return;
  const acting = userOf(parts, caller);
  if (!acting || (!isAdmin(acting) && user.botOwner !== acting.id)) throw apiError('INSUFFICIENT_PERMISSION');
  if (user.botType !== null) checkMayCreateBot(acting, user.botType, settings);
}

export const reactivateUser: RealmCommand<typeof realmCommands.reactivateUser> = {
  lane: 'directory',
  exclusive: true,
  handle(view, { user_id }, _inputs, context) {
    const before = userOf(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    checkMay(view.parts, context.caller, before, view.state.settings);
    if (before.isActive) return { reply: success() };
    const { realm, version } = context;
    const after = { ...before, isActive: true };
    const own = {
      events: userShown(after, view.parts, version),
      commands: [ownActor(realm, after, userCommands.reactivated, version)],
    };
    return changedAccounts(accountChanged({ before, after }, own, view, context), version);
  },
};

/** Everybody gets to know the account; its real address those who may see it. */
export function userShown(user: DirectoryUser, parts: Parts, version: number): LogItem[] {
  const profile = presentProfile(profileOf(parts, user.id), profileFieldsOf(parts));
  const known = presentUser(user, user, { clientGravatar: false, profile: { profile: () => profile } });
  const add = (to: Audience, person: typeof known): LogItem => ({
    t: 'event',
    to,
    event: { type: 'realm_user', op: 'add', person },
  });
  const seeing = addressRole(user);
  const everybody: Audience = { role: ROLE.guest, rv: version };
  if (seeing >= ROLE.guest) return [add(everybody, known)];
  return [
    ...(seeing > 0 ? [add({ role: seeing, rv: version }, known)] : []),
    add({ ...everybody, weakerThan: seeing }, { ...known, delivery_email: null }),
  ];
}
