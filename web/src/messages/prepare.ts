import { core } from '../client/index.js';
import type { MessageWindow } from '../core/index.js';
import { runInTurns } from '../kit/index.js';
import { formatRelativeDay, formatTimeOfDay } from '../text/index.js';
import { forgetPreparedContent, prepareMessageContent } from './content/index.js';
import type { MessageRow } from './rows.js';

/** Rows around the screen have come by then. */
const FORGET_AFTER_MS = 5_000;

/**
 * Does the work for the first messages of the page in turns, before they are rendered in one task: makes the formats of
 * days and times (70 ms on a phone for the first format) and the nodes of the texts.
 */
export async function prepareFirstMessages(window: MessageWindow, rows: readonly MessageRow[]): Promise<void> {
  const parts = rows.flatMap(({ id, startsDay }) => {
    const message = core.windows.messageStore.peek(id);
    if (!message) return [];
    const at = message.timestamp * 1000;
    return [
      () => startsDay && formatRelativeDay(at),
      () => formatTimeOfDay(at),
      () => prepareMessageContent(window.getShownHtml(message), message.is_me_message),
    ];
  });
  await runInTurns(parts);
}

/** Called when the first messages are rendered. Fewer than were prepared may fill the screen; others come above it. */
export const finishFirstMessages = () => void setTimeout(forgetPreparedContent, FORGET_AFTER_MS);
