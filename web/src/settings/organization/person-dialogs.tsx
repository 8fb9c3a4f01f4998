import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { Person } from '../../core/index.js';
import { TextField } from '../../kit/index.js';
import { Select, TextArea } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { FormDialog } from '../parts/form-dialog.js';
import { isRole, listAssignableRoles, makeRoleOptions } from '../parts/roles.js';

interface PersonDialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

const MAX_DEACTIVATION_COMMENT_LENGTH = 2_000;

/** Name and role of somebody else. */
export function EditPersonDialog({ person, onClose }: PersonDialogProps) {
  const form = useFormOverServerValues({ full_name: person.full_name, role: person.role });
  return (
    <FormDialog
      title={t('settings.edit-person')}
      submitLabel={t('common.save')}
      onClose={onClose}
      submit={() => core.api.patch('/users/{user_id}', { user_id: person.user_id, ...form.changedValues })}
    >
      <TextField
        label={t('settings.name')}
        value={form.values.full_name}
        onInput={(name) => form.set('full_name', name)}
        autofocus
      />
      <Select
        label={t('settings.role')}
        value={form.values.role}
        options={makeRoleOptions(listAssignableRoles())}
        onChange={(role) => isRole(role) && form.set('role', role)}
      />
    </FormDialog>
  );
}

/** Ends an account; its messages stay. */
export function DeactivatePersonDialog({ person, onClose }: PersonDialogProps) {
  const [comment, setComment] = useState('');
  return (
    <FormDialog
      title={t('settings.deactivate-name', { name: person.full_name })}
      submitLabel={t('settings.deactivate-account')}
      danger
      onClose={onClose}
      submit={() =>
        core.api.delete('/users/{user_id}', {
          user_id: person.user_id,
          ...(comment.trim() ? { deactivation_notification_comment: comment } : {}),
        })
      }
    >
      <p>{t('settings.deactivate-other')}</p>
      <TextArea
        label={t('settings.deactivate-comment')}
        hint={t('settings.deactivate-comment-hint')}
        value={comment}
        maxLength={MAX_DEACTIVATION_COMMENT_LENGTH}
        onInput={setComment}
      />
    </FormDialog>
  );
}
