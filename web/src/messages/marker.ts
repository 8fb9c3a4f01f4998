import { type ReadonlySignal, signal } from '@preact/signals';
import type { MessageStore, MessageWindow } from '../core/index.js';

/** The parts of the core that the marker follows. */
interface UnreadMarkerSources {
  readonly window: Pick<MessageWindow, 'messageIds' | 'lastMessageId' | 'lastListChange'>;
  readonly store: Pick<MessageStore, 'peek'>;
  /** Messages of the reader that are on their way to this view. */
  readonly pendingItems: ReadonlySignal<readonly unknown[]>;
  readonly isPageFocused: ReadonlySignal<boolean>;
  readonly ownUserId: number;
}

/**
 * The message below the line "New": the first one that was unread when the view was opened, or when the reader came
 * back to the page after messages had come. A message that arrives while the reader looks at the page does not move the
 * line. The line goes when the reader sends a message, since everything above an answer has been read.
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
    const { window, pendingItems, isPageFocused } = this.sources;
    /** Whether the next message moves the line: the first one that comes while the reader is away. */
    let isLineDue = false;
    let pendingCount = pendingItems.peek().length;
    let newestId = window.lastMessageId ?? 0;
    const ends = [
      pendingItems.subscribe(({ length }) => {
        if (length > pendingCount) this.messageId.value = undefined;
        pendingCount = length;
      }),
      isPageFocused.subscribe((isFocused) => {
        isLineDue = !isFocused;
      }),
      window.lastListChange.subscribe(({ kind }) => {
        const last = window.lastMessageId ?? 0;
        const hasNewer = last > newestId;
        newestId = last;
        // A list is refreshed after events were lost, for example while the computer slept: no message was seen coming.
        const isRefreshed = kind === 'refreshed';
        if (!hasNewer || (kind !== 'arrived' && !isRefreshed)) return;
        if (this.#isOwn(last)) {
          this.messageId.value = undefined;
          isLineDue = !isPageFocused.peek();
        } else if (this.#isNew(last) && (isLineDue || isRefreshed)) {
          isLineDue = false;
          this.markFirstUnread();
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
