import type { ComponentChildren, Ref } from 'preact';
import { LabeledEntry, type TextEntryProps } from './entry.js';
import { Icon, type IconName } from './icons.js';

export interface TextFieldProps extends TextEntryProps {
  readonly type?: 'text' | 'email' | 'url' | 'search' | 'number' | 'date' | 'datetime-local' | 'password';
  readonly icon?: IconName | undefined;
  /** Shown inside the frame at the end. */
  readonly end?: ComponentChildren;
  readonly inputRef?: Ref<HTMLInputElement>;
  readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined;
}

/** A line of text. */
export function TextField({ type = 'text', icon, end, inputRef, onKeyDown, ...props }: TextFieldProps) {
  return (
    <LabeledEntry
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
