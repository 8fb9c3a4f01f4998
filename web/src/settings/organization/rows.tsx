import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { ROLE } from '../../core/index.js';
import { type TextKey, t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SettingRow, type SettingValue } from '../parts/rows.js';
import type { RealmSettingName, RealmSettingRow } from './tables.js';

interface RealmSettingGroupsProps {
  readonly groups: readonly { readonly title: TextKey; readonly rows: readonly RealmSettingRow[] }[];
}

const HINT_KEY_BY_REALM_SETTING: Partial<Record<RealmSettingName, TextKey>> = {
  waiting_period_threshold: 'settings.realm.waiting_period_threshold-hint',
  default_code_block_language: 'settings.realm.default_code_block_language-hint',
};

const translateKey = (key: TextKey): string => t(key as 'settings.title');

/** Groups of the organization's settings; those for owners only are left out for administrators. */
export function RealmSettingGroups({ groups }: RealmSettingGroupsProps) {
  const values: Readonly<Record<string, unknown>> = { ...core.state.realm.value };
  const isOwner = core.state.me.role === ROLE.owner;
  return (
    <>
      {groups.map(({ title, rows }) => {
        const offered = rows.filter(({ ownerOnly }) => isOwner || !ownerOnly);
        return (
          offered.length > 0 && (
            <SettingsGroup key={title} title={translateKey(title)}>
              {offered.map(({ name, control }) => (
                <SettingRow
                  key={name}
                  control={control}
                  label={t(`settings.realm.${name}`)}
                  hint={HINT_KEY_BY_REALM_SETTING[name] && translateKey(HINT_KEY_BY_REALM_SETTING[name])}
                  value={(values[`realm_${name}`] ?? null) as SettingValue}
                  save={(value) =>
                    core.api.patch('/realm', Object.assign({} as Requests['PATCH /realm'], { [name]: value }))
                  }
                />
              ))}
            </SettingsGroup>
          )
        );
      })}
    </>
  );
}
