/**
 * Writing: the box below the view with its address, completions, uploads, drafts, preview and scheduled sending.
 *
 *     route, core.sharedViewState.composeRequest → Composer (address, text, draft) → Editor → send → core.outbox
 *
 * - `composer.ts` is the state of the box: it follows the view, keeps texts by conversation, and saves drafts.
 * - `box.tsx` is in the first chunk; `open-box.tsx` and what it imports are in a chunk that is fetched right after.
 * - `editor.tsx` is the text area, with the completions of `../completion`; `address.tsx` the row of the address;
 *   `toolbar.tsx` the buttons.
 * - `notices.tsx` has the notices about the text; `rules.ts` and `send.ts` decide whether it may be sent.
 * - `uploads.ts` sends files and puts their links into the draft where the upload began.
 * - `emoji/` and `schedule/` are chunks of their own; other views ask for the picker by
 *   `core.sharedViewState.emojiPickerRequest`.
 *
 * Invariants: no text is lost by navigation, reload, a refusal of the server or a lost connection; a keystroke costs a
 * binary search, however many people there are; a text is changed so that the browser can undo it.
 */
export { ComposeBox } from './box.js';
export { toggleEmojiPicker } from './emoji/open.js';
