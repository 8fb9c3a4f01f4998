/** Effects of changed accounts on the managers of bots (events.md realm_bot). */
import { isAdmin } from '#domain/people';
import type { LogItem } from '#model';
import { botAccount, botAdded, botDeletedFor, botRemoved, botUpdated } from '../../bots.js';
import { botOf, botsOf, type Parts } from '../../state.js';
import type { AccountChange, AccountEffect } from '../accounts/effect.js';

/** Effect of a changed bot account. */
function ofBot({ before, after }: AccountChange, parts: Parts): LogItem[] {
  const bot = botOf(parts, after.id);
  if (!bot) return [];
  const account = { user: after, bot };
  if (after.isActive !== before.isActive) {
    return [after.isActive ? botAdded(parts, account) : botRemoved(parts, account)];
  }
  return after.fullName === before.fullName ? [] : [botUpdated(parts, account, { full_name: after.fullName })];
}

/** A new administrator manages all bots; a former one manages only their own. */
function ofPerson({ before, after }: AccountChange, parts: Parts): LogItem[] {
  if (!after.isActive || isAdmin(before) === isAdmin(after)) return [];
  const others = [...botsOf(parts)]
    .map((bot) => botAccount(parts, bot.user))
    .filter((account) => account !== undefined)
    .filter(({ user }) => user.botOwner !== after.id)
    .sort((a, b) => a.user.id - b.user.id);
  return others.map((account) =>
    isAdmin(after) ? botAdded(parts, account, [after.id]) : botDeletedFor(account.user.id, after.id),
  );
}

export const botEffect: AccountEffect = (change, { parts }) => ({
  events: change.after.botType === null ? ofPerson(change, parts) : ofBot(change, parts),
});
