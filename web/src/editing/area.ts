import { core } from '../client/index.js';
import { getMediaQuerySignal } from '../kit/index.js';
import type { TextEdit, TextSelection } from './edits.js';

/** Whether Enter sends: the user's setting, but never on a touch screen, whose keyboard has no Shift+Enter. */
export const enterSends = (): boolean =>
  core.state.me.settings.value.enter_sends === true && !getMediaQuerySignal('(pointer: coarse)').value;

/**
 * Files that a paste or a drop brings. Office programs put a picture of a text beside it, which is no file; file
 * managers put the name of a file beside the file.
 */
export function listTransferredFiles(data: DataTransfer | null): readonly File[] {
  const isFormattedText = data?.getData('text/plain') && data.types.includes('text/html');
  return isFormattedText ? [] : [...(data?.files ?? [])];
}

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
