/**
 * A user's policies for single topics (streams.md § User topics): one part of the user's actor per topic. The functions
 * have no side effects besides a memory of hashes.
 *
 * A topic's name is free text of any length, so the part is named by a hash of it.
 */

import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#base';
import { type ActorParts, toStreamId } from '#model';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';
import { maySeeStreamMetadata } from './access.js';
import { compareByName, toComparableTopicKey } from './names.js';
import type { Subscription } from './present-stream.js';

export const TOPIC_VISIBILITY_POLICY = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

export interface UserTopicPolicy extends JsonObject {
  readonly stream: number;
  /** Name of the topic with the case in which the user last wrote it. */
  readonly name: string;
  /**
   * A TOPIC_VISIBILITY_POLICY other than `inherit`: a topic with that policy has no part.
   */
  readonly policy: number;
  /** Time of the last change of the policy, seconds since 1970. */
  readonly updated: number;
}

export const USER_TOPIC_PART_PREFIX = 'topic/';

/**
 * Maximum characters of the deprecated list of muted topics: every change sends all of it, and it must fit into a log
 * entry.
 */
const MAX_MUTED_TOPICS_LIST_CHARACTERS = 100_000;

/** Maximum number of a user's topic policies: every registration has all of them. */
export const MAX_TOPIC_POLICIES_PER_USER = 20_000;

/** Hashes of recent topics: each message of a stream asks for the followers of its topic. */
const hashByTopic = new Map<string, string>();
const MAX_REMEMBERED_TOPIC_HASHES = 2_000;
/** Longer names are no topics of messages. */
const MAX_REMEMBERED_TOPIC_LENGTH = 120;

/** Hashes a topic, ignoring case, for the name of a part, which can't contain free text. */
export function hashTopicIgnoringCase(topic: string): string {
  const known = hashByTopic.get(topic);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(toComparableTopicKey(topic)).digest('hex').slice(0, 32);
  if (topic.length > MAX_REMEMBERED_TOPIC_LENGTH) return hash;
  if (hashByTopic.size >= MAX_REMEMBERED_TOPIC_HASHES) hashByTopic.clear();
  hashByTopic.set(topic, hash);
  return hash;
}

export const userTopicPartName = (stream: number, topic: string): string =>
  `${USER_TOPIC_PART_PREFIX}${stream}/${hashTopicIgnoringCase(topic)}`;

const findStoredUserTopic = (parts: ActorParts, stream: number, topic: string): UserTopicPolicy | undefined =>
  parts.get(userTopicPartName(stream, topic)) as UserTopicPolicy | undefined;

/** Returns the user's TOPIC_VISIBILITY_POLICY for a topic. */
export const topicVisibilityPolicyOf = (parts: ActorParts, stream: number, topic: string): number =>
  findStoredUserTopic(parts, stream, topic)?.policy ?? TOPIC_VISIBILITY_POLICY.inherit;

/** Lists all topic policies of the user, in no particular order. */
export const listUserTopicPolicies = (parts: ActorParts): UserTopicPolicy[] =>
  [...parts].filter(([name]) => name.startsWith(USER_TOPIC_PART_PREFIX)).map(([, value]) => value as UserTopicPolicy);

/** Lists the parts of the user's topic policies in a stream, in no particular order. */
export function listUserTopicPartNames(parts: ActorParts, stream: number): string[] {
  const prefix = `${USER_TOPIC_PART_PREFIX}${stream}/`;
  return [...parts.keys()].filter((name) => name.startsWith(prefix));
}

/**
 * Returns the user's policy for a topic that two topics were merged into (messages.md § PATCH /messages/{id}): equal
 * policies stay, `unmuted` wins over every other one but `followed`.
 */
export function chooseMergedTopicVisibilityPolicy(a: number, b: number): number {
  const { inherit, unmuted, followed } = TOPIC_VISIBILITY_POLICY;
  if (a === b) return a;
  if (a !== unmuted && b !== unmuted) return inherit;
  return a === followed || b === followed ? followed : unmuted;
}

interface UserTopicInLiveStream {
  readonly topic: UserTopicPolicy;
  /** Name of the topic's stream. */
  readonly name: string;
}

/**
 * Lists the user's topics in live streams, ordered by stream and topic. @param isListed false: the stream is left out
 */
function listTopicsOfLiveStreams(
  topics: readonly UserTopicPolicy[],
  directory: DirectoryView,
  isListed: (stream: DirectoryStream) => boolean = () => true,
): UserTopicInLiveStream[] {
  const found: UserTopicInLiveStream[] = [];
  for (const topic of topics) {
    const stream = directory.stream(toStreamId(topic.stream));
    if (stream && !stream.archived && isListed(stream)) found.push({ topic, name: stream.name });
  }
  return found.sort((a, b) => compareByName(a, b) || compareByName(a.topic, b.topic));
}

/**
 * Makes the field `muted_topics`: [stream name, topic, seconds]. It tells names of streams, so it leaves out streams
 * that the user may not know of. If all exceed MAX_MUTED_TOPICS_LIST_CHARACTERS, only the most recently muted ones are
 * listed.
 *
 * @param subscriptions present and former ones
 */
export function formatMutedTopicsForApi(
  topics: readonly UserTopicPolicy[],
  directory: DirectoryView,
  user: DirectoryUser | undefined,
  subscriptions: readonly Pick<Subscription, 'stream' | 'active'>[],
): Json[] {
  const subscribed = new Set(subscriptions.filter(({ active }) => active).map(({ stream }) => stream));
  const muted = listTopicsOfLiveStreams(
    topics.filter(({ policy }) => policy === TOPIC_VISIBILITY_POLICY.muted),
    directory,
    (stream) => user !== undefined && maySeeStreamMetadata(user, stream, subscribed.has(stream.id)),
  );
  let size = 0;
  const listed = new Set<UserTopicInLiveStream>();
  for (const one of [...muted].sort((a, b) => b.topic.updated - a.topic.updated)) {
    size += one.name.length + one.topic.name.length + 20;
    if (size > MAX_MUTED_TOPICS_LIST_CHARACTERS) break;
    listed.add(one);
  }
  return muted.filter((one) => listed.has(one)).map(({ topic, name }) => [name, topic.name, topic.updated]);
}

export const formatUserTopicForApi = ({ stream, name, policy, updated }: UserTopicPolicy): JsonObject => ({
  stream_id: stream,
  topic_name: name,
  last_updated: updated,
  visibility_policy: policy,
});

/** Makes the field `user_topics` of the register response. */
export const formatUserTopicsForApi = (topics: readonly UserTopicPolicy[], directory: DirectoryView): JsonObject[] =>
  listTopicsOfLiveStreams(topics, directory).map(({ topic }) => formatUserTopicForApi(topic));
