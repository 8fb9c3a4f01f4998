import type { ComponentChildren } from 'preact';
import type { Conversation } from '../core/index.js';
import type { Row as RowAttributes } from '../kit/index.js';
import { t } from '../text/index.js';
import { Place } from './place.js';

interface NoteRowProps {
  /** undefined: an address is missing yet. */
  readonly to: Conversation | undefined;
  readonly content: string;
  /** Time and state, behind the address. */
  readonly about: ComponentChildren;
  readonly attributes: RowAttributes;
  /** Names the action of a press on the text. */
  readonly label: string;
  readonly onOpen: () => void;
  /** Buttons at the end. */
  readonly children: ComponentChildren;
}

/** A text that was written and not sent: where it goes, its beginning, and what can be done with it. */
export function NoteRow({ to, content, about, attributes, label, onOpen, children }: NoteRowProps) {
  return (
    <div class="overview-row note">
      <button type="button" class="overview-main" onClick={onOpen} {...attributes}>
        <span class="hidden">{label}: </span>
        <span class="note-head">
          {to ? <Place of={to} /> : <span class="place-soft">{t('overviews.no-address')}</span>}
          <span class="overview-time">{about}</span>
        </span>
        <span class="note-text">{content}</span>
      </button>
      {children}
    </div>
  );
}

/** Height of such a row: its head and two lines of text. */
export const NOTE_HEIGHT = 100;
