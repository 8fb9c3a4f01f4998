import type { TextEdit, TextSelection } from './edits.js';

export const readTextSelection = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): TextSelection => ({
  text: value,
  start: selectionStart,
  end: selectionEnd,
});

/** Changes a part of the text so that Ctrl+Z takes it back; the input event follows as after typing. */
export function applyTextAreaEdit(
  area: HTMLTextAreaElement,
  { from, to, insertedText, selectionStart, selectionEnd }: TextEdit,
): void {
  area.focus({ preventScroll: true });
  area.setSelectionRange(from, to);
  // The only way into the browser's history of changes; browsers without it get a plain change.
  const command = insertedText === '' ? 'delete' : 'insertText';
  const done = (from === to && insertedText === '') || document.execCommand(command, false, insertedText);
  if (!done) {
    area.setRangeText(insertedText, from, to);
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
  area.setSelectionRange(selectionStart, selectionEnd);
}
