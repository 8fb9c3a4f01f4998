/** Lists the topics of a stream in which a user received messages. */
import { toComparableTopicKey } from '#domain/streams';
import type { StreamId } from '#model';
import { makeNarrowQueryPlan } from '../narrow/plan.js';
import { topicOfMessage } from '../stored/packed-view.js';
import type { UserMessageReader } from './fetch.js';

export interface ListedTopic {
  readonly name: string;
  /** Id of the topic's newest message. */
  readonly max_id: number;
}

const FIRST_PAGE_MESSAGES = 256;
const MAX_PAGE_MESSAGES = 4_096;

/**
 * Topics in which the reader received messages, newest first, each spelled as in the newest of these messages. One scan
 * serves all topics, because a stream may have tens of thousands. It skips to the newest message of the topics that are
 * still missing.
 *
 * @param topics all topics of the stream
 */
export async function listReceivedTopics(
  topics: readonly ListedTopic[],
  stream: StreamId,
  reader: UserMessageReader,
): Promise<ListedTopic[]> {
  const plan = makeNarrowQueryPlan([{ is: 'stream', stream, negated: false }], reader.viewer, { copies: true });
  const newestFirst = topics.toSorted((a, b) => b.max_id - a.max_id);
  const missing = new Map(newestFirst.map(({ name, max_id }) => [toComparableTopicKey(name), max_id]));
  const received: ListedTopic[] = [];
  let below = Number.POSITIVE_INFINITY;
  for (let size = FIRST_PAGE_MESSAGES; missing.size > 0; ) {
    const [newestMissing] = missing.values();
    below = Math.min(below, newestMissing! + 1);
    const page = await reader.scanNarrowPacked(plan, below, 'older', size, ({ message }) => ({
      name: topicOfMessage(message),
      max_id: message.id,
    }));
    const before = received.length;
    for (const topic of page) if (missing.delete(toComparableTopicKey(topic.name))) received.push(topic);
    if (page.length < size) break;
    below = page.at(-1)!.max_id;
    // Pages without a missing topic mostly come in a row, so the next one is larger.
    if (received.length === before) size = Math.min(size * 2, MAX_PAGE_MESSAGES);
  }
  return received;
}
