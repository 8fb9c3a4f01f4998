import { effect } from '@preact/signals';
import { pageShortcuts } from '../kit/index.js';

const SHORTCUTS_STORAGE_KEY = 'shortcuts';

/** Takes the reader's own keys from the storage of this browser, and writes changes there. */
export function syncShortcutKeysWithStorage(): void {
  try {
    const { changes = {}, enabled = true } = JSON.parse(localStorage.getItem(SHORTCUTS_STORAGE_KEY) ?? '{}');
    pageShortcuts.customChordsById.value = changes;
    pageShortcuts.areSingleKeysEnabled.value = enabled;
  } catch {
    // Damaged or no storage: the default keys.
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
