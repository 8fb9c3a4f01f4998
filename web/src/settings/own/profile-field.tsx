import { core } from '../../client/index.js';
import type { CustomProfileField } from '../../contract/index.js';
import type { Person } from '../../core/index.js';
import { Button, TextField } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { PeoplePicker } from '../parts/people-picker.js';
import { PROFILE_FIELD_TYPE, parseProfileFieldOptions } from '../parts/profile-fields.js';
import { SettingRow } from '../parts/rows.js';
import { SavedMark, useSavingState } from '../parts/saving.js';

interface ProfileFieldEntryProps {
  readonly field: CustomProfileField;
  readonly person: Person;
}

const MAX_SHORT_TEXT_LENGTH = 50;
const MAX_LONG_TEXT_LENGTH = 500;

const saveOwnProfileFieldValue = (id: number, value: string | readonly number[]) =>
  value.length === 0
    ? core.api.delete('/users/me/profile_data', { data: [id] })
    : core.api.patch('/users/me/profile_data', { data: [{ id, value }] });

const makeFieldFormKey = ({ id }: CustomProfileField): string => `field ${id}`;

/** One of the organization's own fields, by its type. */
export function ProfileFieldEntry({ field, person }: ProfileFieldEntryProps) {
  const value = person.profile_data?.[String(field.id)]?.value ?? '';
  const row = {
    formKey: makeFieldFormKey(field),
    label: field.name,
    hint: field.hint || undefined,
    value,
    save: (next: unknown) => saveOwnProfileFieldValue(field.id, String(next)),
  };
  switch (field.type) {
    case PROFILE_FIELD_TYPE.long:
      return <SettingRow {...row} control={{ kind: 'area', max: MAX_LONG_TEXT_LENGTH }} />;
    case PROFILE_FIELD_TYPE.choice:
      return (
        <SettingRow
          {...row}
          control={{
            kind: 'choice',
            options: [
              { value: '', label: () => t('settings.none') },
              ...parseProfileFieldOptions(field).map(({ key, text }) => ({ value: key, label: () => text })),
            ],
          }}
        />
      );
    case PROFILE_FIELD_TYPE.people:
      return <PeopleFieldEntry field={field} value={value} />;
    case PROFILE_FIELD_TYPE.date:
      return <DateOrLinkFieldEntry field={field} value={value} type="date" />;
    case PROFILE_FIELD_TYPE.link:
      return <DateOrLinkFieldEntry field={field} value={value} type="url" />;
    default:
      return <SettingRow {...row} control={{ kind: 'text', max: MAX_SHORT_TEXT_LENGTH }} />;
  }
}

interface ProfileFieldValueProps {
  readonly field: CustomProfileField;
  readonly value: string;
}

function PeopleFieldEntry({ field, value }: ProfileFieldValueProps) {
  const saving = useSavingState();
  const chosen = value === '' ? [] : (JSON.parse(value) as readonly number[]);
  return (
    <div class="setting">
      <PeoplePicker
        label={field.name}
        chosenIds={chosen}
        offersBots={false}
        error={saving.error}
        onChange={(ids) => void saving.runChange(() => saveOwnProfileFieldValue(field.id, ids))}
      />
      <SavedMark saving={saving} />
    </div>
  );
}

function DateOrLinkFieldEntry({ field, value, type }: ProfileFieldValueProps & { readonly type: 'date' | 'url' }) {
  const saving = useSavingState();
  const form = useFormOverServerValues({ text: value }, makeFieldFormKey(field));
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await saving.runChange(() => saveOwnProfileFieldValue(field.id, form.values.text))) form.reset();
  };
  return (
    <form class="setting" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        type={type}
        label={field.name}
        hint={field.hint || undefined}
        error={saving.error}
        value={form.values.text}
        onInput={(text) => form.set('text', text)}
      />
      {form.hasChanges && (
        <p class="settings-buttons">
          <Button kind="primary" type="submit" busy={saving.busy}>
            {t('common.save')}
          </Button>
          <Button onClick={form.reset}>{t('common.cancel')}</Button>
        </p>
      )}
      <SavedMark saving={saving} />
    </form>
  );
}
