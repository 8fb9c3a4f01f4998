import { signal } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import { type ConversationKey, makeConversationKey } from '../narrow.js';
import type { StateSlice } from './slice.js';
import type { StreamsState } from './streams.js';

/** Visibility policies of topics. */
export const TOPIC_VISIBILITY_POLICY = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

export type TopicPolicyEntry = Snapshot['user_topics'][number];

/**
 * Muted streams, topics and users.
 *
 *     muting.isTopicMuted(stream, topic)   the topic's own policy, else that of its stream
 *     muting.mutedAtByUserId.value.has(id)
 */
export class MutingState implements StateSlice {
  readonly policyByTopicKey = signal<ReadonlyMap<ConversationKey, TopicPolicyEntry>>(new Map());
  /** Muted users → the time in seconds. */
  readonly mutedAtByUserId = signal<ReadonlyMap<number, number>>(new Map());

  constructor(private readonly streams: StreamsState) {}

  loadFromSnapshot({ user_topics, muted_users }: Snapshot): void {
    this.policyByTopicKey.value = new Map((user_topics ?? []).map((of) => [makePolicyTopicKey(of), of]));
    this.mutedAtByUserId.value = new Map((muted_users ?? []).map(({ id, timestamp }) => [id, timestamp]));
  }

  makeSnapshotFields(): Partial<Snapshot> {
    return {
      user_topics: [...this.policyByTopicKey.peek().values()],
      muted_users: [...this.mutedAtByUserId.peek()].map(([id, timestamp]) => ({ id, timestamp })),
    };
  }

  getTopicPolicyValue(stream: number, topic: string): number {
    return (
      this.policyByTopicKey.value.get(makeConversationKey({ stream, topic }))?.visibility_policy ??
      TOPIC_VISIBILITY_POLICY.inherit
    );
  }

  isTopicMuted(stream: number, topic: string): boolean {
    const policy = this.getTopicPolicyValue(stream, topic);
    if (policy === TOPIC_VISIBILITY_POLICY.muted) return true;
    return policy === TOPIC_VISIBILITY_POLICY.inherit && this.streams.isMuted(stream);
  }

  putTopicPolicy(of: TopicPolicyEntry): void {
    const topics = new Map(this.policyByTopicKey.peek());
    if (of.visibility_policy === TOPIC_VISIBILITY_POLICY.inherit) topics.delete(makePolicyTopicKey(of));
    else topics.set(makePolicyTopicKey(of), of);
    this.policyByTopicKey.value = topics;
  }
}

const makePolicyTopicKey = ({ stream_id, topic_name }: TopicPolicyEntry): ConversationKey =>
  makeConversationKey({ stream: stream_id, topic: topic_name });
