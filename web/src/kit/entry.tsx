import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icons.js';

export interface Described {
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
export function Entry({
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

export interface TextProps extends Described {
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
