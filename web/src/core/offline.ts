import { effect } from '@preact/signals-core';
import type { Message, Snapshot } from '../contract/index.js';
import type { MessageWindow } from './messages/window.js';
import type { Windows } from './messages/windows.js';
import type { Platform } from './ports.js';
import type { State } from './state/state.js';

const STATE = 'offline/state';
const WINDOW = 'offline/window/';
const LIST = 'offline/windows';
const MAX_WINDOWS = 20;
/** Messages of a window: some screens around the reader's place. */
const MAX_MESSAGES = 100;
const SAVE_EVERY_MS = 30_000;

/** A window as it was when it was last saved. */
export interface KeptWindow {
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
  #saved = '';

  constructor(
    private readonly platform: Platform,
    private readonly state: State,
    private readonly windows: Windows,
    private readonly isSignedIn: () => boolean,
  ) {
    effect(() => {
      if (!platform.visible.value) void this.save();
    });
    this.#saveLater();
  }

  async snapshot(): Promise<Snapshot | undefined> {
    return parsed<Snapshot>(await this.platform.store.get(STATE));
  }

  async window(key: string): Promise<KeptWindow | undefined> {
    return parsed<KeptWindow>(await this.platform.store.get(WINDOW + key));
  }

  async clear(): Promise<void> {
    const { store } = this.platform;
    for (const key of await store.keys('offline/')) await store.delete(key);
  }

  async save(): Promise<void> {
    if (!this.isSignedIn() || this.state.me.userId.peek() === 0) return;
    const { store } = this.platform;
    const { now, size } = this.windows.store;
    const changes = `${this.state.me.userId.peek()}/${this.state.unread.version.peek()}/${now}/${size}`;
    if (changes === this.#saved) return;
    this.#saved = changes;
    await store.set(STATE, JSON.stringify(this.state.save()));
    const kept: string[] = [];
    for (const window of [...this.windows.all()].slice(-MAX_WINDOWS)) {
      const copy = this.#copyOf(window);
      if (!copy) continue;
      kept.push(window.key);
      await store.set(WINDOW + window.key, JSON.stringify(copy));
    }
    const before = parsed<readonly string[]>(await store.get(LIST)) ?? [];
    const all = [...before.filter((key) => !kept.includes(key)), ...kept];
    for (const key of all.slice(0, -MAX_WINDOWS)) await store.delete(WINDOW + key);
    await store.set(LIST, JSON.stringify(all.slice(-MAX_WINDOWS)));
    // The session may have ended meanwhile.
    if (!this.isSignedIn()) await this.clear();
  }

  #copyOf(window: MessageWindow): KeptWindow | undefined {
    const ids = window.ids.peek();
    if (window.phase.peek() !== 'ready' || ids.length === 0) return undefined;
    const at = window.place === undefined ? ids.length : ids.findIndex((id) => id >= window.place!);
    const end = Math.min(ids.length, (at < 0 ? ids.length : at) + MAX_MESSAGES / 2);
    const from = Math.max(0, end - MAX_MESSAGES);
    const messages = ids.slice(from, end).flatMap((id) => this.windows.store.peek(id) ?? []);
    return { messages, foundNewest: end === ids.length && window.foundNewest.peek() };
  }

  #saveLater(): void {
    this.platform.setTimer(() => {
      void this.save();
      this.#saveLater();
    }, SAVE_EVERY_MS);
  }
}

function parsed<T>(text: unknown): T | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
