import { effect } from '@preact/signals';
import { h } from 'preact';
import { core } from '../../client/index.js';
import { type Anchor, openLayer, toast } from '../../kit/index.js';
import { addLaterTexts, t } from '../../text/index.js';
import type { Emoji } from './table.js';

let close: (() => void) | undefined;

/**
 * Opens the emoji picker, a chunk of its own, beside an element.
 *
 * @returns the choice; undefined when the picker was left without one
 */
export async function openEmojiPicker(anchor: Anchor): Promise<Emoji | undefined> {
  if (close) {
    close();
    return undefined;
  }
  try {
    const [{ Picker }] = await Promise.all([import('./picker.js'), addLaterTexts()]);
    return await new Promise((resolve) => {
      const end = openLayer((done) => {
        const finish = (emoji?: Emoji) => {
          close = undefined;
          done();
          resolve(emoji);
        };
        close = finish;
        return h(Picker, { anchor, onChoose: finish, onClose: finish });
      });
      close ??= end;
    });
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
    return undefined;
  }
}

/** Answers requests of other views for an emoji. @returns ends it */
export function serveEmojiRequests(): () => void {
  return effect(() => {
    const request = core.focus.emoji.value;
    if (!request) return;
    core.focus.emoji.value = undefined;
    void openEmojiPicker(request.at).then((emoji) => {
      if (emoji) request.choose(emoji);
    });
  });
}
