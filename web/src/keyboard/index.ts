/**
 * Shortcuts: their table, their keys, and the handlers that views register while they are shown.
 *
 *     keydown → formatChord(event) → ShortcutRegistry.runChord(chord) → newest handler of the top scope
 *
 * - `table.ts` declares each shortcut once: id, default keys, group in the `?` dialog. Texts are `shortcut.ID`.
 * - `chord.ts` turns a key event into a chord: `r`, `R` (with Shift), `Mod+k` (Ctrl or Command).
 * - `registry.ts` keeps handlers by scope. A dialog opens a scope: shortcuts of the page below are silent meanwhile.
 *
 * Views register by the kit's `useShortcut('reply', handler)`; a handler that returns false declines. Keys are the
 * reader's to change (`setCustomChords`) and to switch off (`areSingleKeysEnabled`), since a single letter may be
 * spoken by dictation.
 *
 * No DOM is used here: node tests import this folder. Views, shell and kit may import it.
 */
export { formatChord, type KeyPress, makeKeyCapLabels } from './chord.js';
export { PAGE_SCOPE, type ShortcutHandler, ShortcutRegistry, type ShortcutScope } from './registry.js';
export { SHORTCUT_GROUPS, SHORTCUTS, type Shortcut, type ShortcutId } from './table.js';
