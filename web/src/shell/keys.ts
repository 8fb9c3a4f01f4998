import { effect } from '@preact/signals';
import { pageShortcuts } from '../kit/index.js';

const SHORTCUTS_STORAGE_KEY = 'shortcuts';

/** Loads the reader's own shortcuts from the storage of this browser, and saves changes there. */
export function syncShortcutKeysWithStorage(): void {
  try {
    const { changes = {}, enabled = true } = JSON.parse(localStorage.getItem(SHORTCUTS_STORAGE_KEY) ?? '{}');
    pageShortcuts.customChordsById.value = changes;
    pageShortcuts.areSingleKeysEnabled.value = enabled;
  } catch {
    // Without storage, or with a damaged entry, the default keys count.
  }
  effect(() => {
    const text = JSON.stringify({
      changes: pageShortcuts.customChordsById.value,
      enabled: pageShortcuts.areSingleKeysEnabled.value,
    });
    try {
      localStorage.setItem(SHORTCUTS_STORAGE_KEY, text);
    } catch {
      // Without storage, the reader's own keyboard shortcuts are lost when the page is left.
    }
  });
}
