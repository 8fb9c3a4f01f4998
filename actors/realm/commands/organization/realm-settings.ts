/**
 * PATCH /realm (realm.md § Settings) and PATCH /realm/user_settings_defaults (users.md § PATCH /settings): all or
 * nothing.
 */

import { makeSuccessReply } from '#actors/shared';
import { isAdminOrOwner, isOwner } from '#domain/people';
import {
  formatRealmSettingForReply,
  isOwnerOnlyRealmSetting,
  listKnownRealmSettings,
  makeRealmSettingEvent,
  REALM_SETTINGS_REPORTED_EVEN_IF_UNCHANGED,
  type RealmSettingName,
  type RealmSettings,
  STREAM_VALUED_REALM_SETTING_NAMES,
  USER_SETTING_DECLARATIONS,
  USER_SETTING_NAMES,
  type UserSettingName,
  type UserSettingValue,
} from '#model';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { fromFirstLevelOfSetting, makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  findStreamRecord,
  listUserRecords,
  NEW_USER_SETTING_DEFAULTS_PART_NAME,
  readNewUserSettingDefaultsRecord,
} from '../../state.js';
import { makeFullMemberGroupEvents } from '../accounts/full-members.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { computeNextRealmTimerTime } from '../due.js';
import { findChangedDigestSchedule } from './weekly-digest.js';

/** Settings on which the time of the actor's timer depends. */
const TIMED_REALM_SETTING_NAMES: ReadonlySet<RealmSettingName> = new Set([
  'waiting_period_threshold',
  'digest_emails_enabled',
  'digest_weekday',
]);

export const updateRealmSettingsHandler: RealmCommandHandler<typeof realmActorCommands.changeRealm> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { values, origin, hasSingleSignOn }, _inputs, { caller, now, version }) {
    const acting = getActingUserOrThrow(parts, caller);
    checkMayChangeRealmSettings(acting, values);
    checkStreamValuedSettings(values, parts);
    const given = listKnownRealmSettings(values);
    const changed = given.filter(([name, value]) => state.settings[name] !== value);
    const reported = [
      ...changed.filter(([name]) => !REALM_SETTINGS_REPORTED_EVEN_IF_UNCHANGED.includes(name)),
      ...given.filter(([name]) => REALM_SETTINGS_REPORTED_EVEN_IF_UNCHANGED.includes(name)),
    ];
    const reply: Record<string, ReturnType<typeof formatRealmSettingForReply>> = {};
    for (const [name, value] of reported) reply[name] = formatRealmSettingForReply(name, value, hasSingleSignOn);
    const settings = { ...state.settings, ...Object.fromEntries(changed) };
    const weeklyDigest = findChangedDigestSchedule(state, settings, origin, now) ?? state.weeklyDigest;
    const digest = weeklyDigest === undefined ? {} : { weeklyDigest };
    if (reported.length === 0) {
      if (weeklyDigest === state.weeklyDigest) return { reply: makeSuccessReply(reply) };
      const after = { ...state, ...digest };
      return { reply: makeSuccessReply(reply), state: after, due: computeNextRealmTimerTime(parts, after, now) };
    }
    const waiting = changed.some(([name]) => name === 'waiting_period_threshold');
    const moved = { settings, fullMembersAt: waiting ? now : state.fullMembersAt };
    const hasNewTimer =
      changed.some(([name]) => TIMED_REALM_SETTING_NAMES.has(name)) || digest.weeklyDigest !== state.weeklyDigest;
    return {
      reply: makeSuccessReply(reply, version),
      state: { ...state, ...moved, ...digest },
      ...(hasNewTimer ? { due: computeNextRealmTimerTime(parts, { ...moved, ...digest }, now) } : {}),
      events: [
        makeDirectoryLogItem({ settings: Object.fromEntries(changed), ...(waiting ? { fullMembersAt: now } : {}) }),
        ...reported.flatMap(([name, value]) => [
          makeEveryoneEventLogItem(version, makeRealmSettingEvent(name, value, hasSingleSignOn)),
          ...(name === 'waiting_period_threshold'
            ? makeFullMemberGroupEvents(listUserRecords(parts), state, moved, version)
            : []),
        ]),
      ],
    };
  },
};

function checkMayChangeRealmSettings(acting: DirectoryUser, values: Partial<RealmSettings>): void {
  if (!isAdminOrOwner(acting)) throw apiError('ADMIN_REQUIRED');
  if (isOwner(acting)) return;
  if (listKnownRealmSettings(values).some(([name]) => isOwnerOnlyRealmSetting(name))) throw apiError('OWNER_REQUIRED');
}

/** Checks settings whose value is a stream. The stream must not be archived, and may be private. @throws ApiError */
function checkStreamValuedSettings(values: Partial<RealmSettings>, parts: ActorParts): void {
  for (const name of STREAM_VALUED_REALM_SETTING_NAMES) {
    const id = values[name];
    if (typeof id !== 'number' || id < 0) continue;
    const stream = findStreamRecord(parts, id);
    if (!stream || stream.archived) throw apiError('INVALID_STREAM_ID');
  }
}

/** Changes the settings that new accounts start with. */
export const updateNewUserSettingDefaultsHandler: RealmCommandHandler<typeof realmActorCommands.changeUserDefaults> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { values }, _inputs, { caller, version }) {
    if (!isAdminOrOwner(getActingUserOrThrow(parts, caller))) throw apiError('ADMIN_REQUIRED');
    const before = readNewUserSettingDefaultsRecord(parts);
    const after: Record<string, UserSettingValue> = { ...before };
    const changed = USER_SETTING_NAMES.filter(
      (name) =>
        values[name] !== undefined && values[name] !== (before[name] ?? USER_SETTING_DECLARATIONS[name].default),
    );
    if (changed.length === 0) return { reply: makeSuccessReply() };
    for (const name of changed) {
      if (values[name] === USER_SETTING_DECLARATIONS[name].default) delete after[name];
      else after[name] = values[name]!;
    }
    const event = (property: UserSettingName) => ({
      type: 'realm_user_settings_defaults',
      op: 'update',
      property,
      value: values[property]!,
    });
    return {
      reply: makeSuccessReply(undefined, version),
      parts: { [NEW_USER_SETTING_DEFAULTS_PART_NAME]: after },
      events: [
        makeDirectoryLogItem({ userDefaults: after }),
        ...changed.map((name) => fromFirstLevelOfSetting(name, makeEveryoneEventLogItem(version, event(name)))),
      ],
    };
  },
};
