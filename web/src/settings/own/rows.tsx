import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { type Key, t } from '../../text/index.js';
import { Group } from '../parts/pages.js';
import { SettingRow, type SettingValue } from '../parts/rows.js';
import type { OwnRow, OwnSetting } from './tables.js';

interface GroupsProps {
  readonly groups: readonly { readonly title: Key; readonly rows: readonly OwnRow[] }[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly save: (name: OwnSetting, value: SettingValue) => Promise<unknown>;
}

const HINTS: Partial<Record<OwnSetting, Key>> = {
  enter_sends: 'settings.own.enter_sends-hint',
  presence_enabled: 'settings.own.presence_enabled-hint',
};

/** Groups of settings from a table. */
export function OwnGroups({ groups, values, save }: GroupsProps) {
  return (
    <>
      {groups.map(({ title, rows }) => (
        <Group key={title} title={textOf(title)}>
          {rows.map(({ name, control }) => (
            <SettingRow
              key={name}
              control={control}
              label={t(`settings.own.${name}`)}
              hint={HINTS[name] && textOf(HINTS[name])}
              value={(values[name] ?? null) as SettingValue}
              save={(value) => save(name, value)}
            />
          ))}
        </Group>
      ))}
    </>
  );
}

/** The text of a key from a table; such texts have no placeholders. */
const textOf = (key: Key): string => t(key as 'settings.title');

/** Changes one of one's own settings. */
export function saveOwn(name: OwnSetting, value: SettingValue): Promise<unknown> {
  return core.api.patch('/settings', Object.assign({} as Requests['PATCH /settings'], { [name]: value }));
}
