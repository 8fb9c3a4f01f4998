/** Lists the topics of a stream in which a user received messages. */
import { toComparableTopicKey } from '#domain/streams';
import type { StreamId } from '#model';
import { makeNarrowQueryPlan, type NarrowQueryPlan } from '../narrow/plan.js';
import { topicOfMessage } from '../stored/packed-view.js';
import type { UserMessageReader } from './fetch.js';

export interface ListedTopic {
  readonly name: string;
  /** Id of the topic's newest message. */
  readonly max_id: number;
}

/** Size of the first page, and of the first one after a leap that found few topics. */
const FIRST_PAGE_MESSAGES = 32;
const MAX_PAGE_MESSAGES = 1_024;
/** Number of messages that a scan reads in about the time in which one topic is looked up. */
const MESSAGES_PER_LOOKUP = 32;
const MAX_PARALLEL_LOOKUPS = 32;

/**
 * Topics in which the reader received messages, newest first, each spelled as in the newest of these messages. One scan
 * serves all topics, because a stream may have tens of thousands. It leaps to the newest message of the topics that are
 * still missing. A topic whose newest message was not received would stop these leaps, so it is looked up by itself. If
 * there are many such topics, the scan first goes on without leaps: most of them may be found in the next pages, and
 * lookups take no more time than the pages did.
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
  const addMissing = (found: readonly ListedTopic[]): void => {
    for (const topic of found) if (missing.delete(toComparableTopicKey(topic.name))) received.push(topic);
  };
  let [below = 0] = missing.values();
  below++;
  let messagesUntilLookups = MESSAGES_PER_LOOKUP;
  for (let size = FIRST_PAGE_MESSAGES; missing.size > 0; ) {
    const page = await scanOlderTopics(reader, plan, below, size);
    const before = received.length;
    addMissing(page);
    if (page.length < size) break;
    below = page.at(-1)!.max_id;
    messagesUntilLookups += size;
    const passed = listTopicsNotBelow(missing, below);
    if (passed.length * MESSAGES_PER_LOOKUP <= messagesUntilLookups) {
      addMissing(await lookUpOlderTopics(reader, stream, passed, below));
      for (const topic of passed) missing.delete(topic);
      messagesUntilLookups -= passed.length * MESSAGES_PER_LOOKUP;
    }
    const [newestMissing = 0] = missing.values();
    const leaps = newestMissing + 1 < below;
    below = Math.min(below, newestMissing + 1);
    const isSparse = (received.length - before) * MESSAGES_PER_LOOKUP < size;
    size = leaps && isSparse ? FIRST_PAGE_MESSAGES : Math.min(size * 2, MAX_PAGE_MESSAGES);
  }
  return received.toSorted((a, b) => b.max_id - a.max_id);
}

/** The topics of a plan's newest messages below an id, one for each message. */
const scanOlderTopics = (
  reader: UserMessageReader,
  plan: NarrowQueryPlan,
  below: number,
  limit: number,
): Promise<ListedTopic[]> =>
  reader.scanNarrowPacked(plan, below, 'older', limit, ({ message }) => ({
    name: topicOfMessage(message),
    max_id: message.id,
  }));

/** Topics whose newest message has this id or a larger one. @param newestFirst id of each topic's newest message */
function listTopicsNotBelow(newestFirst: ReadonlyMap<string, number>, id: number): string[] {
  const topics: string[] = [];
  for (const [topic, max_id] of newestFirst) {
    if (max_id < id) break;
    topics.push(topic);
  }
  return topics;
}

/** Those of the topics in which the reader received messages below an id. */
async function lookUpOlderTopics(
  reader: UserMessageReader,
  stream: StreamId,
  topics: readonly string[],
  below: number,
): Promise<ListedTopic[]> {
  const found: ListedTopic[] = [];
  for (let i = 0; i < topics.length; i += MAX_PARALLEL_LOOKUPS) {
    const lookups = topics.slice(i, i + MAX_PARALLEL_LOOKUPS).map((topic) => {
      const terms = [
        { is: 'stream', stream, negated: false } as const,
        { is: 'topic', topic, negated: false } as const,
      ];
      return scanOlderTopics(reader, makeNarrowQueryPlan(terms, reader.viewer, { copies: true }), below, 1);
    });
    found.push(...(await Promise.all(lookups)).flat());
  }
  return found;
}
