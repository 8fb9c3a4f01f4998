/** Tells screen readers about messages that arrive in the open conversation. */

import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { core } from '../client/index.js';
import type { MessageWindow } from '../core/index.js';
import { announceToScreenReader } from '../kit/index.js';
import { t } from '../text/index.js';
import { sanitizeHtml } from './content/index.js';

/** Messages that arrive within this time are announced together, so that a busy conversation is not read out. */
const BATCH_MS = 1_000;
const MAX_ANNOUNCED_CHARACTERS = 150;

/** The text of a message on one line, without what spoilers hide. */
function makeAnnouncedText(html: string): string {
  const root = sanitizeHtml(html);
  for (const hidden of root.querySelectorAll('.spoiler-content, .katex-html')) hidden.remove();
  const text = [...(root.textContent ?? '').replace(/\s+/g, ' ').trim()];
  return text.length > MAX_ANNOUNCED_CHARACTERS
    ? `${text.slice(0, MAX_ANNOUNCED_CHARACTERS).join('')} …`
    : text.join('');
}

/** One message by its sender and text, several by their number. Own messages are not announced. */
function announceArrivedMessages(window: MessageWindow, ids: readonly number[]): void {
  const messages = ids
    .flatMap((id) => core.windows.messageStore.peek(id) ?? [])
    .filter(({ sender_id }) => sender_id !== core.state.me.id);
  const [first] = messages;
  if (!first) return;
  const name = core.state.people.getFullName(first.sender_id);
  announceToScreenReader(
    messages.length > 1
      ? t('messages.arrived', { n: messages.length })
      : t('messages.arrived-from', { name, text: makeAnnouncedText(window.getShownHtml(first)) }),
  );
}

/** Announces the messages that come to the end of a window while it is on screen. */
export function useArrivalAnnouncements(window: MessageWindow): void {
  useEffect(() => {
    /** Newest message, while the window is loaded up to its end; undefined while messages come by requests. */
    let newest: number | undefined;
    let arrived: number[] = [];
    let timer: ReturnType<typeof core.platform.setTimer> | undefined;
    const stop = effect(() => {
      const ids = window.messageIds.value;
      const isComplete = window.loadPhase.value === 'ready' && window.foundNewest.value;
      const before = newest;
      newest = isComplete ? (ids.at(-1) ?? 0) : undefined;
      if (before === undefined || newest === undefined || newest <= before || !core.platform.visible.peek()) return;
      arrived.push(...ids.filter((id) => id > before));
      if (timer !== undefined) return;
      timer = core.platform.setTimer(() => {
        timer = undefined;
        announceArrivedMessages(window, arrived);
        arrived = [];
      }, BATCH_MS);
    });
    return () => {
      stop();
      core.platform.clearTimer(timer);
      // The text of a message does not stay in the page, where it could be read after signing out.
      announceToScreenReader('');
    };
  }, [window]);
}
