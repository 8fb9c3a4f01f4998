import { type ReadonlySignal, signal } from '@preact/signals';
import type { MessageStore, MessageWindow } from '../core/index.js';

/** The parts of the core that the marker follows. */
interface UnreadMarkerSources {
  readonly window: Pick<MessageWindow, 'messageIds' | 'lastMessageId' | 'lastListChange'>;
  readonly store: Pick<MessageStore, 'peek'>;
  /** Messages of the reader that are on their way to this view. */
  readonly pendingItems: ReadonlySignal<readonly unknown[]>;
  readonly isPageVisible: ReadonlySignal<boolean>;
  readonly ownUserId: number;
}

/**
 * The message below the line "New": the first one that was unread when the view was opened, or the first one that came
 * while the reader was away. The line goes when the reader sends a message, since everything above an answer has been
 * read.
 */
export class UnreadMarker {
  readonly messageId = signal<number | undefined>(undefined);

  constructor(private readonly sources: UnreadMarkerSources) {}

  /**
   * Puts the line above the first unread message behind the last own one. @returns the first unread message, which may
   * be above the line
   */
  markFirstUnread(): number | undefined {
    const ids = this.sources.window.messageIds.peek();
    const lastOwn = ids.findLastIndex((id) => this.#isOwn(id));
    this.messageId.value = ids.slice(lastOwn + 1).find((id) => this.#isNew(id));
    return ids.find((id) => this.#isNew(id));
  }

  /** @returns a function that ends it */
  follow(): () => void {
    const { window, pendingItems, isPageVisible } = this.sources;
    let isAway = false;
    let pendingCount = pendingItems.peek().length;
    const ends = [
      pendingItems.subscribe(({ length }) => {
        if (length > pendingCount) this.messageId.value = undefined;
        pendingCount = length;
      }),
      isPageVisible.subscribe((visible) => {
        if (!visible && !window.messageIds.peek().some((id) => this.#isNew(id))) isAway = true;
      }),
      window.lastListChange.subscribe(({ kind }) => {
        const last = window.lastMessageId;
        if (kind !== 'arrived' || last === undefined) return;
        if (this.#isOwn(last)) this.messageId.value = undefined;
        else if (isAway && this.#isNew(last)) {
          isAway = false;
          this.messageId.value = last;
        }
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  #isOwn(id: number): boolean {
    return this.sources.store.peek(id)?.sender_id === this.sources.ownUserId;
  }

  #isNew(id: number): boolean {
    return this.sources.store.peek(id)?.flags.includes('read') === false && !this.#isOwn(id);
  }
}
