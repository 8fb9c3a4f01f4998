import { signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { type ConversationKey, conversationKey } from '../narrow.js';
import type { Slice } from './slice.js';
import type { StreamsState } from './streams.js';

/** Visibility policies of topics. */
export const TOPIC_POLICY = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

export type TopicPolicy = Snapshot['user_topics'][number];

/**
 * Muted streams, topics and users.
 *
 *     muting.isMuted(stream, topic)     the topic's own policy, else that of its stream
 *     muting.users.value.has(id)
 */
export class MutingState implements Slice {
  readonly policyByTopicKey = signal<ReadonlyMap<ConversationKey, TopicPolicy>>(new Map());
  /** Muted users → the time in seconds. */
  readonly mutedAtByUserId = signal<ReadonlyMap<number, number>>(new Map());

  constructor(private readonly streams: StreamsState) {}

  load({ user_topics, muted_users }: Snapshot): void {
    this.policyByTopicKey.value = new Map((user_topics ?? []).map((of) => [makeTopicKey(of), of]));
    this.mutedAtByUserId.value = new Map((muted_users ?? []).map(({ id, timestamp }) => [id, timestamp]));
  }

  save(): Partial<Snapshot> {
    return {
      user_topics: [...this.policyByTopicKey.peek().values()],
      muted_users: [...this.mutedAtByUserId.peek()].map(([id, timestamp]) => ({ id, timestamp })),
    };
  }

  getTopicPolicy(stream: number, topic: string): number {
    return (
      this.policyByTopicKey.value.get(conversationKey({ stream, topic }))?.visibility_policy ?? TOPIC_POLICY.inherit
    );
  }

  isTopicMuted(stream: number, topic: string): boolean {
    const policy = this.getTopicPolicy(stream, topic);
    if (policy === TOPIC_POLICY.muted) return true;
    return policy === TOPIC_POLICY.inherit && this.streams.isMuted(stream);
  }

  putTopicPolicy(of: TopicPolicy): void {
    const topics = new Map(this.policyByTopicKey.peek());
    if (of.visibility_policy === TOPIC_POLICY.inherit) topics.delete(makeTopicKey(of));
    else topics.set(makeTopicKey(of), of);
    this.policyByTopicKey.value = topics;
  }
}

const makeTopicKey = ({ stream_id, topic_name }: TopicPolicy): ConversationKey =>
  conversationKey({ stream: stream_id, topic: topic_name });
