import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { type Person, ROLE } from '../../core/index.js';
import { type MenuItem, showToast, TextField } from '../../kit/index.js';
import { LATER_ICONS, MenuButton, Tabs } from '../../kit-later/index.js';
import { compareNames, t } from '../../text/index.js';
import { PeopleList } from '../parts/people-list.js';
import { formatRoleName, listAssignableRoles } from '../parts/roles.js';
import { SavingError, type SavingState, useSavingState } from '../parts/saving.js';
import { DeactivatePersonDialog, EditPersonDialog } from './person-dialogs.js';

type AccountStatusTab = 'active' | 'deactivated';

/** Everyone with an account, by name; administrators change roles and end accounts. */
export function PeoplePage() {
  const [tab, setTab] = useState<AccountStatusTab>('active');
  const [filter, setFilter] = useState('');
  const [editing, setEditing] = useState<number>();
  const [leaving, setLeaving] = useState<number>();
  const saving = useSavingState();
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
      <TextField
        type="search"
        hidesLabel
        icon="filter"
        label={t('settings.filter-people')}
        placeholder={t('settings.filter-people')}
        value={filter}
        onInput={setFilter}
      />
      <SavingError saving={saving} />
      <p class="field-hint" role="status">
        {t('settings.people-count', { n: list.length })}
      </p>
      <PeopleList
        label={t('settings.page.people')}
        people={list}
        renderAction={(one, tabIndex) => (
          <MenuButton
            label={t('settings.actions-for', { name: one.full_name })}
            align="end"
            tabIndex={tabIndex}
            items={() => makePersonMenuItems(one, saving, setEditing, setLeaving)}
          />
        )}
      />
      {edited && <EditPersonDialog person={edited} onClose={() => setEditing(undefined)} />}
      {left && <DeactivatePersonDialog person={left} onClose={() => setLeaving(undefined)} />}
    </Tabs>
  );
}

/** Has a mail sent that lets the person set a new password. */
async function requestPasswordResetMail(user_id: number, saving: SavingState): Promise<void> {
  if (await saving.runChange(() => core.api.callOutsideApi('POST', `/web/users/${user_id}/password_reset`))) {
    showToast({ text: t('settings.password-reset-sent'), kind: 'success' });
  }
}

function makePersonMenuItems(
  { user_id, role, is_active }: Person,
  saving: SavingState,
  edit: (id: number) => void,
  leave: (id: number) => void,
): readonly MenuItem[] {
  const { me } = core.state;
  // Owners are changed by owners only.
  const mayManage = me.isAdmin && (role !== ROLE.owner || me.role === ROLE.owner);
  const showProfile = () => {
    core.sharedViewState.shownProfileUserId.value = user_id;
  };
  return [
    { label: t('settings.see-profile'), icon: 'user', run: showProfile },
    mayManage && is_active && { label: t('settings.edit-person'), icon: 'edit', run: () => edit(user_id) },
    me.isAdmin &&
      is_active && {
        label: t('settings.send-password-reset'),
        icon: 'send',
        run: () => void requestPasswordResetMail(user_id, saving),
      },
    mayManage && is_active && 'line',
    ...(mayManage && is_active
      ? listAssignableRoles().map((one) => ({
          label: formatRoleName(one),
          checked: one === role,
          run: () => void saving.runChange(() => core.api.patch('/users/{user_id}', { user_id, role: one })),
        }))
      : []),
    mayManage && 'line',
    mayManage &&
      (is_active
        ? { label: t('settings.deactivate-account'), icon: LATER_ICONS.trash, danger: true, run: () => leave(user_id) }
        : {
            label: t('settings.reactivate'),
            icon: LATER_ICONS.refresh,
            run: () => void saving.runChange(() => core.api.post('/users/{user_id}/reactivate', { user_id })),
          }),
  ];
}
