/** Text of a message: it keeps its place even when lines above it (day, conversation, sender) are added or removed. */
const MESSAGE_SELECTOR = '[data-message]';

/** Distance of the entry in which the reader types from the top of the screen in pixels, with room for its label. */
const ENTRY_TOP_PX = 80;

/** Distance from the end in pixels that still counts as the end. */
const END_TOLERANCE_PX = 4;

/**
 * Keeps the message that is read at its place on screen.
 *
 * The place is the first message whose text begins on screen, and its distance from the top in pixels. `notePlace`
 * stores it after the reader has scrolled. `restorePlace` is called after each change of the document, before it is
 * painted, and scrolls by as many pixels as the change has moved that message. While the end of the list is on screen,
 * the list stays at its end instead and so follows new messages, as long as that leaves an entry in which the reader
 * types on screen.
 */
export class ScrollPlaceKeeper {
  /** Whether the list stays at its end. */
  followsEnd = false;
  #messageId: number | undefined;
  #topPx = 0;
  /** Scroll position for which `#topPx` holds. */
  #notedScrollTop = 0;

  constructor(private readonly scroller: () => HTMLElement | null) {}

  /** The first message on screen; undefined if there is none. */
  get messageId(): number | undefined {
    return this.#messageId;
  }

  /** Distance of its text from the top of the list in pixels. */
  get topPx(): number {
    return this.#topPx;
  }

  /** Stores the place. @param follow whether to stay at the end of the list if it is on screen */
  notePlace(follow: boolean): void {
    const scroller = this.scroller();
    if (!scroller) return;
    this.followsEnd = follow && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < END_TOLERANCE_PX;
    this.#notedScrollTop = scroller.scrollTop;
    const { top, bottom } = scroller.getBoundingClientRect();
    this.#messageId = undefined;
    for (const element of scroller.querySelectorAll<HTMLElement>(MESSAGE_SELECTOR)) {
      const box = element.getBoundingClientRect();
      if (box.bottom <= top) continue;
      if (box.top >= bottom) break;
      this.#messageId = Number(element.dataset.message);
      this.#topPx = box.top - top;
      if (box.top >= top) break;
    }
  }

  /** Called after a scroll. In the same frame, a picture or a style sheet may have changed heights. */
  restoreThenNotePlace(follow: boolean): void {
    this.restorePlace();
    this.notePlace(follow);
  }

  /** Moves the message back to its place. Pixels that the reader has scrolled since count as part of the place. */
  restorePlace(): void {
    const scroller = this.scroller();
    if (!scroller) return;
    const scrolled = scroller.scrollTop - this.#notedScrollTop;
    const end = scroller.scrollHeight - scroller.clientHeight;
    // The reader has scrolled up. The browser scrolls a list that has become shorter, too, but to its end.
    if (this.followsEnd && scrolled < -1 && end - scroller.scrollTop >= END_TOLERANCE_PX) {
      this.notePlace(false);
      return;
    }
    if (this.followsEnd) {
      let down = end - scroller.scrollTop;
      const entry = document.activeElement?.closest('form');
      if (entry && scroller.contains(entry)) {
        const freePx = entry.getBoundingClientRect().top - scroller.getBoundingClientRect().top - ENTRY_TOP_PX;
        if (freePx > -ENTRY_TOP_PX) down = Math.min(down, Math.max(0, freePx));
      }
      if (Math.abs(down) >= 1) scroller.scrollTop += down;
    } else {
      this.#topPx -= scrolled;
      const element = this.#messageId !== undefined && scroller.querySelector(`[data-message="${this.#messageId}"]`);
      if (!element) {
        this.#notedScrollTop = scroller.scrollTop;
        return;
      }
      const moved = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top - this.#topPx;
      if (Math.abs(moved) >= 0.5) scroller.scrollTop += moved;
    }
    this.#notedScrollTop = scroller.scrollTop;
  }
}
