/** Choice of the topics that a weekly digest shows. The functions have no side effects. */
import { toComparableTopicKey } from '#domain/streams';

/** Maximum number of topics in a digest. */
export const MAX_DIGEST_TOPICS = 4;
/** Number of topics that are chosen by their senders; the others are chosen by their messages. */
const TOPICS_CHOSEN_BY_SENDERS = 2;

/** The facts of a stream message that the choice of topics depends on. */
export interface DigestMessage {
  readonly id: number;
  readonly sender: number;
  readonly stream: number;
  readonly topic: string;
}

export interface DigestTopic<M extends DigestMessage> {
  readonly stream: number;
  /** Name of the topic as in its newest message. */
  readonly topic: string;
  readonly senderCount: number;
  /** Messages of the topic, oldest first. */
  readonly messages: readonly M[];
}

/**
 * Chooses the hottest topics: first those with the most senders, because many people took part, then those with the
 * most messages. Ties go to the other number, then to the topic with the newest message.
 */
export function chooseHottestTopics<M extends DigestMessage>(messages: readonly M[]): DigestTopic<M>[] {
  const messagesByTopic = new Map<string, M[]>();
  for (const message of [...messages].sort((a, b) => a.id - b.id)) {
    const key = `${message.stream}/${toComparableTopicKey(message.topic)}`;
    const known = messagesByTopic.get(key);
    if (known) known.push(message);
    else messagesByTopic.set(key, [message]);
  }
  const topics = [...messagesByTopic.values()].map((of): DigestTopic<M> => {
    const { stream, topic } = of.at(-1)!;
    return { stream, topic, senderCount: new Set(of.map(({ sender }) => sender)).size, messages: of };
  });
  const bySenders = topics
    .sort((a, b) => compareSenders(a, b) || compareMessages(a, b) || compareAge(a, b))
    .slice(0, TOPICS_CHOSEN_BY_SENDERS);
  const byMessages = topics
    .slice(TOPICS_CHOSEN_BY_SENDERS)
    .sort((a, b) => compareMessages(a, b) || compareSenders(a, b) || compareAge(a, b))
    .slice(0, MAX_DIGEST_TOPICS - TOPICS_CHOSEN_BY_SENDERS);
  return [...bySenders, ...byMessages];
}

type AnyDigestTopic = DigestTopic<DigestMessage>;
const compareSenders = (a: AnyDigestTopic, b: AnyDigestTopic): number => b.senderCount - a.senderCount;
const compareMessages = (a: AnyDigestTopic, b: AnyDigestTopic): number => b.messages.length - a.messages.length;
const compareAge = (a: AnyDigestTopic, b: AnyDigestTopic): number => b.messages.at(-1)!.id - a.messages.at(-1)!.id;
