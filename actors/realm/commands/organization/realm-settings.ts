/** PATCH /realm (realm.md § Settings). Everything is checked before anything changes. */

import { success } from '#actors/shared';
import type { JsonObject } from '#base';
import { isAdmin, isOwner } from '#domain/people';
import type { RealmSettings, RealmSettingValue } from '#model';
import {
  ALWAYS_REPORTED_NAMES,
  isOwnerSetting,
  realmSettingEntries,
  realmSettingEvent,
  replyValue,
  STREAM_SETTING_NAMES,
} from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { Parts } from '../../state.js';
import { streamOf, usersOf } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import { fullMembersChanged, nextFullMember } from '../accounts/full-members.js';
import type { RealmCommand } from '../command.js';
import { actingUser, LANE, tellEverybody } from '../personal/personal.js';

export interface RealmSettingsArgs extends JsonObject {
  /** Settings that the request has, checked and converted by the frontend. */
  readonly values: Partial<RealmSettings>;
}

export const changeRealm: RealmCommand<typeof realmCommands.changeRealm> = {
  lane: LANE,
  handle({ state, parts }, { values }, _inputs, { caller, now, version }) {
    const acting = actingUser(parts, caller);
    checkRights(acting, values);
    checkStreams(values, parts);
    const given = realmSettingEntries(values);
    const changed = given.filter(([name, value]) => state.settings[name] !== value);
    const reported = [
      ...changed.filter(([name]) => !ALWAYS_REPORTED_NAMES.includes(name)),
      ...given.filter(([name]) => ALWAYS_REPORTED_NAMES.includes(name)),
    ];
    const reply: Record<string, RealmSettingValue> = {};
    for (const [name, value] of reported) reply[name] = replyValue(name, value);
    if (reported.length === 0) return { reply: success(reply) };
    const settings = { ...state.settings, ...Object.fromEntries(changed) };
    const waiting = changed.some(([name]) => name === 'waiting_period_threshold');
    const moved = { settings, fullMembersAt: waiting ? now : state.fullMembersAt };
    return {
      reply: success(reply, version),
      state: { ...state, ...moved },
      ...(waiting ? { due: nextFullMember(usersOf(parts), moved) } : {}),
      events: [
        tellReplicas({ settings: Object.fromEntries(changed), ...(waiting ? { fullMembersAt: now } : {}) }),
        ...reported.flatMap(([name, value]) => [
          tellEverybody(version, realmSettingEvent(name, value)),
          ...(name === 'waiting_period_threshold' ? fullMembersChanged(usersOf(parts), state, moved, version) : []),
        ]),
      ],
    };
  },
};

function checkRights(acting: DirectoryUser, values: Partial<RealmSettings>): void {
  if (!isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
  if (isOwner(acting)) return;
  if (realmSettingEntries(values).some(([name]) => isOwnerSetting(name))) throw apiError('OWNER_REQUIRED');
}

/** Administrators may name private streams too. */
function checkStreams(values: Partial<RealmSettings>, parts: Parts): void {
  for (const name of STREAM_SETTING_NAMES) {
    const id = values[name];
    if (typeof id !== 'number' || id < 0) continue;
    const stream = streamOf(parts, id);
    if (!stream || stream.archived) throw apiError('INVALID_STREAM_ID');
  }
}
