import { Icon, LabeledEntry, type LabeledEntryProps, type TextEntryProps, useUniqueId } from '../kit/index.js';

/** Several lines of text. */
export function TextArea({ rows = 3, ...props }: TextEntryProps & { readonly rows?: number }) {
  return (
    <LabeledEntry
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

interface ChoiceOption<V extends string | number> {
  readonly value: V;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface ChoiceFieldProps<V extends string | number> extends LabeledEntryProps {
  readonly value: V;
  readonly options: readonly ChoiceOption<V>[];
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
}: ChoiceFieldProps<V>) {
  return (
    <LabeledEntry
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
export function RadioGroup<V extends string | number>({
  label,
  hint,
  value,
  options,
  onChange,
  disabled,
}: ChoiceFieldProps<V>) {
  const name = useUniqueId();
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

interface ToggleProps extends LabeledEntryProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean | undefined;
}

/** A switch that takes effect at once. */
export function Toggle({ label, hint, error, checked, onChange, disabled }: ToggleProps) {
  const id = useUniqueId();
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
