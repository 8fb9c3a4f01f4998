/**
 * The timer of a realm's actor: accounts that have become full members by age, weekly digests, invitations of
 * imported accounts, and data exports, whose actor the next owner must wake after a crash.
 */

import { makeValueReply } from '#actors/shared';
import type { realmActorCommands } from '#model/commands';
import { hasPendingDataExport } from '../data-exports.js';
import { type ActorParts, listUserRecords, type RealmActorState } from '../state.js';
import { announceFullMembers, computeNextFullMemberCheckTime } from './accounts/full-members.js';
import { nextPasswordInvitationTime, planPasswordInvitations } from './accounts/password-invitations.js';
import type { RealmCommandHandler } from './command.js';
import { nextDigestPlanningTime, planDueDigests, withoutDigestsPlannedAhead } from './organization/weekly-digest.js';

/** Time after which an actor with a pending export is woken: it is awake already, unless its host died. */
const PENDING_EXPORT_CHECK_INTERVAL_MS = 60_000;

/** Returns the time at which the timer must fire next, ms; null: the timer has nothing to do. */
export function computeNextRealmTimerTime(
  parts: ActorParts,
  state: Pick<RealmActorState, 'settings' | 'fullMembersAt' | 'weeklyDigest'>,
  now: number,
  hasPendingExport = hasPendingDataExport(parts),
): number | null {
  const times = [
    computeNextFullMemberCheckTime(listUserRecords(parts), state),
    nextDigestPlanningTime(state),
    nextPasswordInvitationTime(parts),
    hasPendingExport ? now + PENDING_EXPORT_CHECK_INTERVAL_MS : null,
  ].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

export const runDueRealmTasksHandler: RealmCommandHandler<typeof realmActorCommands.due> = {
  handle(view, _args, _inputs, context) {
    const { parts } = view;
    const state = withoutDigestsPlannedAhead(view.state, context.now);
    const checkAt = computeNextFullMemberCheckTime(listUserRecords(parts), state);
    // The last check was made by a clock that was ahead if its time is yet to come.
    const isCheckDue = checkAt !== null && (checkAt <= context.now || state.fullMembersAt > context.now);
    const announced = isCheckDue ? announceFullMembers(view, context) : undefined;
    const planned = planDueDigests({ ...view, state }, context);
    const invited = planPasswordInvitations(view, context);
    const after: RealmActorState = {
      ...state,
      ...(announced ? { fullMembersAt: announced.fullMembersAt } : {}),
      ...(planned ? { weeklyDigest: planned.weeklyDigest } : {}),
    };
    return {
      reply: makeValueReply(null),
      state: after,
      events: announced?.events ?? [],
      parts: invited?.parts ?? {},
      commands: [planned?.commands ?? [], invited?.commands ?? []],
      due: computeNextRealmTimerTime(
        invited ? new Map([...parts, ...Object.entries(invited.parts)]) : parts,
        after,
        context.now,
      ),
    };
  },
};
