import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Dialog, Icon, type IconName, useUniqueId } from '../kit/index.js';

/** An option of the list. */
export interface PaletteOption {
  readonly key: string;
  readonly leadingIcon: ComponentChildren;
  readonly name: ComponentChildren;
  /** Details shown after the name. */
  readonly detail?: ComponentChildren;
  readonly choose: () => void;
}

interface PaletteProps {
  readonly title: string;
  readonly placeholder: string;
  readonly icon: IconName;
  readonly text: string;
  readonly onTextChange: (text: string) => void;
  readonly options: readonly PaletteOption[];
  /** Shown before the text, in the frame of the field. */
  readonly chips?: ComponentChildren;
  /** Called for Backspace at the start of the text. */
  readonly onEraseAtStart?: () => void;
  /** Shown if there are no options. */
  readonly emptyText: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
  readonly onClose: () => void;
}

/** Text with the matched characters marked. */
export function TextWithMatches({ text, at }: { readonly text: string; readonly at: readonly number[] }) {
  const marked = new Set(at);
  const runs: { text: string; on: boolean }[] = [];
  [...text].forEach((char, index) => {
    const on = marked.has(index);
    const last = runs.at(-1);
    if (last && last.on === on) last.text += char;
    else runs.push({ text: char, on });
  });
  return <>{runs.map((run) => (run.on ? <mark>{run.text}</mark> : run.text))}</>;
}

/** A field above a list of options. Arrow keys choose, Enter opens, Escape closes; the focus stays in the field. */
export function SearchPalette(props: PaletteProps) {
  const { title, placeholder, icon, text, onTextChange, options, chips, onEraseAtStart, emptyText, footer, onClose } =
    props;
  const id = useUniqueId();
  const own = useRef<HTMLInputElement>(null);
  const input = props.inputRef ?? own;
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const before = useRef(text);
  const current = before.current === text ? Math.min(at, options.length - 1) : 0;
  before.current = text;
  useLayoutEffect(() => {
    if (at !== current) setAt(Math.max(current, 0));
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const { length } = options;
    if (event.key === 'ArrowDown' && length > 0) setAt((current + 1) % length);
    else if (event.key === 'ArrowUp' && length > 0) setAt((current - 1 + length) % length);
    else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey && length > 0))
      options[current]?.choose();
    else if (event.key === 'Backspace' && onEraseAtStart && input.current?.selectionEnd === 0) onEraseAtStart();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={title} withoutHeader class="palette" onClose={onClose}>
      <div class="palette-field">
        <Icon name={icon} />
        {chips}
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={title}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={options[current] ? `${id}-${current}` : undefined}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="search"
          placeholder={placeholder}
          value={text}
          data-autofocus=""
          onInput={(event) => onTextChange(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class="palette-list" id={`${id}-list`} role="listbox" aria-label={title} ref={list}>
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={option.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            class="palette-option"
            onPointerMove={() => index !== current && setAt(index)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={option.choose}
          >
            <span class="palette-sign">{option.leadingIcon}</span>
            <span class="palette-name">{option.name}</span>
            {option.detail && <span class="palette-about">{option.detail}</span>}
          </div>
        ))}
      </div>
      {options.length === 0 && (
        <p class="palette-empty" role="status">
          {emptyText}
        </p>
      )}
      {footer && <div class="palette-foot">{footer}</div>}
    </Dialog>
  );
}
