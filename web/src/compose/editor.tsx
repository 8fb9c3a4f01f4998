import { untracked, useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import { getMediaQuerySignal, pageShortcuts } from '../kit/index.js';
import { t } from '../text/index.js';
import { readTextSelection } from './area.js';
import { findActiveIndexAfterKey, makeSuggestionOptionId, SuggestionList } from './completion/list.js';
import { suggestForTrigger, warmPeopleIndex } from './completion/sources.js';
import type { Suggestion } from './completion/suggestion.js';
import { type CompletionTrigger, findTriggerAtCaret } from './completion/trigger.js';
import type { Composer } from './composer.js';
import { makeListContinuationEdit } from './edits.js';
import { sendComposedMessage } from './send.js';
import { uploadFiles } from './uploads.js';

/** Work that can wait is done when the first view has been painted. */
const PEOPLE_INDEX_WARM_UP_DELAY_MS = 1_500;

/** Browsers that size a text area by its content need no script for it. */
const TEXT_AREA_SIZES_ITSELF = CSS.supports('field-sizing', 'content');

/** Whether Enter sends: the user's setting, but never on a touch screen, whose keyboard has no Shift+Enter. */
export const enterSends = (): boolean =>
  core.state.me.settings.value.enter_sends === true && !getMediaQuerySignal('(pointer: coarse)').value;

/** Name of the place that the text goes to. */
function formatComposePlaceholder(composer: Composer): string {
  const to = composer.targetConversation.value;
  if (!to) return t('compose.placeholder');
  const { people, streams, me } = core.state;
  if ('stream' in to) return t('compose.to-topic', { stream: streams.getStreamName(to.stream), topic: to.topic });
  if (to.users.length === 1 && to.users[0] === me.id) return t('compose.to-self');
  return t('compose.to-people', { names: to.users.map((id) => people.getFullName(id)).join(', ') });
}

/** A link that is pasted over a text becomes its address. */
function makeLinkFromPastedUrl(area: HTMLTextAreaElement, pasted: string): string | undefined {
  const { text, start, end } = readTextSelection(area);
  const selected = text.slice(start, end);
  const isLink = /^https?:\/\/\S+$/.test(pasted.trim());
  if (!isLink || selected === '' || /[\n[\]]/.test(selected) || /^https?:/.test(selected)) return undefined;
  return `[${selected}](${pasted.trim()})`;
}

/** The text area with completions. */
export function ComposeTextEditor({
  composer,
  describedBy,
}: {
  readonly composer: Composer;
  readonly describedBy: string;
}) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const trigger = useSignal<CompletionTrigger | undefined>(undefined);
  const [active, setActive] = useState(0);
  /** Where Escape closed the list: it stays closed until another word begins. */
  const dismissed = useRef(-1);
  useLayoutEffect(() => {
    composer.setMountedTextArea(ref.current ?? undefined);
    const timer = setTimeout(() => untracked(warmPeopleIndex), PEOPLE_INDEX_WARM_UP_DELAY_MS);
    return () => {
      clearTimeout(timer);
      composer.setMountedTextArea(undefined);
    };
  }, []);
  useLayoutEffect(() => {
    const area = ref.current;
    if (TEXT_AREA_SIZES_ITSELF || !area) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [TEXT_AREA_SIZES_ITSELF || composer.text.value]);
  const items = trigger.value ? suggestForTrigger(trigger.value, composer.targetConversation.value) : [];
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
    // Stars and spaces that stand behind the caret already are not written twice.
    const rest = area.value.slice(area.selectionEnd);
    const tail = insertedText.endsWith('** ') && rest.startsWith('**') ? 2 : 0;
    const text =
      /^[ \n]/.test(rest.slice(tail)) && insertedText.endsWith(' ') ? insertedText.slice(0, -1) : insertedText;
    const to = area.selectionEnd + tail;
    composer.applyUndoableEdit({
      from,
      to,
      insertedText: text,
      selectionStart: from + text.length,
      selectionEnd: from + text.length,
    });
    trigger.value = undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const area = ref.current;
    if (!area || event.isComposing) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    // A stream that is being completed goes on to its topics.
    const stream = event.key === '>' && trigger.peek()?.kind === 'stream' && shown ? items[active] : undefined;
    if (stream && plain) {
      event.preventDefault();
      pick({ ...stream, insertedText: `#**${stream.text}>` });
      look(area);
      return;
    }
    if (shown && plain && !event.shiftKey) {
      const moved = findActiveIndexAfterKey(event.key, active, items.length);
      const chosen = event.key === 'Enter' || event.key === 'Tab' ? items[active] : undefined;
      if (moved !== undefined) setActive(moved);
      else if (chosen) pick(chosen);
      if (moved !== undefined || chosen) {
        event.preventDefault();
        return;
      }
    }
    if (event.key === 'Enter' && plain) {
      if (enterSends() && !event.shiftKey) {
        event.preventDefault();
        void sendComposedMessage(composer);
        return;
      }
      const edit = makeListContinuationEdit(readTextSelection(area));
      if (!edit) return;
      event.preventDefault();
      composer.applyUndoableEdit(edit);
    } else if (
      (event.key === 'ArrowUp' || event.key === 'ArrowLeft') &&
      plain &&
      !event.shiftKey &&
      area.value === ''
    ) {
      if (pageShortcuts.runShortcut('edit-last')) event.preventDefault();
    }
  };
  return (
    <>
      <textarea
        ref={ref}
        class="compose-text"
        rows={1}
        aria-label={formatComposePlaceholder(composer)}
        aria-describedby={describedBy}
        aria-autocomplete="list"
        aria-controls={shown ? id : undefined}
        aria-activedescendant={shown ? makeSuggestionOptionId(id, active) : undefined}
        placeholder={formatComposePlaceholder(composer)}
        dir="auto"
        onInput={(event) => {
          composer.handleTypedText(event.currentTarget.value);
          look(event.currentTarget);
        }}
        onKeyDown={onKeyDown}
        onKeyUp={(event) => {
          if (/^(?:ArrowLeft|ArrowRight|Home|End)$/.test(event.key)) look(event.currentTarget);
        }}
        onClick={(event) => look(event.currentTarget)}
        onBlur={() => {
          trigger.value = undefined;
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          const link = makeLinkFromPastedUrl(event.currentTarget, event.clipboardData?.getData('text/plain') ?? '');
          if (files.length === 0 && link === undefined) return;
          event.preventDefault();
          if (link !== undefined) composer.insertAtCaret(link);
          else uploadFiles(composer, files);
        }}
      />
      {shown && ref.current && (
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
      )}
    </>
  );
}
