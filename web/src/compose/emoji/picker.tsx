import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Emoji, type EmojiTable, emojiTable, loadUnicodeEmoji } from '../../completion/index.js';
import { EmptyNotice, Popover, type PopoverAnchor, Spinner, TextField } from '../../kit/index.js';
import { type TextKey, t } from '../../text/index.js';
import { EMOJI_CHARACTERS_BY_GROUP, type EmojiGroupId, expandEmojiForms } from './groups.js';
import { noteRecentEmoji, readRecentEmoji } from './recent.js';

interface EmojiPickerProps {
  readonly anchor: PopoverAnchor;
  readonly onChoose: (emoji: Emoji) => void;
  readonly onClose: () => void;
}

interface EmojiSection {
  readonly id: EmojiGroupId | 'recent' | 'custom' | 'found';
  readonly emojis: readonly Emoji[];
}

const MAX_FOUND_EMOJI = 120;
/** Emoji in a row; the style sheet has the same number. */

const TITLE_KEY_BY_SECTION = {
  found: 'emoji.found',
  recent: 'emoji.recent',
  custom: 'emoji.custom',
  smileys: 'emoji.smileys',
  people: 'emoji.people',
  nature: 'emoji.nature',
  food: 'emoji.food',
  travel: 'emoji.travel',
  activities: 'emoji.activities',
  objects: 'emoji.objects',
  symbols: 'emoji.symbols',
  flags: 'emoji.flags',
} as const satisfies Record<EmojiSection['id'], TextKey>;

/** Emoji on the buttons that lead to a category. */
const BUTTON_EMOJI_BY_SECTION: Readonly<Record<EmojiSection['id'], string>> = {
  found: '',
  recent: '🕘',
  custom: '⭐',
  smileys: '😀',
  people: '👋',
  nature: '🐶',
  food: '🍎',
  travel: '✈️',
  activities: '⚽',
  objects: '💡',
  symbols: '🔣',
  flags: '🏁',
};

const makeEmojiCodeOfCharacter = (character: string): string =>
  [...character]
    .map((part) => part.codePointAt(0)!.toString(16).padStart(4, '0'))
    .filter((code) => code !== 'fe0f')
    .join('-');

function makeEmojiSections(table: EmojiTable): EmojiSection[] {
  const known = (one: Emoji | undefined): one is Emoji => one !== undefined;
  const recent = readRecentEmoji()
    .map(({ code, type }) =>
      type === 'unicode_emoji' ? table.findUnicodeEmojiByCode(code) : table.custom.find((of) => of.code === code),
    )
    .filter(known);
  const groups = Object.entries(EMOJI_CHARACTERS_BY_GROUP).map(([id, characters]) => ({
    id: id as EmojiGroupId,
    emojis: expandEmojiForms(characters)
      .split(/\s+/)
      .map((character) => table.findUnicodeEmojiByCode(makeEmojiCodeOfCharacter(character)))
      .filter(known),
  }));
  const all: EmojiSection[] = [{ id: 'recent', emojis: recent }, { id: 'custom', emojis: table.custom }, ...groups];
  return all.filter(({ emojis }) => emojis.length > 0);
}

/** Columns of the grid with the focus; the style sheet chooses them by the width and the pointer. */
function countEmojiPerRow(): number {
  const grid = document.activeElement?.closest('.emoji-grid');
  return grid ? getComputedStyle(grid).gridTemplateColumns.split(' ').length : 1;
}

/** Moves the focus in the grid by arrow keys. */
function moveEmojiFocusByArrow(event: KeyboardEvent, root: Element, field: HTMLElement | null): void {
  const perRow = countEmojiPerRow();
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: perRow,
    ArrowUp: -perRow,
  };
  const step = steps[event.key];
  if (step === undefined) return;
  const all = [...root.querySelectorAll<HTMLElement>('.emoji-button')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  if (at < 0 && event.key !== 'ArrowDown') return;
  event.preventDefault();
  const next = at < 0 ? 0 : at + step;
  if (next < 0) field?.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
}

function EmojiButton({
  emoji,
  isFirst,
  onChoose,
}: {
  readonly emoji: Emoji;
  readonly isFirst: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <button
      type="button"
      class="emoji-button"
      aria-label={emoji.name.replaceAll('_', ' ')}
      data-tip={`:${emoji.name}:`}
      tabIndex={isFirst ? 0 : -1}
      onClick={onChoose}
    >
      {emoji.pictureUrl ? (
        <img src={emoji.pictureUrl} alt="" width={24} height={24} loading="lazy" />
      ) : (
        <span aria-hidden="true">{emoji.character}</span>
      )}
    </button>
  );
}

/** Search and categories of emoji. Rows out of sight cost no layout (`content-visibility`). */
export function Picker({ anchor, onChoose, onClose }: EmojiPickerProps) {
  const [query, setQuery] = useState('');
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => void loadUnicodeEmoji(), []);
  const table = emojiTable.value;
  const groups = useMemo(() => (table ? makeEmojiSections(table) : []), [table]);
  const found = query.trim() === '' ? undefined : (table?.findByName(query, MAX_FOUND_EMOJI) ?? []);
  const sections: readonly EmojiSection[] = found ? [{ id: 'found', emojis: found }] : groups;
  const choose = (emoji: Emoji) => {
    noteRecentEmoji(emoji);
    onChoose(emoji);
  };
  /** Waits for the names, so that Enter works before they are loaded. */
  const chooseFirst = async (words: string) => {
    await loadUnicodeEmoji();
    const first = emojiTable.value?.findByName(words, 1)[0];
    if (first && root.current) choose(first);
  };
  return (
    <Popover anchor={anchor} side="above" label={t('emoji.title')} class="emoji-picker" onClose={onClose}>
      <div
        ref={root}
        role="none"
        class="emoji-panel"
        onKeyDown={(event) => root.current && moveEmojiFocusByArrow(event, root.current, field.current)}
      >
        <TextField
          type="search"
          hidesLabel
          label={t('emoji.search')}
          placeholder={t('emoji.search')}
          icon="search"
          value={query}
          onInput={setQuery}
          autofocus
          inputRef={field}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || query.trim() === '') return;
            event.preventDefault();
            void chooseFirst(query);
          }}
        />
        {!found && (
          <div class="emoji-groups">
            {groups.map(({ id }) => (
              <button
                key={id}
                type="button"
                aria-label={t(TITLE_KEY_BY_SECTION[id])}
                data-tip={t(TITLE_KEY_BY_SECTION[id])}
                onClick={() => root.current?.querySelector(`[data-group=${id}]`)?.scrollIntoView({ block: 'start' })}
              >
                <span aria-hidden="true">{BUTTON_EMOJI_BY_SECTION[id]}</span>
              </button>
            ))}
          </div>
        )}
        <div class="emoji-list">
          {!table && <Spinner />}
          {found?.length === 0 && <EmptyNotice>{t('common.no-results')}</EmptyNotice>}
          {sections.map(({ id, emojis }, index) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of buttons is no part of a form
            <div key={id} role="group" data-group={id} aria-label={t(TITLE_KEY_BY_SECTION[id])}>
              <p class="emoji-title" aria-hidden="true">
                {t(TITLE_KEY_BY_SECTION[id])}
              </p>
              <div class="emoji-grid">
                {emojis.map((emoji, place) => (
                  <EmojiButton
                    key={emoji.code}
                    emoji={emoji}
                    isFirst={index === 0 && place === 0}
                    onChoose={() => choose(emoji)}
                  />
                ))}
              </div>
            </div>
          ))}
        </div>
      </div>
    </Popover>
  );
}
