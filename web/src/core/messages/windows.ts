import type { Message } from '../../contract/index.js';
import type { Api } from '../api.js';
import type { NarrowMatchFacts } from '../match.js';
import { findOperand, type Narrow, narrowKey } from '../narrow.js';
import type { Platform } from '../ports.js';
import { MessageStore } from './store.js';
import { type MessageChangeKind, MessageWindow, type ReadSavedWindow } from './window.js';

const MAX_WINDOWS = 20;
/** After this many more messages, those that no window shows any more are forgotten. */
const STORE_SWEEP_AFTER_MESSAGES = 2_000;
const CATCH_UP_INTERVAL_MS = 15_000;

/**
 * The windows that are open or were open lately, and the messages in them.
 *
 *     const window = windows.open(topicNarrow(12, 'plans'));   // the same object while it is cached
 *     await window.jumpTo('first_unread');
 */
export class MessageWindows {
  readonly store = new MessageStore();
  /** The one used last stands last. */
  readonly #windowByNarrowKey = new Map<string, MessageWindow>();
  #active: MessageWindow | undefined;
  #sweepAtStoreSize = STORE_SWEEP_AFTER_MESSAGES;

  constructor(
    private readonly api: Api,
    private readonly facts: NarrowMatchFacts,
    /** The copy of a window, for times without a network. */
    private readonly kept: ReadSavedWindow = async () => undefined,
  ) {}

  /** The window that is on screen. */
  get active(): MessageWindow | undefined {
    return this.#active;
  }

  open(narrow: Narrow): MessageWindow {
    const key = narrowKey(narrow);
    const window =
      this.#windowByNarrowKey.get(key) ?? new MessageWindow(narrow, this.api, this.store, this.facts, this.kept);
    this.#windowByNarrowKey.delete(key);
    this.#windowByNarrowKey.set(key, window);
    if (window !== this.#active) {
      window.removeRowsThatNoLongerMatch();
      if (!window.isLive) window.markStale();
    }
    this.#active = window;
    this.#evict();
    void window.refreshIfStale();
    return window;
  }

  all(): Iterable<MessageWindow> {
    return this.#windowByNarrowKey.values();
  }

  /** @returns whether some window shows it */
  addArrivedMessage(message: Message): boolean {
    const taking = [...this.#windowByNarrowKey.values()].filter((window) => window.acceptsArrival(message));
    if (taking.length > 0 || this.store.has(message.id)) this.store.addArrivedMessage(message);
    for (const window of taking) window.addArrivedMessage(message.id);
    if (this.store.size > this.#sweepAtStoreSize) this.#sweepStore();
    return taking.length > 0;
  }

  recheckChangedMessages(ids: readonly number[], why: MessageChangeKind): void {
    for (const window of this.#windowByNarrowKey.values()) {
      if (!window.recheckChangedMessages(ids, why)) continue;
      if (window === this.#active) void window.refresh();
      else window.markStale();
    }
  }

  removeLostCopies(ids: readonly number[]): void {
    for (const window of this.#windowByNarrowKey.values()) window.removeLostCopies(ids);
  }

  /** The user joined or left the stream: messages may have come or gone without events. */
  onSubscriptionChanged(stream: number): void {
    for (const window of this.#windowByNarrowKey.values()) {
      const of = findOperand(window.narrow, 'stream');
      if (of !== undefined && of !== stream) continue;
      window.markStale();
      if (window === this.#active) void window.refreshIfStale();
    }
  }

  /** Catches up on screen, where no events come, as long as the page lives. */
  repeatCatchUp(platform: Platform): void {
    platform.setTimer(() => {
      const active = this.#active;
      if (active && !active.isLive && platform.visible.peek()) void active.catchUp();
      this.repeatCatchUp(platform);
    }, CATCH_UP_INTERVAL_MS);
  }

  delete(ids: readonly number[]): void {
    this.store.delete(ids);
    for (const window of this.#windowByNarrowKey.values()) window.remove(ids);
  }

  /** After lost events: the window on screen is fetched again at once, others when they are opened. */
  async refresh(): Promise<void> {
    for (const window of this.#windowByNarrowKey.values()) if (window !== this.#active) window.markStale();
    await this.#active?.refresh();
  }

  /** Forgets the windows that are not on screen. */
  dropInactiveWindows(): void {
    for (const [key, window] of this.#windowByNarrowKey)
      if (window !== this.#active) this.#windowByNarrowKey.delete(key);
    this.#sweepStore();
  }

  clear(): void {
    this.#windowByNarrowKey.clear();
    this.#active = undefined;
    this.store.keepOnly(new Set());
  }

  #evict(): void {
    if (this.#windowByNarrowKey.size <= MAX_WINDOWS) return;
    for (const key of this.#windowByNarrowKey.keys()) {
      if (this.#windowByNarrowKey.size <= MAX_WINDOWS) break;
      this.#windowByNarrowKey.delete(key);
    }
    this.#sweepStore();
  }

  /** Keeps the messages that some window shows. */
  #sweepStore(): void {
    const shown = new Set<number>();
    for (const { ids } of this.#windowByNarrowKey.values()) for (const id of ids.peek()) shown.add(id);
    this.store.keepOnly(shown);
    this.#sweepAtStoreSize = this.store.size + STORE_SWEEP_AFTER_MESSAGES;
  }
}
