import { core } from '../../client/index.js';
import { Avatar, Button, IconButton, TextField } from '../../kit/index.js';
import { Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { SettingsGroup } from '../parts/pages.js';
import { PictureEntry } from '../parts/picture.js';
import { SettingRow } from '../parts/rows.js';
import { SavedMark, useSavingState } from '../parts/saving.js';
import { ProfileFieldEntry } from './profile-field.js';

const MAX_FULL_NAME_LENGTH = 100;
const MAX_STATUS_TEXT_LENGTH = 60;
const MAX_EMOJI_NAME_LENGTH = 40;

/** Name, picture, status and the organization's own fields. */
export function OwnProfilePage() {
  const { me, realm } = core.state;
  const person = me.ownPerson.value;
  if (!person) return null;
  const { realm_name_changes_disabled, realm_avatar_changes_disabled, server_name_changes_disabled } = realm.value;
  const mayRename = me.isAdmin || !(realm_name_changes_disabled || server_name_changes_disabled);
  const mayPicture = me.isAdmin || !(realm_avatar_changes_disabled || realm.value.server_avatar_changes_disabled);
  const fields = realm.value.custom_profile_fields ?? [];
  const avatar = <Avatar name={person.full_name} src={person.avatar_url} id={person.user_id} size={80} />;
  return (
    <>
      {mayPicture ? (
        <PictureEntry
          label={t('settings.picture')}
          picture={avatar}
          maxMib={realm.value.max_avatar_file_size_mib ?? 5}
          upload={(file) => core.api.uploadFile('/users/me/avatar', file, () => {})}
          remove={realm.value.avatar_source === 'U' ? () => core.api.delete('/users/me/avatar', {}) : undefined}
        />
      ) : (
        avatar
      )}
      {mayRename ? (
        <SettingRow
          control={{ kind: 'text', max: MAX_FULL_NAME_LENGTH }}
          label={t('settings.name')}
          value={person.full_name}
          save={(name) => core.api.patch('/settings', { full_name: String(name) })}
        />
      ) : (
        <p class="field-hint">{t('settings.name-fixed')}</p>
      )}
      <OwnStatusEntry />
      {fields.length > 0 && (
        <SettingsGroup title={t('settings.fields')}>
          {fields.map((field) => (
            <ProfileFieldEntry key={field.id} field={field} person={person} />
          ))}
        </SettingsGroup>
      )}
      <p>
        <Button kind="quiet" icon="user" onClick={() => openPersonDialog(person.user_id)}>
          {t('settings.see-profile')}
        </Button>
      </p>
    </>
  );
}

const openPersonDialog = (id: number) => {
  core.sharedViewState.shownProfileUserId.value = id;
};

/** Text and emoji that stand beside one's name, and whether one is shown as away. */
function OwnStatusEntry() {
  const { me, people } = core.state;
  const status = people.statusByUserId.value.get(me.id);
  const saving = useSavingState();
  const away = useSavingState();
  const form = useFormOverServerValues({ text: status?.status_text ?? '', emoji: status?.emoji_name ?? '' }, 'status');
  const submit = async (event: Event) => {
    event.preventDefault();
    const { text, emoji } = form.values;
    const emoji_name = emoji.trim().replaceAll(':', '');
    if (await saving.runChange(() => core.api.post('/users/me/status', { status_text: text, emoji_name })))
      form.reset();
  };
  const clear = () => saving.runChange(() => core.api.post('/users/me/status', { status_text: '', emoji_name: '' }));
  return (
    <SettingsGroup title={t('settings.status')}>
      <form class="setting status-entry" onSubmit={(event) => void submit(event)}>
        <TextField
          label={t('settings.status-text')}
          placeholder={t('settings.status-example')}
          value={form.values.text}
          maxLength={MAX_STATUS_TEXT_LENGTH}
          error={saving.error}
          onInput={(text) => form.set('text', text)}
        />
        <TextField
          label={t('settings.status-emoji')}
          placeholder="palm_tree"
          value={form.values.emoji}
          maxLength={MAX_EMOJI_NAME_LENGTH}
          onInput={(emoji) => form.set('emoji', emoji)}
          end={
            <IconButton
              icon="smile"
              label={t('settings.status-pick')}
              popup="dialog"
              onClick={(event) => {
                core.sharedViewState.emojiPickerRequest.value = {
                  anchorBox: event.currentTarget.getBoundingClientRect(),
                  onChoose: ({ name }) => form.set('emoji', name),
                };
              }}
            />
          }
        />
        <p class="settings-buttons">
          <Button kind="primary" type="submit" busy={saving.busy} disabled={!form.hasChanges}>
            {t('common.save')}
          </Button>
          {(status?.status_text || status?.emoji_name) && (
            <Button
              onClick={() => {
                form.reset();
                void clear();
              }}
            >
              {t('settings.status-clear')}
            </Button>
          )}
        </p>
        <SavedMark saving={saving} />
      </form>
      <div class="setting flag">
        <Toggle
          label={t('settings.away')}
          hint={t('settings.away-hint')}
          error={away.error}
          checked={!me.settings.value.presence_enabled}
          onChange={(on) => void away.runChange(() => core.api.patch('/settings', { presence_enabled: !on }))}
        />
        <SavedMark saving={away} />
      </div>
    </SettingsGroup>
  );
}
