import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { type TextKey, t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SettingRow, type SettingValue } from '../parts/rows.js';
import type { OwnSettingName, OwnSettingRow } from './tables.js';

interface UserSettingGroupsProps {
  readonly groups: readonly { readonly title: TextKey; readonly rows: readonly OwnSettingRow[] }[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly save: (name: OwnSettingName, value: SettingValue) => Promise<unknown>;
}

const HINT_KEY_BY_OWN_SETTING: Partial<Record<OwnSettingName, TextKey>> = {
  enter_sends: 'settings.own.enter_sends-hint',
  presence_enabled: 'settings.own.presence_enabled-hint',
};

/** Groups of settings from a table. */
export function UserSettingGroups({ groups, values, save }: UserSettingGroupsProps) {
  return (
    <>
      {groups.map(({ title, rows }) => (
        <SettingsGroup key={title} title={translateKey(title)}>
          {rows.map(({ name, control }) => (
            <SettingRow
              key={name}
              control={control}
              label={t(`settings.own.${name}`)}
              hint={HINT_KEY_BY_OWN_SETTING[name] && translateKey(HINT_KEY_BY_OWN_SETTING[name])}
              value={(values[name] ?? null) as SettingValue}
              save={(value) => save(name, value)}
            />
          ))}
        </SettingsGroup>
      ))}
    </>
  );
}

/** The text of a key from a table; such texts have no placeholders. */
const translateKey = (key: TextKey): string => t(key as 'settings.title');

/** Changes one of one's own settings. */
export function saveOwnSetting(name: OwnSettingName, value: SettingValue): Promise<unknown> {
  return core.api.patch('/settings', Object.assign({} as Requests['PATCH /settings'], { [name]: value }));
}
