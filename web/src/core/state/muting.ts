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
  readonly topics = signal<ReadonlyMap<ConversationKey, TopicPolicy>>(new Map());
  /** Muted users → the time in seconds. */
  readonly users = signal<ReadonlyMap<number, number>>(new Map());

  constructor(private readonly streams: StreamsState) {}

  load({ user_topics, muted_users }: Snapshot): void {
    this.topics.value = new Map((user_topics ?? []).map((of) => [keyOf(of), of]));
    this.users.value = new Map((muted_users ?? []).map(({ id, timestamp }) => [id, timestamp]));
  }

  save(): Partial<Snapshot> {
    return {
      user_topics: [...this.topics.peek().values()],
      muted_users: [...this.users.peek()].map(([id, timestamp]) => ({ id, timestamp })),
    };
  }

  policyOf(stream: number, topic: string): number {
    return this.topics.value.get(conversationKey({ stream, topic }))?.visibility_policy ?? TOPIC_POLICY.inherit;
  }

  isMuted(stream: number, topic: string): boolean {
    const policy = this.policyOf(stream, topic);
    if (policy === TOPIC_POLICY.muted) return true;
    return policy === TOPIC_POLICY.inherit && this.streams.isMuted(stream);
  }

  putTopic(of: TopicPolicy): void {
    const topics = new Map(this.topics.peek());
    if (of.visibility_policy === TOPIC_POLICY.inherit) topics.delete(keyOf(of));
    else topics.set(keyOf(of), of);
    this.topics.value = topics;
  }
}

const keyOf = ({ stream_id, topic_name }: TopicPolicy): ConversationKey =>
  conversationKey({ stream: stream_id, topic: topic_name });
