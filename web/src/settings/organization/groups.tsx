import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { UserGroup } from '../../contract/index.js';
import { Button, EmptyNotice, IconButton, TextField } from '../../kit/index.js';
import { confirmDeletion, LATER_ICONS } from '../../kit-later/index.js';
import { compareNames, t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { FormDialog } from '../parts/form-dialog.js';
import { PeoplePicker } from '../parts/people-picker.js';
import { SavingError, useSavingState } from '../parts/saving.js';

/** Whether the reader may change the group: by the policy, and as its member or from moderators up. */
function mayEditUserGroup(group: UserGroup): boolean {
  const { me } = core.state;
  return (
    me.isAllowedByPolicyNamed('user_group_edit_policy') &&
    (me.isAllowedByPolicyValue(4) || group.members.includes(me.id))
  );
}

/** User groups, which are mentioned like people. */
export function UserGroupsPage() {
  const [open, setOpen] = useState<number | 'new'>();
  const saving = useSavingState();
  const { people, me } = core.state;
  const groups = [...people.groupById.value.values()]
    .filter(({ is_system_group }) => !is_system_group)
    .sort((a, b) => compareNames(a.name, b.name));
  const edited = typeof open === 'number' ? people.groupById.value.get(open) : undefined;
  const remove = async ({ id, name }: UserGroup) => {
    const agreed = await confirmDeletion(t('settings.delete-name', { name }), t('settings.delete-group-question'));
    if (agreed) await saving.runChange(() => core.api.delete('/user_groups/{user_group_id}', { user_group_id: id }));
  };
  return (
    <>
      {me.isAllowedByPolicyNamed('user_group_edit_policy') && (
        <p>
          <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
            {t('settings.create-group')}
          </Button>
        </p>
      )}
      <SavingError saving={saving} />
      {groups.length === 0 && <EmptyNotice icon="people">{t('settings.no-groups')}</EmptyNotice>}
      <ul class="rows">
        {groups.map((group) => (
          <li key={group.id} class="row-line">
            <span class="row-text">
              @{group.name}
              <span class="field-hint">
                {[group.description, t('settings.people-count', { n: group.members.length })]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            {mayEditUserGroup(group) && (
              <>
                <IconButton
                  icon="edit"
                  label={t('settings.edit-name', { name: group.name })}
                  onClick={() => setOpen(group.id)}
                />
                <IconButton
                  icon={LATER_ICONS.trash}
                  label={t('settings.delete-name', { name: group.name })}
                  onClick={() => void remove(group)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {(open === 'new' || edited) && <UserGroupDialog group={edited} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface UserGroupDialogProps {
  /** undefined: a new one */
  readonly group: UserGroup | undefined;
  readonly onClose: () => void;
}

function UserGroupDialog({ group, onClose }: UserGroupDialogProps) {
  const form = useFormOverServerValues(
    {
      name: group?.name ?? '',
      description: group?.description ?? '',
      members: group?.members ?? [core.state.me.id],
    },
    `group ${group?.id}`,
  );
  const { name, description, members } = form.values;
  const submit = async () => {
    if (!group) return core.api.post('/user_groups/create', { name, description, members });
    const user_group_id = group.id;
    const { members: changed, ...texts } = form.changedValues;
    if (Object.keys(texts).length > 0)
      await core.api.patch('/user_groups/{user_group_id}', { user_group_id, ...texts });
    if (!changed) return;
    const added = changed.filter((id) => !group.members.includes(id));
    const removed = group.members.filter((id) => !changed.includes(id));
    if (added.length === 0 && removed.length === 0) return;
    await core.api.post('/user_groups/{user_group_id}/members', {
      user_group_id,
      ...(added.length > 0 ? { add: added } : {}),
      ...(removed.length > 0 ? { delete: removed } : {}),
    });
  };
  return (
    <FormDialog
      title={group ? t('settings.edit-name', { name: group.name }) : t('settings.create-group')}
      submitLabel={t(group ? 'common.save' : 'settings.create')}
      form={form}
      onClose={onClose}
      submit={submit}
    >
      <TextField
        label={t('settings.name')}
        value={name}
        onInput={(text) => form.set('name', text)}
        autofocus
        required
      />
      <TextField
        label={t('settings.description')}
        value={description}
        onInput={(text) => form.set('description', text)}
      />
      <PeoplePicker label={t('settings.members')} chosenIds={members} onChange={(ids) => form.set('members', ids)} />
    </FormDialog>
  );
}
