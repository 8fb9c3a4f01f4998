/** Effects of changed accounts on the managers of bots (events.md realm_bot). */
import { isAdminOrOwner } from '#domain/people';
import type { LogItem } from '#model';
import {
  findBotAccount,
  makeBotAddedEvent,
  makeBotDeletedForUserEvent,
  makeBotRemovedEvent,
  makeBotUpdatedEvent,
} from '../../bots.js';
import { type ActorParts, findBotRecord, listBotRecords } from '../../state.js';
import type { AccountChange, AccountChangeHook } from '../accounts/effect.js';

/** Events for the managers of a bot whose account has changed. */
function makeManagerEventsOfChangedBot({ before, after }: AccountChange, parts: ActorParts): LogItem[] {
  const bot = findBotRecord(parts, after.id);
  if (!bot) return [];
  const account = { user: after, bot };
  if (after.isActive !== before.isActive) {
    if (!after.isActive) return [makeBotRemovedEvent(parts, account)];
    // At newer API levels the event says that a known bot is active again.
    return [{ ...makeBotAddedEvent(parts, account), aux: { reactivated: true } }];
  }
  return after.fullName === before.fullName ? [] : [makeBotUpdatedEvent(parts, account, { full_name: after.fullName })];
}

/** Events for a user who became an administrator, and so manages all bots, or is one no longer. */
function makeBotEventsOfAdminRoleChange({ before, after }: AccountChange, parts: ActorParts): LogItem[] {
  if (!after.isActive || isAdminOrOwner(before) === isAdminOrOwner(after)) return [];
  const others = [...listBotRecords(parts)]
    .map((bot) => findBotAccount(parts, bot.user))
    .filter((account) => account !== undefined)
    .filter(({ user }) => user.botOwner !== after.id)
    .sort((a, b) => a.user.id - b.user.id);
  return others.map((account) =>
    isAdminOrOwner(after)
      ? makeBotAddedEvent(parts, account, [after.id])
      : makeBotDeletedForUserEvent(account.user.id, after.id),
  );
}

export const makeBotEventsOfAccountChange: AccountChangeHook = (change, { parts }) => ({
  events:
    change.after.botType === null
      ? makeBotEventsOfAdminRoleChange(change, parts)
      : makeManagerEventsOfChangedBot(change, parts),
});
