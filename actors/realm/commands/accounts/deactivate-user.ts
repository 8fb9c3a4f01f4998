/**
 * Deactivates accounts (users.md): by an administrator, by the user, from the command line; bots also with their owner.
 */

import { makeSuccessReply } from '#actors/shared';
import { isOwner } from '#domain/people';
import type { RealmId } from '#model';
import { type OutboxCommand, type realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { getManagedBotOrThrow } from '../../bots.js';
import { makeEveryoneEventLogItem } from '../../log-items.js';
import { type ActorParts, findUserRecord, listUserRecords } from '../../state.js';
import {
  checkMayChangeOwners,
  getActingAdminOrSystemOrThrow,
  getActingUserOrThrow,
  isLastActiveOwner,
} from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import { makeMailToAccount } from '../mails.js';
import { makePresenceSwitchCommand } from '../preferences/presence-switch.js';
import {
  makeAccountChangeCommit,
  makeOutcomeOfPartialCommit,
  makeSystemCommandToUserActor,
} from './account-changes.js';
import { mergePartialCommits, type PartialCommit } from './effect.js';

/** The bots of a user that are active, followed by the user: the accounts that are deactivated together. */
function listActiveBotsAndOwner(parts: ActorParts, user: DirectoryUser): DirectoryUser[] {
  const bots = [...listUserRecords(parts)].filter(
    (one) => one.isActive && one.botType !== null && one.botOwner === user.id,
  );
  return [...bots.sort((a, b) => a.id - b.id), user];
}

/**
 * Commit effect of deactivating these accounts, in order; inactive ones are skipped. The user actors then leave the
 * streams, and the presences of the users are dropped. The command must run in the lane `directory`, in which users
 * join and leave.
 */
function makeAccountsDeactivationCommit(
  accounts: readonly DirectoryUser[],
  view: RealmActorView,
  context: CommandContext,
): PartialCommit {
  const active = accounts.filter((user) => user.isActive);
  return mergePartialCommits(
    active.map((before) => {
      const person = { user_id: before.id, full_name: before.fullName };
      // The deactivated user gets this event, too: it ends the user's event queues.
      const removed = makeEveryoneEventLogItem(context.version, { type: 'realm_user', op: 'remove', person });
      const toUser = makeSystemCommandToUserActor(
        context.realm,
        before,
        userActorCommands.deactivated,
        context.version,
      );
      const commands = [
        toUser,
        ...(before.botType === null ? [makePresenceSwitchCommand(before, false, context)] : []),
      ];
      const change = { before, after: { ...before, isActive: false } };
      return makeAccountChangeCommit(change, { events: [removed], commands }, view, context);
    }),
  );
}

/** The mail to a deactivated user. @param comment text of the administrator for the user; may be empty */
const makeDeactivationMailCommand = (
  realm: RealmId,
  user: DirectoryUser,
  comment: string,
  view: RealmActorView,
): OutboxCommand =>
  makeMailToAccount(realm, user, view, (texts, account) =>
    texts.accountDeactivated(account, { comment: comment.trim() }),
  );

const EXCLUSIVE_DIRECTORY_LANE_OPTIONS = { lane: 'directory', exclusive: true } as const;

/** DELETE /users/{user_id}: deactivates an account, by an administrator. */
export const deactivateUserHandler: RealmCommandHandler<typeof realmActorCommands.deactivateUser> = {
  ...EXCLUSIVE_DIRECTORY_LANE_OPTIONS,
  handle(view, { user_id, comment }, _inputs, context) {
    const { parts } = view;
    const user = findUserRecord(parts, user_id);
    if (!user || user.botType !== null) throw apiError('NO_SUCH_USER');
    if (!user.isActive) throw apiError('USER_IS_DEACTIVATED');
    const acting = getActingAdminOrSystemOrThrow(parts, context.caller);
    if (isOwner(user)) checkMayChangeOwners(acting);
    if (isLastActiveOwner(parts, user)) throw apiError('ONLY_OWNER_DEACTIVATION');
    const mails = comment === null ? [] : [makeDeactivationMailCommand(context.realm, user, comment, view)];
    const effect = mergePartialCommits([
      makeAccountsDeactivationCommit(listActiveBotsAndOwner(parts, user), view, context),
      { commands: mails },
    ]);
    return makeOutcomeOfPartialCommit(effect, context.version);
  },
};

/** DELETE /users/me: deactivates one's own account. */
export const deactivateOwnAccountHandler: RealmCommandHandler<typeof realmActorCommands.deactivateSelf> = {
  ...EXCLUSIVE_DIRECTORY_LANE_OPTIONS,
  handle(view, _args, _inputs, context) {
    const { parts } = view;
    const user = getActingUserOrThrow(parts, context.caller);
    const others = [...listUserRecords(parts)].some((one) => one.isActive && one.id !== user.id);
    if (!others) throw apiError('CANNOT_DEACTIVATE_LAST_USER', { is_last_owner: false, entity: 'user' });
    if (isLastActiveOwner(parts, user)) {
      throw apiError('CANNOT_DEACTIVATE_LAST_USER', { is_last_owner: true, entity: 'organization owner' });
    }
    return makeOutcomeOfPartialCommit(
      makeAccountsDeactivationCommit(listActiveBotsAndOwner(parts, user), view, context),
      context.version,
    );
  },
};

/** DELETE /bots/{bot_id} (users.md): deactivates a bot, unless it is deactivated already. */
export const deactivateBotHandler: RealmCommandHandler<typeof realmActorCommands.deactivateBot> = {
  lane: 'directory',
  exclusive: true,
  handle(view, { bot_id }, _inputs, context) {
    const { user } = getManagedBotOrThrow(view.parts, bot_id, getActingUserOrThrow(view.parts, context.caller));
    if (!user.isActive) return { reply: makeSuccessReply() };
    return makeOutcomeOfPartialCommit(makeAccountsDeactivationCommit([user], view, context), context.version);
  },
};
