import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Button, EmptyNotice, IconButton, TextField } from '../../kit/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { FormDialog } from '../parts/form-dialog.js';
import { SavingError, useSavingState } from '../parts/saving.js';

/** Sites that run code blocks of a language. */
export function PlaygroundsPage() {
  const [open, setOpen] = useState(false);
  const saving = useSavingState();
  const list = core.state.realm.value.realm_playgrounds ?? [];
  return (
    <>
      <p class="field-hint">{t('settings.playgrounds-hint')}</p>
      <p>
        <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
          {t('settings.add-playground')}
        </Button>
      </p>
      <SavingError saving={saving} />
      {list.length === 0 && <EmptyNotice icon="code">{t('settings.no-playgrounds')}</EmptyNotice>}
      <ul class="rows">
        {list.map(({ id, name, url_prefix, highlighter_language, pygments_language }) => (
          <li key={id} class="row-line">
            <span class="row-text">
              {name}
              <span class="field-hint">
                {highlighter_language ?? pygments_language} · {url_prefix}
              </span>
            </span>
            <IconButton
              icon={LATER_ICONS.trash}
              label={t('common.remove-name', { name })}
              onClick={() =>
                void saving.runChange(() =>
                  core.api.delete('/realm/playgrounds/{playground_id}', { playground_id: id }),
                )
              }
            />
          </li>
        ))}
      </ul>
      {open && <PlaygroundDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function PlaygroundDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [language, setLanguage] = useState('');
  const [prefix, setPrefix] = useState('');
  return (
    <FormDialog
      title={t('settings.add-playground')}
      submitLabel={t('settings.add')}
      onClose={onClose}
      submit={() => core.api.post('/realm/playgrounds', { name, highlighter_language: language, url_prefix: prefix })}
    >
      <TextField label={t('settings.name')} value={name} onInput={setName} autofocus required />
      <TextField
        label={t('settings.code-language')}
        placeholder="Rust"
        value={language}
        onInput={setLanguage}
        required
      />
      <TextField
        label={t('settings.url-prefix')}
        placeholder="https://play.example.com/?code="
        value={prefix}
        onInput={setPrefix}
        required
      />
    </FormDialog>
  );
}
