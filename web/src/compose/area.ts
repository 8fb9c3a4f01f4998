import type { Edit, Selected } from './edits.js';

export const selectedIn = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Selected => ({
  text: value,
  start: selectionStart,
  end: selectionEnd,
});

/** Changes a part of the text so that Ctrl+Z takes it back; the input event follows as after typing. */
export function applyEdit(area: HTMLTextAreaElement, { from, to, insert, start, end }: Edit): void {
  area.focus({ preventScroll: true });
  area.setSelectionRange(from, to);
  // The only way into the browser's history of changes; browsers without it get a plain change.
  const command = insert === '' ? 'delete' : 'insertText';
  const done = (from === to && insert === '') || document.execCommand(command, false, insert);
  if (!done) {
    area.setRangeText(insert, from, to);
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
  area.setSelectionRange(start, end);
}
