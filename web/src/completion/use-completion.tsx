import { useSignal } from '@preact/signals';
import type { ComponentChild, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Conversation } from '../core/index.js';
import type { TextEdit } from '../editing/index.js';
import { runWhenIdle, useUniqueId } from '../kit/index.js';
import { t } from '../text/index.js';
import { findActiveIndexAfterKey, makeSuggestionOptionId, SuggestionList } from './list.js';
import { suggestForTrigger, warmPeopleIndex } from './sources.js';
import type { Suggestion } from './suggestion.js';
import { type CompletionTrigger, findTriggerAtCaret } from './trigger.js';

const CARET_KEYS = /^(?:ArrowLeft|ArrowRight|Home|End)$/;

interface TextCompletion {
  /** For the text area. */
  readonly attributes: {
    readonly 'aria-autocomplete': 'list';
    readonly 'aria-controls': string | undefined;
    readonly 'aria-activedescendant': string | undefined;
    readonly onKeyUp: (event: KeyboardEvent) => void;
    readonly onClick: () => void;
    readonly onFocus: () => void;
    readonly onBlur: () => void;
  };
  /** To be rendered after the text area. */
  readonly list: ComponentChild;
  /** To be called after each input. */
  look(area: HTMLTextAreaElement): void;
  /** To be called for each key. @returns whether the list has used it */
  takeKey(event: KeyboardEvent): boolean;
}

/**
 * Completions for a text area.
 * @param to the conversation that is written to, whose people come first
 * @param applyEdit changes the text so that the browser can undo it
 */
export function useTextCompletion(
  ref: RefObject<HTMLTextAreaElement | null>,
  to: Conversation | undefined,
  applyEdit: (edit: TextEdit) => void,
): TextCompletion {
  const id = useUniqueId();
  const trigger = useSignal<CompletionTrigger | undefined>(undefined);
  const [active, setActive] = useState(0);
  /** Index of the word for which Escape closed the list. */
  const dismissed = useRef(-1);
  const items = trigger.value ? suggestForTrigger(trigger.value, to) : [];
  const shown = items.length > 0 && ref.current !== null;
  const look = (area: HTMLTextAreaElement) => {
    const found =
      area.selectionStart === area.selectionEnd ? findTriggerAtCaret(area.value, area.selectionStart) : undefined;
    if (found?.start !== dismissed.current) dismissed.current = -1;
    trigger.value = found && found.start === dismissed.current ? undefined : found;
    setActive(0);
  };
  const pick = ({ insertedText }: Suggestion) => {
    const area = ref.current;
    const from = trigger.value?.start;
    if (!area || from === undefined) return;
    trigger.value = undefined;
    // Stars and spaces that already follow the caret are not inserted again.
    const rest = area.value.slice(area.selectionEnd);
    const tail = insertedText.endsWith('** ') && rest.startsWith('**') ? 2 : 0;
    const text =
      /^[ \n]/.test(rest.slice(tail)) && insertedText.endsWith(' ') ? insertedText.slice(0, -1) : insertedText;
    const end = from + text.length;
    const to = area.selectionEnd + tail;
    applyEdit({ from, to, insertedText: text, selectionStart: end, selectionEnd: end });
    trigger.value = undefined;
  };
  const takeKey = (event: KeyboardEvent): boolean => {
    const area = ref.current;
    if (!area || !shown || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    const moved = findActiveIndexAfterKey(event.key, active, items.length);
    const chosen = event.key === 'Enter' || event.key === 'Tab' ? items[active] : undefined;
    // `>` completes a stream and goes on to its topics.
    const stream = event.key === '>' && trigger.peek()?.kind === 'stream' ? items[active] : undefined;
    if (stream) {
      pick({ ...stream, insertedText: `#**${stream.text}>` });
      look(area);
    } else if (event.shiftKey) return false;
    else if (moved !== undefined) setActive(moved);
    else if (chosen) pick(chosen);
    else return false;
    event.preventDefault();
    return true;
  };
  const lookAgain = () => ref.current && look(ref.current);
  return {
    attributes: {
      'aria-autocomplete': 'list',
      'aria-controls': shown ? id : undefined,
      'aria-activedescendant': shown ? makeSuggestionOptionId(id, active) : undefined,
      onKeyUp: ({ key }) => CARET_KEYS.test(key) && lookAgain(),
      onClick: lookAgain,
      // At the focus, not when the box opens: each first view of a conversation would take longer.
      onFocus: () => runWhenIdle(() => void warmPeopleIndex()),
      onBlur() {
        trigger.value = undefined;
      },
    },
    list: shown && ref.current && (
      <SuggestionList
        id={id}
        label={t('compose.suggestions')}
        items={items}
        activeIndex={active}
        anchor={ref.current}
        side="above"
        onPick={pick}
        onClose={() => {
          dismissed.current = trigger.value?.start ?? -1;
          trigger.value = undefined;
        }}
      />
    ),
    look,
    takeKey,
  };
}
