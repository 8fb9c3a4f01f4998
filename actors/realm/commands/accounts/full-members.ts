/**
 * Who is a full member follows from the role, the account's age and the organization's waiting period. Clients are told
 * when it changes (`user_group` events): by age, at the moment at which it happens.
 */

import { value } from '#actors/shared';
import { ROLE, SYSTEM_GROUP, shownGroupsOf } from '#domain/people';
import type { LogItem, RealmSettings } from '#model';
import type { realmCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import { directoryItem, eventToAll } from '../../log-items.js';
import { usersOf } from '../../state.js';
import type { RealmCommand } from '../command.js';

/** What it depends on besides the accounts. */
interface Moment {
  readonly settings: RealmSettings;
  readonly fullMembersAt: number;
}

const DAY_MS = 86_400_000;

/**
 * When the next account reaches the age, ms; null = never, without a waiting period. Accounts that are made meanwhile take
 * at least a day, so a look per day misses none.
 */
export function nextFullMember(users: Iterable<DirectoryUser>, { settings, fullMembersAt }: Moment): number | null {
  const wait = settings.waiting_period_threshold * DAY_MS;
  if (!(wait > 0)) return null;
  let next = fullMembersAt + DAY_MS;
  for (const { joined } of users) if (joined + wait > fullMembersAt) next = Math.min(next, joined + wait);
  return next;
}

/** Events of what differs between two moments: first who is none any more. */
export function fullMemberEvents(
  users: Iterable<DirectoryUser>,
  before: Moment,
  after: Moment,
  version: number,
): LogItem[] {
  const joining: number[] = [];
  const leaving: number[] = [];
  const isFull = (user: DirectoryUser, { settings, fullMembersAt }: Moment): boolean =>
    shownGroupsOf(user, settings, fullMembersAt).includes(SYSTEM_GROUP.fullmembers);
  for (const user of users) {
    if (user.role !== ROLE.member) continue;
    const [was, is] = [isFull(user, before), isFull(user, after)];
    if (is && !was) joining.push(user.id);
    if (was && !is) leaving.push(user.id);
  }
  const tell = (op: string, ids: number[]): LogItem[] => {
    if (ids.length === 0) return [];
    const user_ids = ids.sort((a, b) => a - b);
    return [eventToAll(version, { type: 'user_group', op, group_id: SYSTEM_GROUP.fullmembers, user_ids })];
  };
  return [...tell('remove_members', leaving), ...tell('add_members', joining)];
}

/** Somebody may have reached the age. */
export const due: RealmCommand<typeof realmCommands.due> = {
  handle({ state, parts }, _args, _inputs, { now, version }) {
    const moved = { settings: state.settings, fullMembersAt: now };
    const events = fullMemberEvents(usersOf(parts), state, moved, version);
    return {
      reply: value(null),
      state: { ...state, fullMembersAt: now },
      due: nextFullMember(usersOf(parts), moved),
      events: [...events, directoryItem({ fullMembersAt: now })],
    };
  },
};
