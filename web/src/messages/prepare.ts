import { core } from '../client/index.js';
import type { MessageWindow } from '../core/index.js';
import { runInTurns } from '../kit/index.js';
import { formatRelativeDay, formatTimeOfDay } from '../text/index.js';
import { forgetPreparedContent, prepareMessageContent } from './content/index.js';
import type { MessageRow } from './rows.js';

/** The rows around the screen are rendered by then. */
const FORGET_AFTER_MS = 5_000;

/**
 * Prepares the first messages of a page in short tasks, since one task renders them: the formats of days and times (70
 * ms on a phone for the first one) and the nodes of the texts.
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

/** Called when the first messages are rendered. Texts that didn't fit on the screen are kept for the rows around it. */
export const finishFirstMessages = () => void setTimeout(forgetPreparedContent, FORGET_AFTER_MS);
