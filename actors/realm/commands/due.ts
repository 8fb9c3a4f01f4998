/** The timer of a realm's actor: accounts that have become full members by age, and weekly digests. */

import { makeValueReply } from '#actors/shared';
import type { realmActorCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import { listUserRecords, type RealmActorState } from '../state.js';
import { announceFullMembers, computeNextFullMemberCheckTime } from './accounts/full-members.js';
import type { RealmCommandHandler } from './command.js';
import { nextDigestPlanningTime, planDueDigests } from './organization/weekly-digest.js';

/** Returns the time at which the timer must fire next, ms; null: the timer has nothing to do. */
export function nextRealmTimerTime(
  users: Iterable<DirectoryUser>,
  state: Pick<RealmActorState, 'settings' | 'fullMembersAt' | 'weeklyDigest'>,
): number | null {
  const times = [computeNextFullMemberCheckTime(users, state), nextDigestPlanningTime(state)].filter(
    (at) => at !== null,
  );
  return times.length === 0 ? null : Math.min(...times);
}

export const runDueRealmTasksHandler: RealmCommandHandler<typeof realmActorCommands.due> = {
  handle(view, _args, _inputs, context) {
    const { state, parts } = view;
    const checkAt = computeNextFullMemberCheckTime(listUserRecords(parts), state);
    const announced = checkAt !== null && checkAt <= context.now ? announceFullMembers(view, context) : undefined;
    const planned = planDueDigests(view, context);
    const after: RealmActorState = {
      ...state,
      ...(announced ? { fullMembersAt: announced.fullMembersAt } : {}),
      ...(planned ? { weeklyDigest: planned.weeklyDigest } : {}),
    };
    return {
      reply: makeValueReply(null),
      state: after,
      events: announced?.events ?? [],
      commands: [planned?.commands ?? []],
      due: nextRealmTimerTime(listUserRecords(parts), after),
    };
  },
};
