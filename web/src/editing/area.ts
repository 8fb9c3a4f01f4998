import type { TextEdit, TextSelection } from './edits.js';

export const readTextSelection = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): TextSelection => ({
  text: value,
  start: selectionStart,
  end: selectionEnd,
});

/** Replaces a part of the text so that Ctrl+Z takes it back. An input event follows, as after typing. */
export function applyTextAreaEdit(
  area: HTMLTextAreaElement,
  { from, to, insertedText, selectionStart, selectionEnd }: TextEdit,
): void {
  area.focus({ preventScroll: true });
  area.setSelectionRange(from, to);
  // `execCommand` alone adds to the browser's undo history.
  const command = insertedText === '' ? 'delete' : 'insertText';
  const done = (from === to && insertedText === '') || document.execCommand(command, false, insertedText);
  if (!done) {
    area.setRangeText(insertedText, from, to);
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
  area.setSelectionRange(selectionStart, selectionEnd);
}
