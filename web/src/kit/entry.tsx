import type { ComponentChildren } from 'preact';
import { Icon } from './icons.js';
import { useUniqueId } from './unique-id.js';

export interface LabeledEntryProps {
  readonly label: string;
  /** The label is for screen readers only (a filter with a placeholder, say). */
  readonly hidesLabel?: boolean | undefined;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

interface EntryControlAttributes {
  readonly id: string;
  readonly 'aria-invalid': 'true' | undefined;
  readonly 'aria-describedby': string | undefined;
}

/** Label, control, hint and error of one entry, tied together for screen readers. */
export function LabeledEntry({
  label,
  hidesLabel,
  hint,
  error,
  control,
}: LabeledEntryProps & { readonly control: (ids: EntryControlAttributes) => ComponentChildren }) {
  const id = useUniqueId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id} class={hidesLabel ? 'hidden' : undefined}>
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

export interface TextEntryProps extends LabeledEntryProps {
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
