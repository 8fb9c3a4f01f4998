/** The text of a message. It keeps its place even when day, conversation or sender above it come or go. */
const MESSAGE_SELECTOR = '[data-message]';

/** Distance from the end in pixels that still counts as the end. */
const END_TOLERANCE_PX = 4;

/**
 * Keeps what is read at its place on screen.
 *
 * The reader's place is the first message whose text begins on screen, with its distance from the top in pixels.
 * `notePlace` takes it down after the reader has scrolled. `restorePlace` comes after each change of the document,
 * before it is painted, and scrolls by as many pixels as the change has moved that message. While the end of the list
 * is on screen, the end is the place instead, so that new messages come into view.
 */
export class ScrollPlaceKeeper {
  /** The list follows new messages. */
  followsEnd = false;
  #messageId: number | undefined;
  #topPx = 0;
  /** Position of the list when the place was taken down. */
  #notedScrollTop = 0;

  constructor(private readonly scroller: () => HTMLElement | null) {}

  /** Id of the message at the reader's place; undefined when none is on screen. */
  get messageId(): number | undefined {
    return this.#messageId;
  }

  /** Distance of its text from the top of the list. */
  get topPx(): number {
    return this.#topPx;
  }

  /** Takes the place down as it is. @param follow whether the end of the list, if on screen, is the place */
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

  /** After scrolling. Heights may have changed since the last frame as well: a picture came, or a style sheet. */
  restoreThenNotePlace(follow: boolean): void {
    this.restorePlace();
    this.notePlace(follow);
  }

  /** Scrolls so that the place is where it was; what the reader has scrolled meanwhile stays scrolled. */
  restorePlace(): void {
    const scroller = this.scroller();
    if (!scroller) return;
    const scrolled = scroller.scrollTop - this.#notedScrollTop;
    const end = scroller.scrollHeight - scroller.clientHeight;
    // A list that has become shorter is scrolled by the browser, to its end.
    if (this.followsEnd && scrolled < -1 && end - scroller.scrollTop >= END_TOLERANCE_PX) {
      this.notePlace(false);
      return;
    }
    if (this.followsEnd) {
      if (Math.abs(end - scroller.scrollTop) >= 1) scroller.scrollTop = end;
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
