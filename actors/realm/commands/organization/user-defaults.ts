/** PATCH /realm/user_settings_defaults (users.md § PATCH /settings): what new accounts start with. */

import { success } from '#actors/shared';
import { isAdmin } from '#domain/people';
import type { UserSettingName, UserSettingValue } from '#model';
import { USER_SETTING_NAMES, USER_SETTINGS } from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { USER_DEFAULTS_PART, userDefaultsOf } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import type { RealmCommand } from '../command.js';
import { actingUser, LANE, tellEverybody } from '../personal/personal.js';

export const changeUserDefaults: RealmCommand<typeof realmCommands.changeUserDefaults> = {
  lane: LANE,
  handle({ parts }, { values }, _inputs, { caller, version }) {
    if (!isAdmin(actingUser(parts, caller))) throw apiError('ADMIN_REQUIRED');
    const before = userDefaultsOf(parts);
    const after: Record<string, UserSettingValue> = { ...before };
    const changed = USER_SETTING_NAMES.filter(
      (name) => values[name] !== undefined && values[name] !== (before[name] ?? USER_SETTINGS[name].default),
    );
    if (changed.length === 0) return { reply: success() };
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
      reply: success(undefined, version),
      parts: { [USER_DEFAULTS_PART]: after },
      events: [tellReplicas({ userDefaults: after }), ...changed.map((name) => tellEverybody(version, event(name)))],
    };
  },
};
