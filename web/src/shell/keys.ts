import { effect } from '@preact/signals';
import { keyboard } from '../kit/index.js';

const KEY = 'shortcuts';

/** Takes the reader's own keys from the storage of this browser, and writes changes there. */
export function loadKeys(): void {
  try {
    const { changes = {}, enabled = true } = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    keyboard.changes.value = changes;
    keyboard.enabled.value = enabled;
  } catch {
    // Damaged or no storage: the default keys.
  }
  effect(() => {
    const text = JSON.stringify({ changes: keyboard.changes.value, enabled: keyboard.enabled.value });
    try {
      localStorage.setItem(KEY, text);
    } catch {
      // Without storage the keys hold until the page is left.
    }
  });
}
