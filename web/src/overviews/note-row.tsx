import type { ComponentChildren } from 'preact';
import type { Conversation } from '../core/index.js';
import type { RowFocusAttributes as RowAttributes } from '../kit/index.js';
import { t } from '../text/index.js';
import { ConversationLabel } from './place.js';

interface UnsentMessageRowProps {
  /** undefined while the text has no address. */
  readonly target: Conversation | undefined;
  readonly content: string;
  /** Time and state, shown after the address. */
  readonly details: ComponentChildren;
  readonly attributes: RowAttributes;
  /** Names the action of a press on the text. */
  readonly openLabel: string;
  readonly onOpen: () => void;
  /** Buttons at the end. */
  readonly children: ComponentChildren;
}

/** An unsent text: its address, its beginning and its actions. */
export function UnsentMessageRow({
  target,
  content,
  details,
  attributes,
  openLabel,
  onOpen,
  children,
}: UnsentMessageRowProps) {
  return (
    <div class="overview-row note">
      <button type="button" class="overview-main" onClick={onOpen} {...attributes}>
        <span class="hidden">{openLabel}: </span>
        <span class="note-head">
          {target ? <ConversationLabel of={target} /> : <span class="place-soft">{t('overviews.no-address')}</span>}
          <span class="overview-time">{details}</span>
        </span>
        <span class="note-text">{content}</span>
      </button>
      {children}
    </div>
  );
}

/** Height of such a row: its head and two lines of text. */
export const UNSENT_MESSAGE_ROW_HEIGHT_PX = 100;
