import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { ROLE } from '../../core/index.js';
import { type Key, t } from '../../text/index.js';
import { Group } from '../parts/pages.js';
import { SettingRow, type SettingValue } from '../parts/rows.js';
import type { RealmRow, RealmSetting } from './tables.js';

interface GroupsProps {
  readonly groups: readonly { readonly title: Key; readonly rows: readonly RealmRow[] }[];
}

const HINTS: Partial<Record<RealmSetting, Key>> = {
  waiting_period_threshold: 'settings.realm.waiting_period_threshold-hint',
  default_code_block_language: 'settings.realm.default_code_block_language-hint',
};

const textOf = (key: Key): string => t(key as 'settings.title');

/** Groups of the organization's settings; those for owners only are left out for administrators. */
export function RealmGroups({ groups }: GroupsProps) {
  const values: Readonly<Record<string, unknown>> = { ...core.state.realm.value };
  const isOwner = core.state.me.role === ROLE.owner;
  return (
    <>
      {groups.map(({ title, rows }) => {
        const offered = rows.filter(({ ownerOnly }) => isOwner || !ownerOnly);
        return (
          offered.length > 0 && (
            <Group key={title} title={textOf(title)}>
              {offered.map(({ name, control }) => (
                <SettingRow
                  key={name}
                  control={control}
                  label={t(`settings.realm.${name}`)}
                  hint={HINTS[name] && textOf(HINTS[name])}
                  value={(values[`realm_${name}`] ?? null) as SettingValue}
                  save={(value) =>
                    core.api.patch('/realm', Object.assign({} as Requests['PATCH /realm'], { [name]: value }))
                  }
                />
              ))}
            </Group>
          )
        );
      })}
    </>
  );
}
