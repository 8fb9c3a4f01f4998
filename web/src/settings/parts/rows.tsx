import { core } from '../../client/index.js';
import { Button, TextField } from '../../kit/index.js';
import { Select, TextArea, Toggle } from '../../kit-later/index.js';
import { compareNames, LANGUAGE_NAME_BY_CODE, t } from '../../text/index.js';
import { useFormOverServerValues } from './form.js';
import { SavedMark, useSavingState } from './saving.js';
import { formatTimeSpan } from './span.js';

export type SettingValue = string | number | boolean | null;

export interface SettingOption {
  readonly value: SettingValue;
  readonly label: () => string;
}

/** How a setting is shown and changed. Its label follows from its name. */
export type SettingControl =
  | { readonly kind: 'flag' }
  | { readonly kind: 'text' | 'area'; readonly max?: number }
  | { readonly kind: 'number'; readonly min: number }
  | { readonly kind: 'choice'; readonly options: readonly SettingOption[] | (() => readonly SettingOption[]) }
  /** A span of time; `none` is the stored form of no limit. */
  | {
      readonly kind: 'limit';
      readonly unit: 'seconds' | 'days';
      readonly spans: readonly number[];
      readonly none: null | -1;
    }
  | { readonly kind: 'stream' }
  | { readonly kind: 'language' };

interface SettingRowProps {
  readonly control: SettingControl;
  readonly label: string;
  /** Names the row on its page, where another one may have the label. */
  readonly formKey?: string;
  readonly hint?: string | undefined;
  readonly value: SettingValue;
  readonly save: (value: SettingValue) => Promise<unknown>;
}

const NO_STREAM_VALUE = -1;

/** A value that no option has (set by another client) is an option all the same. */
function makeOptionsWithCurrentValue(options: readonly SettingOption[], value: SettingValue): readonly SettingOption[] {
  return options.some((one) => one.value === value) ? options : [...options, { value, label: () => String(value) }];
}

function listControlOptions(control: SettingControl, value: SettingValue): readonly SettingOption[] {
  switch (control.kind) {
    case 'choice':
      return makeOptionsWithCurrentValue(
        typeof control.options === 'function' ? control.options() : control.options,
        value,
      );
    case 'limit': {
      const known = [...new Set([...control.spans, ...(typeof value === 'number' && value > 0 ? [value] : [])])];
      const spans = known
        .sort((a, b) => a - b)
        .map((one) => ({ value: one, label: () => formatTimeSpan(one, control.unit) }));
      return [...spans, { value: control.none, label: () => t('settings.no-limit') }];
    }
    case 'stream':
      return [
        { value: NO_STREAM_VALUE, label: () => t('settings.none') },
        ...core.state.streams.allSortedByName.value
          .filter(({ invite_only, stream_id }) => !invite_only || stream_id === value)
          .map(({ stream_id, name }) => ({ value: stream_id, label: () => `#${name}` })),
      ];
    case 'language':
      return makeOptionsWithCurrentValue(
        Object.entries(LANGUAGE_NAME_BY_CODE)
          .map(([code, name]) => ({ value: code, label: () => name }))
          .sort((a, b) => compareNames(a.label(), b.label())),
        value,
      );
    default:
      return [];
  }
}

/** Text and numbers wait for their button. */
function TextSettingRow({ control, label, formKey = label, hint, value, save }: SettingRowProps) {
  const saving = useSavingState();
  const form = useFormOverServerValues({ text: value === null ? '' : String(value) }, formKey);
  const isNumber = control.kind === 'number';
  const props = {
    label,
    hint,
    error: saving.error,
    value: form.values.text,
    onInput: (text: string) => form.set('text', text),
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const { text } = form.values;
    if (isNumber && !/^\d+$/.test(text.trim())) saving.showError(t('settings.not-a-number'));
    else if (await saving.runChange(() => save(isNumber ? Number(text) : text))) form.reset();
  };
  return (
    <form class="setting" onSubmit={(event) => void submit(event)}>
      {control.kind === 'area' ? (
        <TextArea {...props} maxLength={control.max} />
      ) : (
        <TextField
          {...props}
          type={isNumber ? 'number' : 'text'}
          maxLength={control.kind === 'text' ? control.max : undefined}
        />
      )}
      {(form.hasChanges || saving.busy) && (
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

/** One setting. Switches and lists take effect at once. */
export function SettingRow(props: SettingRowProps) {
  const saving = useSavingState();
  const { control, label, hint, value, save } = props;
  if (control.kind === 'text' || control.kind === 'area' || control.kind === 'number')
    return <TextSettingRow {...props} />;
  if (control.kind === 'flag') {
    return (
      <div class="setting flag">
        <Toggle
          label={label}
          hint={hint}
          error={saving.error}
          checked={value === true}
          onChange={(on) => void saving.runChange(() => save(on))}
        />
        <SavedMark saving={saving} />
      </div>
    );
  }
  const options = listControlOptions(control, value);
  return (
    <div class="setting">
      <Select
        label={label}
        hint={hint}
        error={saving.error}
        value={String(value)}
        options={options.map((one) => ({ value: String(one.value), label: one.label() }))}
        onChange={(text) => {
          const chosen = options.find((one) => String(one.value) === text);
          if (chosen)
            void saving.runChange(() =>
              save(control.kind === 'limit' && chosen.value === control.none ? 'unlimited' : chosen.value),
            );
        }}
      />
      <SavedMark saving={saving} />
    </div>
  );
}
