/**
 * A user's policies for single topics (streams.md § User topics): one part of the user's actor per topic. The functions
 * have no side effects.
 *
 * A topic's name is free text of any length, so the part is named by a hash of it.
 */

import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#base';
import { type ActorParts, streamId } from '#model';
import type { DirectoryView } from '#model/records';
import { compareByName, toTopicKey } from './names.js';

export const TOPIC_POLICY = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

export interface UserTopic extends JsonObject {
  readonly stream: number;
  /** The topic in its last spelling. */
  readonly name: string;
  /** A TOPIC_POLICY except `inherit`, for which there is no part. */
  readonly policy: number;
  /** Time of the last change of the policy, seconds since 1970. */
  readonly updated: number;
}

export const USER_TOPIC_PART_PREFIX = 'topic/';

/**
 * Maximum characters of the deprecated list of muted topics: every change sends all of it, and it must fit into a log
 * entry.
 */
const MAX_LISTED = 100_000;

/** Hash of a topic, ignoring case, for part names, which can't have free text. */
export const hashTopic = (topic: string): string =>
  createHash('sha256').update(toTopicKey(topic)).digest('hex').slice(0, 32);

export const userTopicPartName = (stream: number, topic: string): string =>
  `${USER_TOPIC_PART_PREFIX}${stream}/${hashTopic(topic)}`;

const storedUserTopic = (parts: ActorParts, stream: number, topic: string): UserTopic | undefined =>
  parts.get(userTopicPartName(stream, topic)) as UserTopic | undefined;

/** The user's TOPIC_POLICY for a topic. */
export const topicPolicyOf = (parts: ActorParts, stream: number, topic: string): number =>
  storedUserTopic(parts, stream, topic)?.policy ?? TOPIC_POLICY.inherit;

/** All topic policies of the user, in no particular order. */
export const storedUserTopics = (parts: ActorParts): UserTopic[] =>
  [...parts].filter(([name]) => name.startsWith(USER_TOPIC_PART_PREFIX)).map(([, value]) => value as UserTopic);

/** The policy after two topics were merged (messages.md § PATCH /messages/{id}). */
export function mergeTopicPolicies(a: number, b: number): number {
  if (a === b) return a;
  return a === TOPIC_POLICY.unmuted || b === TOPIC_POLICY.unmuted ? TOPIC_POLICY.unmuted : TOPIC_POLICY.inherit;
}

interface ListedTopic {
  readonly topic: UserTopic;
  /** Name of the topic's stream. */
  readonly name: string;
}

/** The user's topics in live streams, ordered by stream and topic. */
function liveTopics(topics: readonly UserTopic[], directory: DirectoryView): ListedTopic[] {
  const found: ListedTopic[] = [];
  for (const topic of topics) {
    const stream = directory.stream(streamId(topic.stream));
    if (stream && !stream.archived) found.push({ topic, name: stream.name });
  }
  return found.sort((a, b) => compareByName(a, b) || compareByName(a.topic, b.topic));
}

/**
 * The field `muted_topics`: [stream name, topic, seconds]. Only the most recently muted ones, if all exceed MAX_LISTED.
 */
export function presentMutedTopics(topics: readonly UserTopic[], directory: DirectoryView): Json[] {
  const muted = liveTopics(topics, directory).filter(({ topic }) => topic.policy === TOPIC_POLICY.muted);
  let size = 0;
  const listed = new Set<ListedTopic>();
  for (const one of [...muted].sort((a, b) => b.topic.updated - a.topic.updated)) {
    size += one.name.length + one.topic.name.length + 20;
    if (size > MAX_LISTED) break;
    listed.add(one);
  }
  return muted.filter((one) => listed.has(one)).map(({ topic, name }) => [name, topic.name, topic.updated]);
}

export const presentUserTopic = ({ stream, name, policy, updated }: UserTopic): JsonObject => ({
  stream_id: stream,
  topic_name: name,
  last_updated: updated,
  visibility_policy: policy,
});

/** The field `user_topics` of the register response. */
export const presentUserTopics = (topics: readonly UserTopic[], directory: DirectoryView): JsonObject[] =>
  liveTopics(topics, directory).map(({ topic }) => presentUserTopic(topic));
