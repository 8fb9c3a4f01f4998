import { effect } from '@preact/signals';
import { h } from 'preact';
import { core } from '../../client/index.js';
import type { Emoji } from '../../completion/index.js';
import { openLayer, type PopoverAnchor, runWithLazyChunk } from '../../kit/index.js';

let closeOpenPicker: (() => void) | undefined;

/**
 * Opens the emoji picker, a chunk of its own, beside an element.
 *
 * @returns the choice; undefined when the picker was left without one
 */
export async function toggleEmojiPicker(anchor: PopoverAnchor): Promise<Emoji | undefined> {
  if (closeOpenPicker) {
    closeOpenPicker();
    return undefined;
  }
  let choice: Emoji | undefined;
  await runWithLazyChunk(
    () => import('./picker.js'),
    ({ Picker }) =>
      new Promise<void>((resolve) => {
        const end = openLayer((done) => {
          const finish = (emoji?: Emoji) => {
            closeOpenPicker = undefined;
            done();
            choice = emoji;
            resolve();
          };
          closeOpenPicker = finish;
          return h(Picker, { anchor, onChoose: finish, onClose: finish });
        });
        closeOpenPicker ??= end;
      }),
  );
  return choice;
}

/** Opens the picker for requests of other views. @returns a function that ends it */
export function serveEmojiPickerRequests(): () => void {
  return effect(() => {
    const request = core.sharedViewState.emojiPickerRequest.value;
    if (!request) return;
    core.sharedViewState.emojiPickerRequest.value = undefined;
    void toggleEmojiPicker(request.anchorBox).then((emoji) => {
      if (emoji) request.onChoose(emoji);
    });
  });
}
