import { effect } from '@preact/signals-core';
import type { Message, Snapshot } from '../contract/index.js';
import type { MessageWindow } from './messages/window.js';
import type { MessageWindows } from './messages/windows.js';
import type { Platform } from './ports.js';
import type { State } from './state/state.js';

const STATE_STORE_KEY = 'offline/state';
const WINDOW_STORE_KEY_PREFIX = 'offline/window/';
const WINDOW_LIST_STORE_KEY = 'offline/windows';
const MAX_SAVED_WINDOWS = 20;
/** Messages of a window: some screens around the reader's place. */
const MAX_SAVED_MESSAGES_PER_WINDOW = 100;
const SAVE_EVERY_MS = 30_000;

/** A window as it was when it was last saved. */
export interface SavedWindow {
  readonly messages: readonly Message[];
  readonly foundNewest: boolean;
}

/**
 * A copy of the state and of the windows that were open last, in the storage of this browser: what was read stays
 * readable without a network. It is written every 30 s while something changed and when the page is left, read only
 * when the server can't be reached, and removed when the session ends.
 */
export class OfflineCopy {
  /** Numbers that change with all that is kept. */
  #lastSavedVersions = '';

  constructor(
    private readonly platform: Platform,
    private readonly state: State,
    private readonly windows: MessageWindows,
    private readonly isSignedIn: () => boolean,
  ) {
    effect(() => {
      if (!platform.visible.value) void this.save();
    });
    this.#scheduleSave();
  }

  async readSnapshot(): Promise<Snapshot | undefined> {
    return parseStoredJson<Snapshot>(await this.platform.store.get(STATE_STORE_KEY));
  }

  async readWindow(key: string): Promise<SavedWindow | undefined> {
    return parseStoredJson<SavedWindow>(await this.platform.store.get(WINDOW_STORE_KEY_PREFIX + key));
  }

  async clear(): Promise<void> {
    const { store } = this.platform;
    for (const key of await store.keys('offline/')) await store.delete(key);
  }

  async save(): Promise<void> {
    if (!this.isSignedIn() || this.state.me.userId.peek() === 0) return;
    const { store } = this.platform;
    const { lastChangeNumber, size } = this.windows.store;
    const changes = `${this.state.me.userId.peek()}/${this.state.unread.version.peek()}/${lastChangeNumber}/${size}`;
    if (changes === this.#lastSavedVersions) return;
    this.#lastSavedVersions = changes;
    await store.set(STATE_STORE_KEY, JSON.stringify(this.state.save()));
    const kept: string[] = [];
    for (const window of [...this.windows.all()].slice(-MAX_SAVED_WINDOWS)) {
      const copy = this.#makeWindowCopy(window);
      if (!copy) continue;
      kept.push(window.key);
      await store.set(WINDOW_STORE_KEY_PREFIX + window.key, JSON.stringify(copy));
    }
    const before = parseStoredJson<readonly string[]>(await store.get(WINDOW_LIST_STORE_KEY)) ?? [];
    const all = [...before.filter((key) => !kept.includes(key)), ...kept];
    for (const key of all.slice(0, -MAX_SAVED_WINDOWS)) await store.delete(WINDOW_STORE_KEY_PREFIX + key);
    await store.set(WINDOW_LIST_STORE_KEY, JSON.stringify(all.slice(-MAX_SAVED_WINDOWS)));
    // The session may have ended meanwhile.
    if (!this.isSignedIn()) await this.clear();
  }

  #makeWindowCopy(window: MessageWindow): SavedWindow | undefined {
    const ids = window.ids.peek();
    if (window.phase.peek() !== 'ready' || ids.length === 0) return undefined;
    const at = window.readerPlaceId === undefined ? ids.length : ids.findIndex((id) => id >= window.readerPlaceId!);
    const end = Math.min(ids.length, (at < 0 ? ids.length : at) + MAX_SAVED_MESSAGES_PER_WINDOW / 2);
    const from = Math.max(0, end - MAX_SAVED_MESSAGES_PER_WINDOW);
    const messages = ids.slice(from, end).flatMap((id) => this.windows.store.peek(id) ?? []);
    return { messages, foundNewest: end === ids.length && window.foundNewest.peek() };
  }

  #scheduleSave(): void {
    this.platform.setTimer(() => {
      void this.save();
      this.#scheduleSave();
    }, SAVE_EVERY_MS);
  }
}

function parseStoredJson<T>(text: unknown): T | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
