import type { Message } from '../../contract/index.js';
import type { ApiClient } from '../api.js';
import type { NarrowMatchFacts } from '../match.js';
import { findPositiveOperand, makeNarrowKey, type Narrow } from '../narrow.js';
import type { Platform } from '../ports.js';
import { MessageStore } from './store.js';
import { type MessageChangeKind, MessageWindow, type SavedWindowReader } from './window.js';

const MAX_CACHED_WINDOWS = 20;
/** Messages that no window shows are dropped each time the store has grown by this many. */
const STORE_SWEEP_AFTER_MESSAGES = 2_000;
const CATCH_UP_INTERVAL_MS = 15_000;

/**
 * The windows that are open or were open lately, and the messages in them.
 *
 *     const window = windows.openWindow(makeTopicNarrow(12, 'plans'));   // the same object while it is cached
 *     await window.showOrLoadAround('first_unread');
 */
export class MessageWindows {
  readonly messageStore = new MessageStore();
  /** Windows in the order of their last use, the last one at the end. */
  readonly #windowByNarrowKey = new Map<string, MessageWindow>();
  #lastOpenedWindow: MessageWindow | undefined;
  #sweepAtStoreSize = STORE_SWEEP_AFTER_MESSAGES;

  constructor(
    private readonly api: ApiClient,
    private readonly facts: NarrowMatchFacts,
    /** Reads the offline copy of a window. */
    private readonly kept: SavedWindowReader = async () => undefined,
  ) {}

  /** The window that is on screen. */
  get lastOpenedWindow(): MessageWindow | undefined {
    return this.#lastOpenedWindow;
  }

  openWindow(narrow: Narrow): MessageWindow {
    const key = makeNarrowKey(narrow);
    const window =
      this.#windowByNarrowKey.get(key) ?? new MessageWindow(narrow, this.api, this.messageStore, this.facts, this.kept);
    this.#windowByNarrowKey.delete(key);
    this.#windowByNarrowKey.set(key, window);
    if (window !== this.#lastOpenedWindow) {
      window.removeRowsThatNoLongerMatch();
      if (!window.isKeptCompleteByEvents) window.markStale();
    }
    this.#lastOpenedWindow = window;
    this.#evictOldestWindows();
    void window.refreshIfStale();
    return window;
  }

  cachedWindows(): Iterable<MessageWindow> {
    return this.#windowByNarrowKey.values();
  }

  /** @returns whether some window shows it */
  addArrivedMessage(message: Message): boolean {
    const taking = [...this.#windowByNarrowKey.values()].filter((window) => window.acceptsArrival(message));
    if (taking.length > 0 || this.messageStore.holdsMessage(message.id)) this.messageStore.addArrivedMessage(message);
    for (const window of taking) window.addArrivedMessage(message.id);
    if (this.messageStore.heldMessageCount > this.#sweepAtStoreSize) this.#dropMessagesOfNoWindow();
    return taking.length > 0;
  }

  /** Whether an arriving message will be on screen as soon as the view has rendered it, so that it counts as read. */
  showsArrivalAtOnce(message: Message): boolean {
    const window = this.#lastOpenedWindow;
    // A view of unread messages would not take it as a read one.
    const asRead = { ...message, flags: ['read', ...message.flags] };
    return window?.acceptsArrival(message) === true && window.acceptsArrival(asRead) && window.showsNextArrival();
  }

  recheckChangedMessages(ids: readonly number[], why: MessageChangeKind): void {
    for (const window of this.#windowByNarrowKey.values()) {
      if (!window.recheckChangedAndTellIfIncomplete(ids, why)) continue;
      if (window === this.#lastOpenedWindow) void window.refetchAroundReader();
      else window.markStale();
    }
  }

  removeLostCopiesFromWindows(ids: readonly number[]): void {
    for (const window of this.#windowByNarrowKey.values()) window.removeLostCopiesUnlessHistoryShown(ids);
  }

  /** The user joined or left the stream: messages may have come or gone without events. */
  refreshAfterSubscriptionChange(stream: number): void {
    for (const window of this.#windowByNarrowKey.values()) {
      const of = findPositiveOperand(window.narrow, 'stream');
      if (of !== undefined && of !== stream) continue;
      window.markStale();
      if (window === this.#lastOpenedWindow) void window.refreshIfStale();
    }
  }

  /** Fetches newer messages of the window on screen again and again if it gets no events, for the life of the page. */
  startRepeatingCatchUp(platform: Platform): void {
    platform.setTimer(() => {
      const active = this.#lastOpenedWindow;
      if (active && !active.isKeptCompleteByEvents && platform.visible.peek()) void active.fetchNewerThanLast();
      this.startRepeatingCatchUp(platform);
    }, CATCH_UP_INTERVAL_MS);
  }

  deleteMessages(ids: readonly number[]): void {
    this.messageStore.deleteMessages(ids);
    for (const window of this.#windowByNarrowKey.values()) window.removeRows(ids);
  }

  /** After lost events: the window on screen is fetched again at once, others when they are opened. */
  async refreshShownAndMarkOthersStale(): Promise<void> {
    for (const window of this.#windowByNarrowKey.values()) if (window !== this.#lastOpenedWindow) window.markStale();
    await this.#lastOpenedWindow?.refetchAroundReader();
  }

  dropAllWindowsAndMessages(): void {
    this.#windowByNarrowKey.clear();
    this.#lastOpenedWindow = undefined;
    this.messageStore.dropAllMessagesExcept(new Set());
  }

  #evictOldestWindows(): void {
    if (this.#windowByNarrowKey.size <= MAX_CACHED_WINDOWS) return;
    for (const key of this.#windowByNarrowKey.keys()) {
      if (this.#windowByNarrowKey.size <= MAX_CACHED_WINDOWS) break;
      this.#windowByNarrowKey.delete(key);
    }
    this.#dropMessagesOfNoWindow();
  }

  /** Keeps the messages that some window shows. */
  #dropMessagesOfNoWindow(): void {
    const shown = new Set<number>();
    for (const { messageIds } of this.#windowByNarrowKey.values()) for (const id of messageIds.peek()) shown.add(id);
    this.messageStore.dropAllMessagesExcept(shown);
    this.#sweepAtStoreSize = this.messageStore.heldMessageCount + STORE_SWEEP_AFTER_MESSAGES;
  }
}
