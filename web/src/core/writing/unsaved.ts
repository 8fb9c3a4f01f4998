import type { Platform } from '../ports.js';

const UNSAVED_DRAFT_KEY_PREFIX = 'draft/';

/**
 * Texts of drafts that the server doesn't have: it could not be reached, or the user does not keep drafts there. They
 * are stored in this browser and survive a reload.
 */
export class UnsavedDraftTexts {
  readonly #textByKey = new Map<string, string>();

  constructor(private readonly platform: Platform) {
    void this.#loadFromStore();
  }

  getText(key: string): string | undefined {
    return this.#textByKey.get(key);
  }

  /** @param text an empty one is removed */
  setOrForgetText(key: string, text: string): void {
    if ((this.#textByKey.get(key) ?? '') === text) return;
    if (text === '') {
      this.#textByKey.delete(key);
      void this.platform.store.delete(UNSAVED_DRAFT_KEY_PREFIX + key);
    } else {
      this.#textByKey.set(key, text);
      void this.platform.store.set(UNSAVED_DRAFT_KEY_PREFIX + key, text);
    }
  }

  async #loadFromStore(): Promise<void> {
    const { store } = this.platform;
    for (const name of await store.keys(UNSAVED_DRAFT_KEY_PREFIX)) {
      const [key, text] = [name.slice(UNSAVED_DRAFT_KEY_PREFIX.length), await store.get(name)];
      if (typeof text === 'string' && !this.#textByKey.has(key)) this.#textByKey.set(key, text);
    }
  }
}
