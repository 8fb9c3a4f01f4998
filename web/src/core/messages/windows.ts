import type { Message } from '../../contract/index.js';
import type { Api } from '../api.js';
import type { Facts } from '../match.js';
import { type Narrow, narrowKey, operandOf } from '../narrow.js';
import type { Platform } from '../ports.js';
import { MessageStore } from './store.js';
import { type ChangeKind, type KeptMessages, MessageWindow } from './window.js';

const MAX_WINDOWS = 20;
/** After this many more messages, those that no window shows any more are forgotten. */
const SWEEP_AFTER = 2_000;
const CATCH_UP_MS = 15_000;

/**
 * The windows that are open or were open lately, and the messages in them.
 *
 *     const window = windows.open(topicNarrow(12, 'plans'));   // the same object while it is cached
 *     await window.jumpTo('first_unread');
 */
export class Windows {
  readonly store = new MessageStore();
  /** The one used last stands last. */
  readonly #windows = new Map<string, MessageWindow>();
  #active: MessageWindow | undefined;
  #sweepAt = SWEEP_AFTER;

  constructor(
    private readonly api: Api,
    private readonly facts: Facts,
    /** The copy of a window, for times without a network. */
    private readonly kept: KeptMessages = async () => undefined,
  ) {}

  /** The window that is on screen. */
  get active(): MessageWindow | undefined {
    return this.#active;
  }

  open(narrow: Narrow): MessageWindow {
    const key = narrowKey(narrow);
    const window = this.#windows.get(key) ?? new MessageWindow(narrow, this.api, this.store, this.facts, this.kept);
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (window !== this.#active) {
      window.sweep();
      if (!window.isLive) window.markStale();
    }
    this.#active = window;
    this.#evict();
    void window.refreshIfStale();
    return window;
  }

  all(): Iterable<MessageWindow> {
    return this.#windows.values();
  }

  /** @returns whether some window shows it */
  arrive(message: Message): boolean {
    const taking = [...this.#windows.values()].filter((window) => window.takes(message));
    if (taking.length > 0 || this.store.has(message.id)) this.store.arrive(message);
    for (const window of taking) window.arrive(message.id);
    if (this.store.size > this.#sweepAt) this.#sweepStore();
    return taking.length > 0;
  }

  reconsider(ids: readonly number[], why: ChangeKind): void {
    for (const window of this.#windows.values()) {
      if (!window.reconsider(ids, why)) continue;
      if (window === this.#active) void window.refresh();
      else window.markStale();
    }
  }

  lose(ids: readonly number[]): void {
    for (const window of this.#windows.values()) window.lose(ids);
  }

  /** The user joined or left the stream: messages may have come or gone without events. */
  subscriptionChanged(stream: number): void {
    for (const window of this.#windows.values()) {
      const of = operandOf(window.narrow, 'stream');
      if (of !== undefined && of !== stream) continue;
      window.markStale();
      if (window === this.#active) void window.refreshIfStale();
    }
  }

  /** Catches up on screen, where no events come, as long as the page lives. */
  watch(platform: Platform): void {
    platform.setTimer(() => {
      const active = this.#active;
      if (active && !active.isLive && platform.visible.peek()) void active.catchUp();
      this.watch(platform);
    }, CATCH_UP_MS);
  }

  delete(ids: readonly number[]): void {
    this.store.delete(ids);
    for (const window of this.#windows.values()) window.remove(ids);
  }

  /** After lost events: the window on screen is fetched again at once, others when they are opened. */
  async refresh(): Promise<void> {
    for (const window of this.#windows.values()) if (window !== this.#active) window.markStale();
    await this.#active?.refresh();
  }

  /** Forgets the windows that are not on screen. */
  keepActive(): void {
    for (const [key, window] of this.#windows) if (window !== this.#active) this.#windows.delete(key);
    this.#sweepStore();
  }

  clear(): void {
    this.#windows.clear();
    this.#active = undefined;
    this.store.keep(new Set());
  }

  #evict(): void {
    if (this.#windows.size <= MAX_WINDOWS) return;
    for (const key of this.#windows.keys()) {
      if (this.#windows.size <= MAX_WINDOWS) break;
      this.#windows.delete(key);
    }
    this.#sweepStore();
  }

  /** Keeps the messages that some window shows. */
  #sweepStore(): void {
    const shown = new Set<number>();
    for (const { ids } of this.#windows.values()) for (const id of ids.peek()) shown.add(id);
    this.store.keep(shown);
    this.#sweepAt = this.store.size + SWEEP_AFTER;
  }
}
