import { effect } from '@preact/signals-core';
import type { Message, Snapshot } from '../contract/index.js';
import type { MessageWindow } from './messages/window.js';
import type { MessageWindows } from './messages/windows.js';
import type { Platform } from './ports.js';
import type { ClientState } from './state/state.js';

/** The account whose copy it is. */
const USER_ID_STORE_KEY = 'offline/user';
const SNAPSHOT_STORE_KEY = 'offline/state';
const WINDOW_STORE_KEY_PREFIX = 'offline/window/';
const SAVED_WINDOW_KEYS_STORE_KEY = 'offline/windows';
const MAX_SAVED_WINDOWS = 20;
/** Messages kept of each window: some screens around the reader's place. */
const MAX_SAVED_MESSAGES_PER_WINDOW = 100;
const SAVE_INTERVAL_MS = 30_000;

/** A window as it was when it was last saved. */
export interface SavedWindow {
  readonly messages: readonly Message[];
  readonly foundNewest: boolean;
}

/**
 * A copy of the state and of the windows that were open last, in the storage of this browser: what was read stays
 * readable without a network. It is written every 30 s while something changed and when the page is left, read only
 * when the server can't be reached, and removed when the session ends, or when a page finds that it has ended.
 */
export class OfflineCopy {
  /** Version numbers of the copied parts at the last save. */
  #lastSavedVersions = '';

  constructor(
    private readonly platform: Platform,
    private readonly state: ClientState,
    private readonly windows: MessageWindows,
    /** The account whose state is to be copied; 0 for none. */
    private readonly getUserId: () => number,
  ) {
    effect(() => {
      if (!platform.visible.value) void this.saveIfChanged();
    });
    this.#repeatSaving();
  }

  async readSavedSnapshot(): Promise<Snapshot | undefined> {
    return parseStoredJson<Snapshot>(await this.platform.store.get(SNAPSHOT_STORE_KEY));
  }

  async readSavedWindow(key: string): Promise<SavedWindow | undefined> {
    return parseStoredJson<SavedWindow>(await this.platform.store.get(WINDOW_STORE_KEY_PREFIX + key));
  }

  async deleteAllSaved(): Promise<void> {
    const { store } = this.platform;
    for (const key of await store.keys('offline/')) await store.delete(key);
    this.#lastSavedVersions = '';
  }

  /** @param userId 0 for a visitor, who has no copy */
  async deleteUnlessOf(userId: number): Promise<void> {
    if ((await this.platform.store.get(USER_ID_STORE_KEY)) !== userId) await this.deleteAllSaved();
  }

  async saveIfChanged(): Promise<void> {
    const userId = this.getUserId();
    if (userId === 0) return;
    const { store } = this.platform;
    const { lastChangeNumber, heldMessageCount } = this.windows.messageStore;
    const changes = `${userId}/${this.state.unread.changeVersion.peek()}/${lastChangeNumber}/${heldMessageCount}`;
    if (changes === this.#lastSavedVersions) return;
    this.#lastSavedVersions = changes;
    // A page that is being left may do no more than its first writes.
    void store.set(USER_ID_STORE_KEY, userId);
    await store.set(SNAPSHOT_STORE_KEY, JSON.stringify(this.state.makeSnapshot()));
    const kept: string[] = [];
    for (const window of [...this.windows.cachedWindows()].slice(-MAX_SAVED_WINDOWS)) {
      const copy = this.#makeWindowCopy(window);
      if (!copy) continue;
      kept.push(window.narrowKey);
      await store.set(WINDOW_STORE_KEY_PREFIX + window.narrowKey, JSON.stringify(copy));
    }
    const before = parseStoredJson<readonly string[]>(await store.get(SAVED_WINDOW_KEYS_STORE_KEY)) ?? [];
    const all = [...before.filter((key) => !kept.includes(key)), ...kept];
    for (const key of all.slice(0, -MAX_SAVED_WINDOWS)) await store.delete(WINDOW_STORE_KEY_PREFIX + key);
    await store.set(SAVED_WINDOW_KEYS_STORE_KEY, JSON.stringify(all.slice(-MAX_SAVED_WINDOWS)));
    // The session may have ended meanwhile.
    if (this.getUserId() !== userId) await this.deleteAllSaved();
  }

  #makeWindowCopy(window: MessageWindow): SavedWindow | undefined {
    const ids = window.messageIds.peek();
    if (window.loadPhase.peek() !== 'ready' || ids.length === 0) return undefined;
    const at = window.readerMessageId === undefined ? ids.length : ids.findIndex((id) => id >= window.readerMessageId!);
    const end = Math.min(ids.length, (at < 0 ? ids.length : at) + MAX_SAVED_MESSAGES_PER_WINDOW / 2);
    const from = Math.max(0, end - MAX_SAVED_MESSAGES_PER_WINDOW);
    const messages = ids.slice(from, end).flatMap((id) => this.windows.messageStore.peek(id) ?? []);
    return { messages, foundNewest: end === ids.length && window.foundNewest.peek() };
  }

  #repeatSaving(): void {
    this.platform.setTimer(() => {
      void this.saveIfChanged();
      this.#repeatSaving();
    }, SAVE_INTERVAL_MS);
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
