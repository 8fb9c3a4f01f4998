/** Effects of changed accounts on the managers of bots (events.md realm_bot). */
import { seesBot } from '#domain/people';
import type { LogItem } from '#model';
import {
  findBotAccount,
  makeBotAddedEvent,
  makeBotDeletedForUsersEvent,
  makeBotEventsOfChangedRole,
  makeBotRemovedEvent,
  makeBotUpdatedEvent,
} from '../../bots.js';
import { type ActorParts, findBotRecord, listBotRecords } from '../../state.js';
import type { AccountChange, AccountChangeHook } from '../accounts/effect.js';

/** Events for those who see a bot whose account has changed. */
function makeManagerEventsOfChangedBot({ before, after }: AccountChange, parts: ActorParts): LogItem[] {
  const bot = findBotRecord(parts, after.id);
  if (!bot) return [];
  const account = { user: after, bot };
  if (after.role !== before.role) return makeBotEventsOfChangedRole(parts, { user: before, bot }, account);
  if (after.isActive !== before.isActive) {
    if (!after.isActive) return [makeBotRemovedEvent(parts, account)];
    // At newer API levels the event says that a known bot is active again.
    return [{ ...makeBotAddedEvent(parts, account), aux: { reactivated: true } }];
  }
  return after.fullName === before.fullName ? [] : [makeBotUpdatedEvent(parts, account, { full_name: after.fullName })];
}

/** Events for a user whose new role shows or hides bots. */
function makeBotEventsOfViewerRoleChange({ before, after }: AccountChange, parts: ActorParts): LogItem[] {
  if (!after.isActive || before.role === after.role) return [];
  const changed = [...listBotRecords(parts)]
    .map((bot) => findBotAccount(parts, bot.user))
    .filter((account) => account !== undefined)
    .filter(({ user }) => seesBot(before, user) !== seesBot(after, user))
    .sort((a, b) => a.user.id - b.user.id);
  return changed.map((account) =>
    seesBot(after, account.user)
      ? makeBotAddedEvent(parts, account, [after.id])
      : makeBotDeletedForUsersEvent(account.user.id, [after.id]),
  );
}

export const makeBotEventsOfAccountChange: AccountChangeHook = (change, { parts }) => ({
  events:
    change.after.botType === null
      ? makeBotEventsOfViewerRoleChange(change, parts)
      : makeManagerEventsOfChangedBot(change, parts),
});
