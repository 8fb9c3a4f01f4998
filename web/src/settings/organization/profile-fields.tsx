import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { CustomProfileField } from '../../contract/index.js';
import { Button, EmptyNotice, IconButton, TextField } from '../../kit/index.js';
import { confirmDeletion, LATER_ICONS, Select, TextArea, Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { FormDialog } from '../parts/form-dialog.js';
import { PROFILE_FIELD_TYPE, parseProfileFieldData, parseProfileFieldOptions } from '../parts/profile-fields.js';
import { SavingError, useSavingState } from '../parts/saving.js';

const FIELD_TYPE_OPTIONS = [
  { value: PROFILE_FIELD_TYPE.short, label: 'settings.field.short' },
  { value: PROFILE_FIELD_TYPE.long, label: 'settings.field.long' },
  { value: PROFILE_FIELD_TYPE.choice, label: 'settings.field.choice' },
  { value: PROFILE_FIELD_TYPE.date, label: 'settings.field.date' },
  { value: PROFILE_FIELD_TYPE.link, label: 'settings.field.link' },
  { value: PROFILE_FIELD_TYPE.people, label: 'settings.field.people' },
  { value: PROFILE_FIELD_TYPE.account, label: 'settings.field.account' },
  { value: PROFILE_FIELD_TYPE.pronouns, label: 'settings.field.pronouns' },
] as const;

const formatFieldType = (type: number): string => {
  const found = FIELD_TYPE_OPTIONS.find(({ value }) => value === type);
  return found ? t(found.label) : '';
};

/** The fields that profiles have besides the name, in their order. */
export function ProfileFieldsPage() {
  const [open, setOpen] = useState<number | 'new'>();
  const saving = useSavingState();
  const fields = core.state.realm.value.custom_profile_fields ?? [];
  const edited = fields.find(({ id }) => id === open);
  const move = (from: number, to: number) => {
    const order = fields.map(({ id }) => id);
    order.splice(to, 0, ...order.splice(from, 1));
    void saving.runChange(() => core.api.patch('/realm/profile_fields', { order }));
  };
  const remove = async ({ id, name }: CustomProfileField) => {
    const agreed = await confirmDeletion(t('settings.delete-name', { name }), t('settings.delete-field-question'));
    if (agreed) await saving.runChange(() => core.api.delete('/realm/profile_fields/{field_id}', { field_id: id }));
  };
  return (
    <>
      <p>
        <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
          {t('settings.add-field')}
        </Button>
      </p>
      <SavingError saving={saving} />
      {fields.length === 0 && <EmptyNotice icon="list">{t('settings.no-fields')}</EmptyNotice>}
      <ul class="rows">
        {fields.map((field, index) => (
          <li key={field.id} class="row-line">
            <span class="row-text">
              {field.name}
              <span class="field-hint">{[formatFieldType(field.type), field.hint].filter(Boolean).join(' · ')}</span>
            </span>
            <IconButton
              icon={LATER_ICONS.arrowUp}
              label={t('settings.move-up', { name: field.name })}
              disabled={index === 0}
              onClick={() => move(index, index - 1)}
            />
            <IconButton
              icon="arrow-down"
              label={t('settings.move-down', { name: field.name })}
              disabled={index === fields.length - 1}
              onClick={() => move(index, index + 1)}
            />
            <IconButton
              icon="edit"
              label={t('settings.edit-name', { name: field.name })}
              onClick={() => setOpen(field.id)}
            />
            <IconButton
              icon={LATER_ICONS.trash}
              label={t('settings.delete-name', { name: field.name })}
              onClick={() => void remove(field)}
            />
          </li>
        ))}
      </ul>
      {(open === 'new' || edited) && <ProfileFieldDialog field={edited} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface ProfileFieldDialogProps {
  readonly field: CustomProfileField | undefined;
  readonly onClose: () => void;
}

/** One line for each option; options that keep their text keep their key, and so the people who chose them. */
function makeFieldOptionsFromLines(
  text: string,
  field: CustomProfileField | undefined,
): Readonly<Record<string, unknown>> {
  const before = new Map((field ? parseProfileFieldOptions(field) : []).map((one) => [one.text, one.key]));
  let next = Math.max(-1, ...[...before.values()].map(Number).filter(Number.isFinite));
  const lines = [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean);
  return Object.fromEntries(
    lines.map((line, index) => [before.get(line) ?? String(++next), { text: line, order: String(index + 1) }]),
  );
}

function ProfileFieldDialog({ field, onClose }: ProfileFieldDialogProps) {
  const data = field ? parseProfileFieldData(field) : {};
  const form = useFormOverServerValues(
    {
      name: field?.name ?? '',
      hint: field?.hint ?? '',
      type: field?.type ?? PROFILE_FIELD_TYPE.short,
      options:
        field?.type === PROFILE_FIELD_TYPE.choice
          ? parseProfileFieldOptions(field)
              .map(({ text }) => text)
              .join('\n')
          : '',
      subtype: String(data.subtype ?? 'github'),
      pattern: String(data.url_pattern ?? ''),
      summary: field?.display_in_profile_summary ?? false,
    },
    `field ${field?.id}`,
  );
  const { name, hint, type, options, subtype, pattern, summary } = form.values;
  const accounts = core.state.realm.value.realm_default_external_accounts ?? {};
  const isCustom = !Object.hasOwn(accounts, subtype);
  const fieldData = () => {
    if (type === PROFILE_FIELD_TYPE.choice) return { field_data: makeFieldOptionsFromLines(options, field) };
    if (type !== PROFILE_FIELD_TYPE.account) return {};
    return { field_data: isCustom ? { subtype: 'custom', url_pattern: pattern } : { subtype } };
  };
  const named = type !== PROFILE_FIELD_TYPE.account || isCustom;
  const submit = () => {
    const common = { ...(named ? { name, hint } : {}), ...fieldData(), display_in_profile_summary: summary };
    return field
      ? core.api.patch('/realm/profile_fields/{field_id}', { field_id: field.id, ...common })
      : core.api.post('/realm/profile_fields', { ...common, field_type: type });
  };
  return (
    <FormDialog
      title={field ? t('settings.edit-name', { name: field.name }) : t('settings.add-field')}
      submitLabel={t(field ? 'common.save' : 'settings.add')}
      form={form}
      onClose={onClose}
      submit={submit}
    >
      {!field && (
        <Select
          label={t('settings.type')}
          value={type}
          options={FIELD_TYPE_OPTIONS.map(({ value, label }) => ({ value: Number(value), label: t(label) }))}
          onChange={(value) => form.set('type', value)}
        />
      )}
      {type === PROFILE_FIELD_TYPE.account && !field && (
        <Select
          label={t('settings.account-kind')}
          value={subtype}
          options={[
            ...Object.entries(accounts).map(([value, { text }]) => ({ value, label: text })),
            { value: 'custom', label: t('settings.account-custom') },
          ]}
          onChange={(value) => form.set('subtype', value)}
        />
      )}
      {named && (
        <>
          <TextField
            label={t('settings.field-name')}
            value={name}
            onInput={(text) => form.set('name', text)}
            autofocus
          />
          <TextField label={t('settings.field-hint')} value={hint} onInput={(text) => form.set('hint', text)} />
        </>
      )}
      {type === PROFILE_FIELD_TYPE.account && isCustom && (
        <TextField
          label={t('settings.account-pattern')}
          placeholder="https://example.com/%(username)s"
          value={pattern}
          onInput={(text) => form.set('pattern', text)}
        />
      )}
      {type === PROFILE_FIELD_TYPE.choice && (
        <TextArea
          label={t('settings.field-options')}
          hint={t('settings.field-options-hint')}
          rows={5}
          value={options}
          onInput={(text) => form.set('options', text)}
        />
      )}
      {type !== PROFILE_FIELD_TYPE.long && type !== PROFILE_FIELD_TYPE.people && (
        <Toggle label={t('settings.field-summary')} checked={summary} onChange={(on) => form.set('summary', on)} />
      )}
    </FormDialog>
  );
}
