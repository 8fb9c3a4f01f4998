import { useRef, useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Button, EmptyNotice, IconButton, TextField } from '../../kit/index.js';
import { confirmDeletion, LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { SavedMark, SavingError, useSavingState } from '../parts/saving.js';

/** The organization's own emoji. */
export function RealmEmojiPage() {
  const { me, emoji, people } = core.state;
  const saving = useSavingState();
  const remove = async (name: string) => {
    const agreed = await confirmDeletion(t('settings.delete-name', { name }), t('settings.delete-emoji-question'));
    if (agreed) await saving.runChange(() => core.api.delete('/realm/emoji/{emoji_name}', { emoji_name: name }));
  };
  const list = emoji.activeCustomEmoji.value;
  return (
    <>
      {me.isAllowedByPolicyNamed('add_custom_emoji_policy') && <AddEmojiForm />}
      <SavingError saving={saving} />
      {list.length === 0 && <EmptyNotice icon="smile">{t('settings.no-emoji')}</EmptyNotice>}
      <ul class="rows">
        {list.map(({ id, name, source_url, still_url, author_id }) => (
          <li key={id} class="row-line">
            <img class="emoji-picture" src={still_url ?? source_url} alt="" width={24} height={24} />
            <span class="row-text">
              :{name}:<span class="field-hint">{author_id ? people.getFullName(author_id) : ''}</span>
            </span>
            {(me.isAdmin || author_id === me.id) && (
              <IconButton
                icon={LATER_ICONS.trash}
                label={t('settings.delete-name', { name })}
                onClick={() => void remove(name)}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function AddEmojiForm() {
  const [name, setName] = useState('');
  const [file, setFile] = useState<File>();
  const input = useRef<HTMLInputElement>(null);
  const saving = useSavingState();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!file) return saving.showError(t('settings.emoji-file-missing'));
    const path = `/realm/emoji/${encodeURIComponent(name.trim())}`;
    if (!(await saving.runChange(() => core.api.uploadFile(path, file, () => {})))) return;
    setName('');
    setFile(undefined);
    if (input.current) input.current.value = '';
  };
  return (
    <form class="setting add-line" onSubmit={(event) => void submit(event)}>
      <TextField
        label={t('settings.name')}
        hint={t('settings.emoji-name-hint')}
        value={name}
        onInput={setName}
        error={saving.error}
        required
      />
      <input
        ref={input}
        class="hidden"
        type="file"
        accept="image/*"
        tabIndex={-1}
        aria-label={t('settings.emoji-file')}
        onChange={(event) => setFile(event.currentTarget.files?.[0])}
      />
      <p class="settings-buttons">
        <Button icon={LATER_ICONS.image} onClick={() => input.current?.click()}>
          {file?.name ?? t('settings.emoji-file')}
        </Button>
        <Button kind="primary" type="submit" busy={saving.busy}>
          {t('settings.add')}
        </Button>
      </p>
      <SavedMark saving={saving} />
    </form>
  );
}
