import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { ApiFailure } from '../../core/index.js';
import { Button, EmptyNotice, IconButton, TextField } from '../../kit/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { FormDialog } from '../parts/form-dialog.js';
import { SavingError, useSavingState } from '../parts/saving.js';

type Linkifier = NonNullable<typeof core.state.realm.value.realm_linkifiers>[number];

/** Patterns that become links in messages, in the order in which they were added. */
export function LinkifiersPage() {
  const [open, setOpen] = useState<Linkifier | 'new'>();
  const saving = useSavingState();
  const list = core.state.realm.value.realm_linkifiers ?? [];
  return (
    <>
      <p class="field-hint">{t('settings.linkifiers-hint')}</p>
      <p>
        <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
          {t('settings.add-linkifier')}
        </Button>
      </p>
      <SavingError saving={saving} />
      {list.length === 0 && <EmptyNotice icon={LATER_ICONS.link}>{t('settings.no-linkifiers')}</EmptyNotice>}
      <ul class="rows">
        {list.map((linkifier) => {
          const { id, pattern, url_template } = linkifier;
          return (
            <li key={id} class="row-line">
              <span class="row-text">
                <code>{pattern}</code>
                <span class="field-hint">{url_template}</span>
              </span>
              <IconButton
                icon="edit"
                label={t('settings.edit-name', { name: pattern })}
                onClick={() => setOpen(linkifier)}
              />
              <IconButton
                icon={LATER_ICONS.trash}
                label={t('common.remove-name', { name: pattern })}
                onClick={() =>
                  void saving.runChange(() => core.api.delete('/realm/filters/{filter_id}', { filter_id: id }))
                }
              />
            </li>
          );
        })}
      </ul>
      {open && <LinkifierDialog linkifier={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** The server's complaint about one of the fields. */
function findFieldErrorText(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined;
  const errors = error.fields.errors as Readonly<Record<string, readonly string[]>> | undefined;
  return errors?.[field]?.join(' ');
}

interface LinkifierDialogProps {
  readonly linkifier: Linkifier | undefined;
  readonly onClose: () => void;
}

function LinkifierDialog({ linkifier, onClose }: LinkifierDialogProps) {
  const form = useFormOverServerValues(
    {
      pattern: linkifier?.pattern ?? '',
      url_template: linkifier?.url_template ?? '',
    },
    `linkifier ${linkifier?.id}`,
  );
  const [failure, setFailure] = useState<unknown>();
  const atPattern = findFieldErrorText(failure, 'pattern');
  const atTemplate = findFieldErrorText(failure, 'url_template');
  const submit = async () => {
    setFailure(undefined);
    try {
      if (linkifier) {
        await core.api.patch('/realm/filters/{filter_id}', { filter_id: linkifier.id, ...form.values });
      } else await core.api.post('/realm/filters', form.values);
    } catch (error) {
      setFailure(error);
      throw error;
    }
  };
  return (
    <FormDialog
      title={t(linkifier ? 'settings.edit-linkifier' : 'settings.add-linkifier')}
      submitLabel={t(linkifier ? 'common.save' : 'settings.add')}
      form={form}
      onClose={onClose}
      hasFieldError={atPattern !== undefined || atTemplate !== undefined}
      submit={submit}
    >
      <TextField
        label={t('settings.pattern')}
        placeholder="#(?P<id>[0-9]+)"
        value={form.values.pattern}
        error={atPattern}
        onInput={(text) => form.set('pattern', text)}
        autofocus
      />
      <TextField
        label={t('settings.url-template')}
        placeholder="https://example.com/issues/{id}"
        value={form.values.url_template}
        error={atTemplate}
        onInput={(text) => form.set('url_template', text)}
      />
    </FormDialog>
  );
}
