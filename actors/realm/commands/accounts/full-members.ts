/**
 * Full members: the group follows from role, age of the account and waiting period of the organization. Clients hear
 * of each change by `user_group` events; accounts that reach the age are announced at that moment, by a timer.
 */

import { directSystemGroupIdsShownToClients, SYSTEM_GROUP_IDS, USER_ROLE } from '#domain/people';
import type { LogItem, RealmSettings } from '#model';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import { listUserRecords } from '../../state.js';
import type { RealmActorView } from '../command.js';

/** The settings and the time by which full membership is judged. */
interface FullMembershipBasis {
  readonly settings: RealmSettings;
  readonly fullMembersAt: number;
}

const DAY_MS = 86_400_000;

/**
 * Time of the next check for new full members, ms: when the next account reaches the required age, but at most a day
 * later. Accounts made before then need at least a day, so the check misses none. null = no waiting period.
 */
export function computeNextFullMemberCheckTime(
  users: Iterable<DirectoryUser>,
  { settings, fullMembersAt }: FullMembershipBasis,
): number | null {
  const wait = settings.waiting_period_threshold * DAY_MS;
  if (!(wait > 0)) return null;
  let next = fullMembersAt + DAY_MS;
  for (const { joined } of users) if (joined + wait > fullMembersAt) next = Math.min(next, joined + wait);
  return next;
}

/**
 * Events for users whose full membership differs between two moments: first users who leave the group of full members,
 * then users who join it.
 */
export function makeFullMemberGroupEvents(
  users: Iterable<DirectoryUser>,
  before: FullMembershipBasis,
  after: FullMembershipBasis,
  version: number,
): LogItem[] {
  const joining: number[] = [];
  const leaving: number[] = [];
  const isFull = (user: DirectoryUser, { settings, fullMembersAt }: FullMembershipBasis): boolean =>
    directSystemGroupIdsShownToClients(user, settings, fullMembersAt).includes(SYSTEM_GROUP_IDS.fullmembers);
  for (const user of users) {
    if (user.role !== USER_ROLE.member) continue;
    const [was, is] = [isFull(user, before), isFull(user, after)];
    if (is && !was) joining.push(user.id);
    if (was && !is) leaving.push(user.id);
  }
  const event = (op: string, ids: number[]): LogItem[] => {
    if (ids.length === 0) return [];
    const user_ids = ids.sort((a, b) => a - b);
    return [
      makeEveryoneEventLogItem(version, { type: 'user_group', op, group_id: SYSTEM_GROUP_IDS.fullmembers, user_ids }),
    ];
  };
  return [...event('remove_members', leaving), ...event('add_members', joining)];
}

/** Publishes the accounts that have become full members by their age. @returns the events, and the time of the check */
export function announceFullMembers(
  { state, parts }: RealmActorView,
  { now, version }: CommandContext,
): { readonly fullMembersAt: number; readonly events: readonly LogItem[] } {
  const moved = { settings: state.settings, fullMembersAt: now };
  const events = makeFullMemberGroupEvents(listUserRecords(parts), state, moved, version);
  return { fullMembersAt: now, events: [...events, makeDirectoryLogItem({ fullMembersAt: now })] };
}
