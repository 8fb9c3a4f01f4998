import type { ComponentChildren, Ref } from 'preact';
import { useId, useState } from 'preact/hooks';
import { t } from '../text/index.js';
import { IconButton } from './button.js';
import { Icon, type IconName } from './icons.js';

interface Described {
  readonly label: string;
  /** The label is for screen readers only (a filter with a placeholder, say). */
  readonly quiet?: boolean | undefined;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

interface Ids {
  readonly id: string;
  readonly 'aria-invalid': 'true' | undefined;
  readonly 'aria-describedby': string | undefined;
}

/** Label, control, hint and error of one entry, tied together for screen readers. */
function Entry({
  label,
  quiet,
  hint,
  error,
  control,
}: Described & { readonly control: (ids: Ids) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id} class={quiet ? 'hidden' : undefined}>
        {label}
      </label>
      {control({ id, 'aria-invalid': error ? 'true' : undefined, 'aria-describedby': described || undefined })}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`} role="alert">
          <Icon name="warning" size={16} />
          {error}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Described {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly name?: string | undefined;
  readonly autocomplete?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly maxLength?: number | undefined;
  readonly required?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly autofocus?: boolean | undefined;
}

interface FieldProps extends TextProps {
  readonly type?: 'text' | 'email' | 'url' | 'search' | 'number' | 'date' | 'datetime-local' | 'password';
  readonly icon?: IconName | undefined;
  /** Shown inside the frame at the end. */
  readonly end?: ComponentChildren;
  readonly inputRef?: Ref<HTMLInputElement>;
  readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined;
}

/** A line of text. */
export function Field({ type = 'text', icon, end, inputRef, onKeyDown, ...props }: FieldProps) {
  return (
    <Entry
      {...props}
      control={(ids) => (
        <span class="input">
          {icon && <Icon name={icon} size={16} />}
          <input
            {...ids}
            {...(inputRef ? { ref: inputRef } : {})}
            // The types of attributes want one literal; each of these is an input of text.
            type={type as 'text'}
            name={props.name}
            value={props.value}
            autocomplete={props.autocomplete ?? 'off'}
            placeholder={props.placeholder}
            maxLength={props.maxLength}
            required={props.required}
            disabled={props.disabled}
            spellcheck={type === 'text' ? undefined : false}
            data-autofocus={props.autofocus ? '' : undefined}
            onInput={(event) => props.onInput(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          {end}
        </span>
      )}
    />
  );
}

/** A password, with a button that shows it. */
export function PasswordField(props: Omit<FieldProps, 'type' | 'end'>) {
  const [shown, setShown] = useState(false);
  return (
    <Field
      {...props}
      type={shown ? 'text' : 'password'}
      end={
        <IconButton
          icon={shown ? 'eye-off' : 'eye'}
          label={t(shown ? 'common.hide-password' : 'common.show-password')}
          onClick={() => setShown(!shown)}
        />
      }
    />
  );
}

/** Several lines of text. */
export function TextArea({ rows = 3, ...props }: TextProps & { readonly rows?: number }) {
  return (
    <Entry
      {...props}
      control={(ids) => (
        <textarea
          {...ids}
          class="input"
          rows={rows}
          name={props.name}
          value={props.value}
          placeholder={props.placeholder}
          maxLength={props.maxLength}
          required={props.required}
          disabled={props.disabled}
          data-autofocus={props.autofocus ? '' : undefined}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
      )}
    />
  );
}

interface Choice<V extends string | number> {
  readonly value: V;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface ChoiceProps<V extends string | number> extends Described {
  readonly value: V;
  readonly options: readonly Choice<V>[];
  readonly onChange: (value: V) => void;
  readonly disabled?: boolean | undefined;
}

/** One of many, as a list that opens. */
export function Select<V extends string | number>({
  value,
  options,
  onChange,
  disabled,
  ...described
}: ChoiceProps<V>) {
  return (
    <Entry
      {...described}
      control={(ids) => (
        <span class="input select">
          <select
            {...ids}
            value={String(value)}
            disabled={disabled}
            onChange={(event) => {
              const chosen = options[event.currentTarget.selectedIndex];
              if (chosen) onChange(chosen.value);
            }}
          >
            {options.map((option) => (
              <option key={option.value} value={String(option.value)}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" size={16} />
        </span>
      )}
    />
  );
}

/** One of a few, all visible. */
export function Choices<V extends string | number>({
  label,
  hint,
  value,
  options,
  onChange,
  disabled,
}: ChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {hint && <p class="field-hint">{hint}</p>}
      {options.map((option) => (
        <label key={option.value} class="choice">
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            disabled={disabled}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {option.hint && <span class="field-hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ToggleProps extends Described {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean | undefined;
}

/** A switch that takes effect at once. */
export function Toggle({ label, hint, error, checked, onChange, disabled }: ToggleProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="toggle">
        <span>
          {label}
          {hint && (
            <span class="field-hint" id={`${id}-hint`}>
              {hint}
            </span>
          )}
        </span>
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says its state by itself
          role="switch"
          checked={checked}
          disabled={disabled}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </label>
      {error && (
        <p class="field-error" role="alert">
          <Icon name="warning" size={16} />
          {error}
        </p>
      )}
    </div>
  );
}
