/** The user's policies for topics: muted, unmuted, followed (streams.md § User topics). */

import { successReply, valueReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import {
  canAccessStream,
  mergeTopicPolicies,
  presentMutedTopics,
  presentUserTopic,
  storedUserTopics,
  TOPIC_POLICY,
  topicPolicyOf,
  toTopicKey,
  type UserTopic,
  userTopicPartName,
} from '#domain/streams';
import { type ActorParts, type LogItem, type RealmId, streamId, streamKey, userId } from '#model';
import { type OutboxCommand, outboxCommand, streamCommands, type TopicName, type userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { Outcome } from '#runtime';
import { isSubscribed, type UserCommand, type UserState, userIdOfKey } from '../../state.js';

/** Collects changes of policies, each with its events and commands. */
class TopicChanges {
  readonly #after: Map<string, Json>;
  readonly #changed: Record<string, Json> = {};
  readonly #events: LogItem[] = [];
  readonly #commands: OutboxCommand[] = [];

  constructor(
    parts: ActorParts,
    private readonly realm: RealmId,
    private readonly self: number,
    private readonly directory: DirectoryView,
    private readonly seconds: number,
  ) {
    this.#after = new Map(parts);
  }

  /** Sets the policy for a topic. No effect if the topic has this policy already. */
  set({ stream, topic }: TopicName, policy: number): void {
    if (topicPolicyOf(this.#after, stream, topic) === policy) return;
    const part = userTopicPartName(stream, topic);
    const row: UserTopic = { stream, name: topic, policy, updated: this.seconds };
    if (policy === TOPIC_POLICY.inherit) this.#after.delete(part);
    else this.#after.set(part, row);
    const watches = policy !== TOPIC_POLICY.inherit;
    this.#changed[part] = watches ? row : null;
    this.#watch(stream, topic, watches);
    this.#tell({
      type: 'muted_topics',
      muted_topics: presentMutedTopics(storedUserTopics(this.#after), this.directory),
    });
    this.#tell({ type: 'user_topic', ...presentUserTopic(row) });
  }

  outcome(reply: Outcome<UserState>['reply']): Outcome<UserState> {
    if (this.#events.length === 0) return { reply };
    // The reply waits until the stream's actor knows the watcher, because the caller may move the topic next.
    const commands = [this.#commands];
    return { reply, parts: this.#changed, events: this.#events, commands, replyAfterCommands: true };
  }

  /** Registers the user with the stream's actor, which sends moves of the topic to its watchers. */
  #watch(stream: number, topic: string, watches: boolean): void {
    this.#commands.push(
      outboxCommand({
        to: streamKey(this.realm, streamId(stream)),
        name: streamCommands.topicWatched,
        args: { topic, user: this.self, watches },
        caller: 0,
      }),
    );
  }

  #tell(event: JsonObject): void {
    this.#events.push({ t: 'event', to: { users: [this.self] }, event });
  }
}

const seconds = (now: number): number => Math.floor(now / 1000);

/** POST /user_topics: sets the user's policy for a topic. */
export const setTopicPolicyHandler: UserCommand<typeof userCommands.setTopicPolicy> = {
  handle({ parts }, { stream: id, topic, policy }, _inputs, { directory, caller, now, realm }) {
    const stream = directory.stream(streamId(id));
    const user = directory.user(userId(caller));
    const may = stream && (policy === 0 || (user && canAccessStream(user, stream, isSubscribed(parts, id))));
    if (!may) throw apiError('INVALID_STREAM_ID');
    const changes = new TopicChanges(parts, realm, caller, directory, seconds(now));
    changes.set({ stream: id, topic }, policy);
    return changes.outcome(successReply());
  },
};

/** PATCH /users/me/subscriptions/muted_topics: mutes or unmutes a topic. */
export const muteTopicHandler: UserCommand<typeof userCommands.muteTopic> = {
  handle({ parts }, { stream: named, topic, mute }, _inputs, { directory, caller, now, realm }) {
    const user = directory.user(userId(caller));
    const stream: DirectoryStream | undefined =
      typeof named === 'number' ? directory.stream(streamId(named)) : directory.streamByName(named);
    if (!stream && !mute) throw apiError('TOPIC_NOT_MUTED');
    if (!stream || !user || (mute && !canAccessStream(user, stream, isSubscribed(parts, stream.id)))) {
      throw typeof named === 'number'
        ? apiError('INVALID_STREAM_ID')
        : apiError('INVALID_STREAM_NAME', { name: named });
    }
    const changes = new TopicChanges(parts, realm, caller, directory, seconds(now));
    const isMuted = topicPolicyOf(parts, stream.id, topic) === TOPIC_POLICY.muted;
    if (isMuted !== mute) changes.set({ stream: stream.id, topic }, mute ? TOPIC_POLICY.muted : TOPIC_POLICY.inherit);
    return changes.outcome(successReply());
  },
};

/** Moves the user's policy with a whole topic. The command is never refused, and the runtime drops a repeat. */
export const moveTopicPolicyHandler: UserCommand<typeof userCommands.moveTopicPolicy> = {
  handle({ parts }, { from, to, targetExisted }, _inputs, { key, directory, now, realm }) {
    // Only upper and lower case of the name changed, so the topic is the same.
    const same = to && from.stream === to.stream && toTopicKey(from.topic) === toTopicKey(to.topic);
    if (same) return { reply: valueReply(null) };
    const changes = new TopicChanges(parts, realm, userIdOfKey(key), directory, seconds(now));
    const before = topicPolicyOf(parts, from.stream, from.topic);
    changes.set(from, TOPIC_POLICY.inherit);
    if (to) {
      changes.set(to, targetExisted ? mergeTopicPolicies(before, topicPolicyOf(parts, to.stream, to.topic)) : before);
    }
    return changes.outcome(valueReply(null));
  },
};
