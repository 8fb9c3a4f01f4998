/** Roles and policies (conventions.md § Roles). The functions have no side effects. */

import type { RealmSettings } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';

export const USER_ROLE = { owner: 100, admin: 200, moderator: 300, member: 400, guest: 600 } as const;

export const isAdminOrOwner = (user: DirectoryUser): boolean => user.role <= USER_ROLE.admin;
export const isOwner = (user: DirectoryUser): boolean => user.role === USER_ROLE.owner;
export const isGuest = (user: DirectoryUser): boolean => user.role === USER_ROLE.guest;
export const isExactlyModerator = (user: DirectoryUser): boolean => user.role === USER_ROLE.moderator;

/**
 * True if the viewer gets the bot and its key in the state and in events: its owner and human administrators. A key
 * gives all rights of its bot, so only organization owners see other people's bots with the owner role, and a bot sees
 * none, whatever its role.
 */
export const seesBot = (viewer: DirectoryUser, bot: DirectoryUser): boolean =>
  bot.botOwner === viewer.id ||
  (viewer.botType === null && isAdminOrOwner(viewer) && (isOwner(viewer) || !isOwner(bot)));

/**
 * Its owner and administrators manage a bot.
 * @throws ApiError for others
 */
export function checkMayManageBot(bot: DirectoryUser, acting: DirectoryUser): void {
  if (bot.botOwner !== acting.id && !isAdminOrOwner(acting)) throw apiError('INSUFFICIENT_PERMISSION');
  // A bot's key gives all rights of the bot, so only owners may manage a bot with the owner role.
  if (isOwner(bot) && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
}

/** The setting that decides how old the account of a full member must be. */
export type WaitingPeriodSetting = Pick<RealmSettings, 'waiting_period_threshold'>;

const DAY_MS = 86_400_000;

/** True for members whose account is old enough for the organization, and for moderators and above. */
export function isFullMemberOrAbove(user: DirectoryUser, settings: WaitingPeriodSetting, now: number): boolean {
  if (user.role <= USER_ROLE.moderator) return true;
  if (isGuest(user)) return false;
  return Math.floor((now - user.joined) / DAY_MS) >= settings.waiting_period_threshold;
}

/** Evaluates a `*_policy` setting for a user, in the order that conventions.md gives. */
export function isAllowedByPolicy(
  policy: number,
  user: DirectoryUser,
  settings: WaitingPeriodSetting,
  now: number,
): boolean {
  if (policy === 6) return false;
  if (policy === 5) return true;
  if (isOwner(user)) return true;
  if (policy === 7) return false;
  if (isAdminOrOwner(user)) return true;
  if (policy === 2) return false;
  if (isExactlyModerator(user)) return true;
  if (policy === 4 || isGuest(user)) return false;
  return policy === 1 || isFullMemberOrAbove(user, settings, now);
}

/** Evaluates `wildcard_mention_policy`, whose numbers differ from those of other policies (realm.md). */
export function isWildcardMentionAllowed(
  policy: number,
  user: DirectoryUser,
  settings: WaitingPeriodSetting,
  now: number,
): boolean {
  if (policy === 1) return true;
  if (policy === 2) return !isGuest(user);
  if (policy === 3) return isFullMemberOrAbove(user, settings, now);
  if (policy === 5) return isAdminOrOwner(user);
  return policy === 7 && user.role <= USER_ROLE.moderator;
}

/** Weakest role that may see the account's real address; 0: only the account itself may see it. */
export function weakestRoleSeeingEmailOrZero({ emailVisibility }: DirectoryUser): number {
  return { 1: USER_ROLE.guest, 2: USER_ROLE.member, 5: USER_ROLE.moderator, 3: USER_ROLE.admin }[emailVisibility] ?? 0;
}

/** True if the viewer may see the real address (users.md § User object). A viewer without account counts as a guest. */
export const maySeeRealEmail = (viewer: DirectoryUser | undefined, of: DirectoryUser): boolean =>
  viewer?.id === of.id || (viewer?.role ?? USER_ROLE.guest) <= weakestRoleSeeingEmailOrZero(of);
