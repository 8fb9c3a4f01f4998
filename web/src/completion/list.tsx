import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { Avatar, Icon, Popover } from '../kit/index.js';
import { TopicName } from '../topics/index.js';
import type { Suggestion } from './suggestion.js';

interface SuggestionListProps {
  readonly id: string;
  readonly label: string;
  readonly items: readonly Suggestion[];
  /** Index of the item that Enter takes; -1 for none. */
  readonly activeIndex: number;
  readonly anchor: Element;
  readonly side?: 'above' | 'below';
  readonly onPick: (suggestion: Suggestion) => void;
  readonly onClose: () => void;
}

export const makeSuggestionOptionId = (list: string, index: number): string => `${list}-${index}`;

function SuggestionPicture({
  suggestion: { personId, emojiCharacter, pictureUrl, icon },
}: {
  readonly suggestion: Suggestion;
}) {
  if (personId !== undefined) {
    const of = core.state.people.byId.value.get(personId);
    return (
      <Avatar
        name={of?.full_name ?? ''}
        src={of?.avatar_url}
        id={personId}
        size={24}
        presence={core.state.people.getPresenceLevel(personId)}
      />
    );
  }
  if (pictureUrl !== undefined)
    return <img class="suggestion-picture" src={pictureUrl} alt="" width={20} height={20} />;
  if (emojiCharacter !== undefined) return <span class="emoji-text">{emojiCharacter}</span>;
  return icon ? <Icon name={icon} /> : null;
}

/**
 * The list of completions beside a field. The focus stays in the field, which names the active item to screen readers.
 */
export function SuggestionList({ id, label, items, activeIndex, anchor, side, onPick, onClose }: SuggestionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [activeIndex],
  );
  return (
    <Popover
      anchor={anchor}
      side={side}
      role="none"
      initialFocus="none"
      label={label}
      class="suggestions"
      onClose={onClose}
    >
      <div role="listbox" id={id} aria-label={label} ref={list}>
        {items.map((suggestion, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active line
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
          <div
            key={suggestion.key}
            id={makeSuggestionOptionId(id, index)}
            role="option"
            aria-selected={index === activeIndex}
            class="suggestion"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(suggestion)}
          >
            <SuggestionPicture suggestion={suggestion} />
            <span class="suggestion-text">
              {suggestion.isTopic ? <TopicName topic={suggestion.text} /> : suggestion.text}
            </span>
            {suggestion.detail && <span class="suggestion-detail">{suggestion.detail}</span>}
          </div>
        ))}
      </div>
    </Popover>
  );
}

/** Moves the active item by a key of the field. @returns its index; undefined for other keys */
export function findActiveIndexAfterKey(key: string, active: number, count: number): number | undefined {
  if (key === 'ArrowDown') return (active + 1) % count;
  if (key === 'ArrowUp') return (active <= 0 ? count : active) - 1;
  return undefined;
}
