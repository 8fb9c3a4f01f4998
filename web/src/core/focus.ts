import { signal } from '@preact/signals-core';
import type { Conversation } from './narrow.js';

/** A request to the compose box. */
export interface ComposeRequest {
  /** undefined: the conversation that the box writes to. */
  readonly conversation?: Conversation;
  /** Text to append to what is in the box. */
  readonly insertedText?: string;
  /** The text goes into the draft of its conversation; the box neither opens nor goes there nor takes the focus. */
  readonly inBackground?: boolean;
  /** Id of the stored draft to continue: `draftService.openStoredById(id)`. */
  readonly draftId?: number;
}

/** A request to the emoji picker. */
export interface EmojiPickerRequest {
  /** Box in pixels of the window beside which the picker opens: that of the pressed button. */
  readonly anchorBox: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Called for each choice. */
  readonly onChoose: (emoji: { readonly name: string; readonly code: string; readonly type: string }) => void;
}

/** Requests between views, which don't import each other. */
export class SharedViewState {
  /** The message that keys act on; undefined: none is selected. */
  readonly selectedMessageId = signal<number | undefined>(undefined);
  /** The compose box takes a request and sets it back to undefined. */
  readonly composeRequest = signal<ComposeRequest | undefined>(undefined);
  /** The emoji picker takes a request and sets it back to undefined. */
  readonly emojiPickerRequest = signal<EmojiPickerRequest | undefined>(undefined);
  /** Person whose profile is shown in a dialog; views set it, the dialog sets it back to undefined. */
  readonly shownProfileUserId = signal<number | undefined>(undefined);
  /** Message whose text is being edited in place. */
  readonly editedMessageId = signal<number | undefined>(undefined);
}
