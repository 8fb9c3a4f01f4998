import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { type Person, ROLE } from '../../core/index.js';
import { Field, MenuButton, type MenuItem, Tabs, toast } from '../../kit/index.js';
import { compareNames, t } from '../../text/index.js';
import { PersonLine } from '../parts/person-line.js';
import { roleName, rolesToGive } from '../parts/roles.js';
import { Refusal, type Saving, useSaving } from '../parts/saving.js';
import { DeactivateDialog, EditPersonDialog } from './person-dialogs.js';

const MAX_SHOWN = 100;

type Tab = 'active' | 'deactivated';

/** Everyone with an account, by name; administrators change roles and end accounts. */
export function PeoplePage() {
  const [tab, setTab] = useState<Tab>('active');
  const [filter, setFilter] = useState('');
  const [editing, setEditing] = useState<number>();
  const [leaving, setLeaving] = useState<number>();
  const saving = useSaving();
  const { people } = core.state;
  const wanted = filter.trim().toLowerCase();
  const list = [...people.byId.value.values()]
    .filter(
      ({ is_bot, is_system_bot, is_active, full_name, delivery_email }) =>
        !is_bot &&
        !is_system_bot &&
        is_active === (tab === 'active') &&
        `${full_name} ${delivery_email ?? ''}`.toLowerCase().includes(wanted),
    )
    .sort((a, b) => compareNames(a.full_name, b.full_name));
  const person = (id: number | undefined) => (id === undefined ? undefined : people.byId.value.get(id));
  const edited = person(editing);
  const left = person(leaving);
  return (
    <Tabs
      label={t('settings.page.people')}
      tabs={[
        { id: 'active', label: t('settings.people-active') },
        { id: 'deactivated', label: t('settings.people-deactivated') },
      ]}
      current={tab}
      onChange={setTab}
    >
      <Field
        type="search"
        quiet
        icon="filter"
        label={t('settings.filter-people')}
        placeholder={t('settings.filter-people')}
        value={filter}
        onInput={setFilter}
      />
      <Refusal saving={saving} />
      <p class="field-hint" role="status">
        {t('settings.people-count', { n: list.length })}
      </p>
      <ul class="rows">
        {list.slice(0, MAX_SHOWN).map((one) => (
          <PersonLine key={one.user_id} person={one}>
            <MenuButton
              label={t('settings.actions-for', { name: one.full_name })}
              align="end"
              items={() => itemsFor(one, saving, setEditing, setLeaving)}
            />
          </PersonLine>
        ))}
      </ul>
      {list.length > MAX_SHOWN && <p class="field-hint">{t('common.and-more', { n: list.length - MAX_SHOWN })}</p>}
      {edited && <EditPersonDialog person={edited} onClose={() => setEditing(undefined)} />}
      {left && <DeactivateDialog person={left} onClose={() => setLeaving(undefined)} />}
    </Tabs>
  );
}

/** Has a mail sent that lets the person set a new password. */
async function sendReset(user_id: number, saving: Saving): Promise<void> {
  if (await saving.run(() => core.api.web('POST', `/web/users/${user_id}/password_reset`))) {
    toast({ text: t('settings.password-reset-sent'), kind: 'success' });
  }
}

function itemsFor(
  { user_id, role, is_active }: Person,
  saving: Saving,
  edit: (id: number) => void,
  leave: (id: number) => void,
): readonly MenuItem[] {
  const { me } = core.state;
  // Owners are changed by owners only.
  const mayManage = me.isAdmin && (role !== ROLE.owner || me.role === ROLE.owner);
  const showProfile = () => {
    core.focus.profile.value = user_id;
  };
  return [
    { label: t('settings.see-profile'), icon: 'user', run: showProfile },
    mayManage && is_active && { label: t('settings.edit-person'), icon: 'edit', run: () => edit(user_id) },
    me.isAdmin &&
      is_active && {
        label: t('settings.send-password-reset'),
        icon: 'send',
        run: () => void sendReset(user_id, saving),
      },
    mayManage && is_active && 'line',
    ...(mayManage && is_active
      ? rolesToGive().map((one) => ({
          label: roleName(one),
          checked: one === role,
          run: () => void saving.run(() => core.api.patch('/users/{user_id}', { user_id, role: one })),
        }))
      : []),
    mayManage && 'line',
    mayManage &&
      (is_active
        ? { label: t('settings.deactivate-account'), icon: 'trash', danger: true, run: () => leave(user_id) }
        : {
            label: t('settings.reactivate'),
            icon: 'refresh',
            run: () => void saving.run(() => core.api.post('/users/{user_id}/reactivate', { user_id })),
          }),
  ];
}
