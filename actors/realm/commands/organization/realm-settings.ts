/**
 * PATCH /realm (realm.md § Settings) and PATCH /realm/user_settings_defaults (users.md § PATCH /settings): all or
 * nothing.
 */

import { successReply } from '#actors/shared';
import { isAdmin, isOwner } from '#domain/people';
import {
  ALWAYS_REPORTED_NAMES,
  isOwnerSetting,
  listRealmSettings,
  type RealmSettings,
  realmSettingEvent,
  realmSettingInReply,
  STREAM_SETTING_NAMES,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
  type UserSettingValue,
} from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import { type ActorParts, streamRecord, USER_DEFAULTS_PART, userDefaultsRecord, userRecords } from '../../state.js';
import { fullMemberEvents, nextFullMemberTime } from '../accounts/full-members.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

export const updateRealmSettingsHandler: RealmCommand<typeof realmCommands.changeRealm> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { values }, _inputs, { caller, now, version }) {
    const acting = requireActingUser(parts, caller);
    checkRights(acting, values);
    checkStreams(values, parts);
    const given = listRealmSettings(values);
    const changed = given.filter(([name, value]) => state.settings[name] !== value);
    const reported = [
      ...changed.filter(([name]) => !ALWAYS_REPORTED_NAMES.includes(name)),
      ...given.filter(([name]) => ALWAYS_REPORTED_NAMES.includes(name)),
    ];
    const reply: Record<string, ReturnType<typeof realmSettingInReply>> = {};
    for (const [name, value] of reported) reply[name] = realmSettingInReply(name, value);
    if (reported.length === 0) return { reply: successReply(reply) };
    const settings = { ...state.settings, ...Object.fromEntries(changed) };
    const waiting = changed.some(([name]) => name === 'waiting_period_threshold');
    const moved = { settings, fullMembersAt: waiting ? now : state.fullMembersAt };
    return {
      reply: successReply(reply, version),
      state: { ...state, ...moved },
      ...(waiting ? { due: nextFullMemberTime(userRecords(parts), moved) } : {}),
      events: [
        directoryLogItem({ settings: Object.fromEntries(changed), ...(waiting ? { fullMembersAt: now } : {}) }),
        ...reported.flatMap(([name, value]) => [
          everyoneEventItem(version, realmSettingEvent(name, value)),
          ...(name === 'waiting_period_threshold' ? fullMemberEvents(userRecords(parts), state, moved, version) : []),
        ]),
      ],
    };
  },
};

function checkRights(acting: DirectoryUser, values: Partial<RealmSettings>): void {
  if (!isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
  if (isOwner(acting)) return;
  if (listRealmSettings(values).some(([name]) => isOwnerSetting(name))) throw apiError('OWNER_REQUIRED');
}

/** Checks settings whose value is a stream. The stream must not be archived, and may be private. @throws ApiError */
function checkStreams(values: Partial<RealmSettings>, parts: ActorParts): void {
  for (const name of STREAM_SETTING_NAMES) {
    const id = values[name];
    if (typeof id !== 'number' || id < 0) continue;
    const stream = streamRecord(parts, id);
    if (!stream || stream.archived) throw apiError('INVALID_STREAM_ID');
  }
}

/** Changes the settings that new accounts start with. */
export const updateUserDefaultsHandler: RealmCommand<typeof realmCommands.changeUserDefaults> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { values }, _inputs, { caller, version }) {
    if (!isAdmin(requireActingUser(parts, caller))) throw apiError('ADMIN_REQUIRED');
    const before = userDefaultsRecord(parts);
    const after: Record<string, UserSettingValue> = { ...before };
    const changed = USER_SETTING_NAMES.filter(
      (name) => values[name] !== undefined && values[name] !== (before[name] ?? USER_SETTINGS[name].default),
    );
    if (changed.length === 0) return { reply: successReply() };
    for (const name of changed) {
      if (values[name] === USER_SETTINGS[name].default) delete after[name];
      else after[name] = values[name]!;
    }
    const event = (property: UserSettingName) => ({
      type: 'realm_user_settings_defaults',
      op: 'update',
      property,
      value: values[property]!,
    });
    return {
      reply: successReply(undefined, version),
      parts: { [USER_DEFAULTS_PART]: after },
      events: [
        directoryLogItem({ userDefaults: after }),
        ...changed.map((name) => everyoneEventItem(version, event(name))),
      ],
    };
  },
};
