import { signal } from '@preact/signals-core';
import type { Platform } from '../ports.js';
import type { StoredDraft } from '../state/own.js';

const UNSAVED_DRAFT_KEY_PREFIX = 'draft/';

/**
 * Drafts that the server doesn't have: it could not be reached, or the user does not keep drafts there. They are stored
 * in this browser and survive a reload. Their ids are negative.
 */
export class UnsavedDrafts {
  readonly byKey = signal<ReadonlyMap<string, StoredDraft>>(new Map());
  #lastId = 0;

  constructor(private readonly platform: Platform) {
    void this.#loadFromStore();
  }

  getText(key: string): string | undefined {
    return this.byKey.peek().get(key)?.content;
  }

  /** @param draft one with an empty text is removed */
  setOrForget(key: string, draft: Omit<StoredDraft, 'id'>): void {
    if ((this.getText(key) ?? '') === draft.content) return;
    const isEmpty = draft.content === '';
    this.#change(key, isEmpty ? undefined : draft);
    const { store } = this.platform;
    const name = UNSAVED_DRAFT_KEY_PREFIX + key;
    void (isEmpty ? store.delete(name) : store.set(name, draft));
  }

  #change(key: string, draft: Omit<StoredDraft, 'id'> | undefined): void {
    const drafts = new Map(this.byKey.peek());
    if (draft) drafts.set(key, { ...draft, id: drafts.get(key)?.id ?? --this.#lastId });
    else drafts.delete(key);
    this.byKey.value = drafts;
  }

  async #loadFromStore(): Promise<void> {
    const { store } = this.platform;
    for (const name of await store.keys(UNSAVED_DRAFT_KEY_PREFIX)) {
      const key = name.slice(UNSAVED_DRAFT_KEY_PREFIX.length);
      const draft = await store.get(name);
      if (draft && typeof draft === 'object' && !this.byKey.peek().has(key)) this.#change(key, draft as StoredDraft);
    }
  }
}
