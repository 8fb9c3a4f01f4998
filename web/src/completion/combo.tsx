import type { ComponentChildren, Ref } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useUniqueId } from '../kit/index.js';
import { findActiveIndexAfterKey, makeSuggestionOptionId, SuggestionList } from './list.js';
import type { Suggestion } from './suggestion.js';

interface ComboProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly maxLength?: number | undefined;
  readonly invalid?: boolean;
  /** Called when the component renders, so it may read signals. */
  readonly findSuggestions: (query: string) => readonly Suggestion[];
  readonly onInput: (value: string) => void;
  readonly onPick: (suggestion: Suggestion) => void;
  /** Called for Enter or Tab if no list is open. */
  readonly onFinish?: () => void;
  readonly onBlur?: () => void;
  readonly onEraseWhenEmpty?: () => void;
  /** Whether Enter takes the first line. Otherwise it takes the text, unless an arrow key has chosen a line. */
  readonly enterPicksFirst?: boolean;
  readonly leadingContent?: ComponentChildren;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** A line of text with completions. */
export function SuggestionCombobox(props: ComboProps) {
  const { label, value, findSuggestions, onInput, onPick, onFinish, enterPicksFirst } = props;
  const id = useUniqueId();
  const frame = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const first = enterPicksFirst && value !== '' ? 0 : -1;
  const [active, setActive] = useState(first);
  const items = open ? findSuggestions(value) : [];
  const shown = items.length > 0 && frame.current !== null;
  const pick = (suggestion: Suggestion) => {
    setOpen(false);
    onPick(suggestion);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const moved = shown ? findActiveIndexAfterKey(event.key, active, items.length) : undefined;
    if (moved !== undefined) setActive(moved);
    else if (event.key === 'ArrowDown' && !open) setOpen(true);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      const chosen = shown ? items[active] : undefined;
      if (chosen && !(event.key === 'Tab' && chosen.text === value)) pick(chosen);
      else if (event.key === 'Tab') return;
      else onFinish?.();
    } else if (event.key === 'Backspace' && value === '' && props.onEraseWhenEmpty) props.onEraseWhenEmpty();
    else return;
    event.preventDefault();
  };
  return (
    <span class={`combo ${props.invalid ? 'invalid' : ''}`} ref={frame}>
      {props.leadingContent}
      <input
        {...(props.inputRef ? { ref: props.inputRef } : {})}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={shown}
        aria-controls={shown ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={shown && active >= 0 ? makeSuggestionOptionId(id, active) : undefined}
        aria-invalid={props.invalid ? 'true' : undefined}
        autocomplete="off"
        spellcheck={false}
        value={value}
        placeholder={props.placeholder}
        maxLength={props.maxLength}
        onInput={(event) => {
          setOpen(true);
          setActive(enterPicksFirst && event.currentTarget.value !== '' ? 0 : -1);
          onInput(event.currentTarget.value);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          setOpen(false);
          props.onBlur?.();
        }}
        onKeyDown={onKeyDown}
      />
      {shown && frame.current && (
        <SuggestionList
          id={id}
          label={label}
          items={items}
          activeIndex={active}
          anchor={frame.current}
          side="above"
          onPick={pick}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}
