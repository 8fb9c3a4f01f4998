/**
 * Planning of weekly digests. On the digest day the realm's timer plans the digests of a quarter of an hour at a time:
 * each user's actor gets a command with the time of its digest, and makes the mail then.
 */

import {
  digestTimeOfDay,
  findDigestWave,
  INACTIVITY_BEFORE_DIGEST_MS,
  nextDigestWaveTime,
} from '#domain/notifications';
import { computeUserSetting } from '#domain/people';
import { type RealmSettings, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import {
  listUserRecords,
  type RealmActorState,
  readPreferencesRecord,
  type WeeklyDigestSchedule,
} from '../../state.js';
import type { RealmActorView } from '../command.js';

/** Maximum number of users whose digests are planned by one commit; the others follow at once. */
const MAX_DIGESTS_PLANNED_AT_ONCE = 500;

/** Returns the time at which digests are to be planned next, ms; null: the organization wants none. */
export const nextDigestPlanningTime = ({
  settings,
  weeklyDigest,
}: Pick<RealmActorState, 'settings' | 'weeklyDigest'>): number | null =>
  settings.digest_emails_enabled && weeklyDigest
    ? nextDigestWaveTime(weeklyDigest.plannedUntil, settings.digest_weekday)
    : null;

/** Longest plausible time ahead for which digests are planned, ms; a later one is from a clock that was ahead. */
const MAX_PLANNED_AHEAD_MS = 86_400_000;

/** The state with digests that are planned from now on, if a clock that was ahead has planned them up to later. */
export function withoutDigestsPlannedAhead(state: RealmActorState, now: number): RealmActorState {
  const { weeklyDigest } = state;
  if (!weeklyDigest || weeklyDigest.plannedUntil <= now + MAX_PLANNED_AHEAD_MS) return state;
  return { ...state, weeklyDigest: { ...weeklyDigest, plannedUntil: now } };
}

/**
 * Returns the new schedule after a change of settings; undefined: the schedule stays as it is.
 *
 * @param origin base URL of the organization, as the request shows it; undefined: unknown
 */
export function findChangedDigestSchedule(
  before: Pick<RealmActorState, 'settings' | 'weeklyDigest'>,
  after: RealmSettings,
  origin: string | undefined,
  now: number,
): WeeklyDigestSchedule | undefined {
  const { settings, weeklyDigest: known } = before;
  const base = origin ?? known?.origin;
  if (!after.digest_emails_enabled || base === undefined) return undefined;
  const isNewDay = !known || !settings.digest_emails_enabled || settings.digest_weekday !== after.digest_weekday;
  if (!isNewDay && known.origin === base) return undefined;
  return { origin: base, plannedUntil: isNewDay ? now : known.plannedUntil };
}

interface PlannedDigests {
  readonly weeklyDigest: WeeklyDigestSchedule;
  readonly commands: readonly OutboxCommand[];
}

/** Plans the digests that are due within the next wave; undefined: there is no wave now. */
export function planDueDigests({ state, parts }: RealmActorView, context: CommandContext): PlannedDigests | undefined {
  const { now, realm } = context;
  const { weeklyDigest: schedule, settings } = state;
  const next = nextDigestPlanningTime(state);
  if (!schedule || next === null || next > now) return undefined;
  const wave = findDigestWave(schedule.plannedUntil, settings.digest_weekday, now);
  if (!wave) return undefined;
  const receivers = [...listUserRecords(parts)]
    .filter((user) => wantsDigest(user, { state, parts }))
    .map((user) => ({ user, at: wave.dayStart + digestTimeOfDay(realm, user.id) }))
    .filter(({ at }) => at >= wave.from && at < wave.until)
    .sort((a, b) => a.at - b.at);
  // Users whose digests have the same time are planned together.
  const firstLeftOut = receivers.slice(MAX_DIGESTS_PLANNED_AT_ONCE).find(({ at }) => at > receivers[0]!.at)?.at;
  const until = firstLeftOut ?? wave.until;
  return {
    weeklyDigest: { ...schedule, plannedUntil: until },
    commands: receivers
      .filter(({ at }) => at < until)
      .map(({ user, at }) =>
        makeOutboxCommand({
          to: userActorKey(realm, user.id),
          name: userActorCommands.planDigest,
          args: { at, inactiveSince: at - INACTIVITY_BEFORE_DIGEST_MS, origin: schedule.origin },
          caller: 0,
          after: state.directoryVersion,
        }),
      ),
  };
}

/** True if the user may get a digest, as far as the realm knows; the user's actor decides. */
const wantsDigest = (user: DirectoryUser, { state, parts }: Pick<RealmActorView, 'state' | 'parts'>): boolean =>
  state.phase === 'active' &&
  user.isActive &&
  user.botType === null &&
  computeUserSetting(user, readPreferencesRecord(parts, user.id).settings, 'enable_digest_emails');
