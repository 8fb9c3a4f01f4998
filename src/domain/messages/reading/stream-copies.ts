/** Reads the newest messages that a user received in some streams, whatever the topics. */
import type { Store } from '#ports/store';
import type { ReadableMessage } from '../access/message-access.js';
import type { MessageViewerContext } from '../access/viewer.js';
import { makeNarrowQueryPlan } from '../narrow/plan.js';
import { NEWEST_ANCHOR_MESSAGE_ID, UserMessageReader } from './fetch.js';

/** Number of messages that are read at a time. */
const MESSAGES_PER_PAGE = 200;

/**
 * Reads the messages that the user received in these streams since a time, newest first.
 *
 * @param since seconds since 1970
 * @param limit maximum number of messages that are read
 */
export async function readNewestCopiesInStreams(
  store: Store,
  viewer: MessageViewerContext,
  streams: ReadonlySet<number>,
  since: number,
  limit: number,
): Promise<ReadableMessage[]> {
  // Ranges of other streams are not looked at, because a busy one would use up the limit.
  const reader = new UserMessageReader(store, { ...viewer, streams: [...streams] });
  const plan = makeNarrowQueryPlan([{ is: 'direct', negated: true }], reader.viewer, { copies: true });
  const found: ReadableMessage[] = [];
  let from = NEWEST_ANCHOR_MESSAGE_ID;
  for (let left = limit; left > 0; left -= MESSAGES_PER_PAGE) {
    const size = Math.min(MESSAGES_PER_PAGE, left);
    const page = await reader.scanNarrow(plan, from, 'older', size);
    for (const own of page) {
      const { stream, sent } = own.message.body;
      if (sent >= since && streams.has(stream)) found.push(own);
    }
    const oldest = page.at(-1);
    if (!oldest || page.length < size || oldest.message.body.sent < since) break;
    from = oldest.message.id;
  }
  return found;
}
