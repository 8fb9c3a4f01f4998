/** PATCH /realm (realm.md § Settings). Everything is checked before anything changes. */

import { success } from '#actors/shared';
import type { JsonObject } from '#base';
import { DICT_SETTINGS, echoed, isAdmin, isOwner, OWNER_SETTINGS, STREAM_SETTINGS } from '#domain/people';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser, RealmSettings } from '#model/records';
import { type Parts, streamOf, usersOf } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import { fullMembersChanged, nextFullMember } from '../accounts/full-members.js';
import type { RealmCommand } from '../command.js';
import { actingUser, LANE, tellEverybody } from '../personal/personal.js';

export interface RealmSettingsArgs extends JsonObject {
  /** Only those that the request has; checked and converted by the frontend. */
  readonly values: RealmSettings;
}

export const changeRealm: RealmCommand<typeof realmCommands.changeRealm> = {
  lane: LANE,
  handle({ state, parts }, { values }, _inputs, { caller, now, version }) {
    const acting = actingUser(parts, caller);
    checkRights(acting, values);
    checkStreams(values, parts);
    const changed = Object.entries(values).filter(([name, value]) => state.settings[name] !== value);
    const reply: Record<string, RealmSettings[string]> = {};
    for (const [name, value] of changed) reply[name] = echoed(name, value);
    // Echoed and told whether it changes or not.
    const kind = values.org_type === undefined ? [] : [['org_type', values.org_type] as const];
    if (kind[0]) reply.org_type = kind[0][1];
    const told = [...changed.filter(([name]) => name !== 'org_type'), ...kind];
    if (told.length === 0) return { reply: success(reply) };
    const settings = { ...state.settings, ...Object.fromEntries(changed) };
    const waiting = changed.some(([name]) => name === 'waiting_period_threshold');
    const moved = { settings, fullMembersAt: waiting ? now : state.fullMembersAt };
    return {
      reply: success(reply, version),
      state: { ...state, ...moved },
      ...(waiting ? { due: nextFullMember(usersOf(parts), moved) } : {}),
      events: [
        tellReplicas({ settings: Object.fromEntries(changed), ...(waiting ? { fullMembersAt: now } : {}) }),
        ...told.flatMap(([name, value]) => [
          tellEverybody(version, changeEvent(name, value)),
          ...(name === 'waiting_period_threshold' ? fullMembersChanged(usersOf(parts), state, moved, version) : []),
        ]),
      ],
    };
  },
};

function checkRights(acting: DirectoryUser, values: RealmSettings): void {
  if (!isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
  if (!isOwner(acting) && Object.keys(values).some((name) => OWNER_SETTINGS.has(name)))
    throw apiError('OWNER_REQUIRED');
}

/** Administrators may name private streams too. */
function checkStreams(values: RealmSettings, parts: Parts): void {
  for (const name of STREAM_SETTINGS) {
    const id = values[name];
    if (typeof id !== 'number' || id < 0) continue;
    const stream = streamOf(parts, id);
    if (!stream || stream.archived) throw apiError('INVALID_STREAM_ID');
  }
}

const changeEvent = (property: string, value: RealmSettings[string]): JsonObject =>
  DICT_SETTINGS.has(property)
    ? { type: 'realm', op: 'update_dict', property: 'default', data: { [property]: value } }
    : { type: 'realm', op: 'update', property, value };
