/** The user's policies for topics: muted, unmuted, followed (streams.md § User topics). */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import {
  automaticTopicPolicyOf,
  chooseMergedTopicVisibilityPolicy,
  formatMutedTopicsForApi,
  formatUserTopicForApi,
  listUserTopicPartNames,
  listUserTopicPolicies,
  MAX_TOPIC_POLICIES_PER_USER,
  mayAccessStream,
  type Subscription,
  TOPIC_VISIBILITY_POLICY,
  toComparableTopicKey,
  topicVisibilityPolicyOf,
  type UserTopicPolicy,
  userTopicPartName,
} from '#domain/streams';
import {
  type ActorParts,
  type LogItem,
  type RealmId,
  streamActorKey,
  toStreamId,
  toUserId,
  type UserId,
  userActorKey,
} from '#model';
import {
  makeOutboxCommand,
  type OutboxCommand,
  type StreamTopic,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { CommandOutcome } from '#runtime';
import {
  findPresentOrFormerSubscription,
  isSubscribedToStream,
  listPresentAndFormerSubscriptions,
  type UserActorState,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';

const makeMutedTopicsEvent = (
  topics: readonly UserTopicPolicy[],
  directory: DirectoryView,
  self: UserId,
  subscriptions: readonly Pick<Subscription, 'stream' | 'active'>[],
): JsonObject => ({
  type: 'muted_topics',
  muted_topics: formatMutedTopicsForApi(topics, directory, directory.user(self), subscriptions),
});

/**
 * The event of muted topics for changed subscriptions, if they show or hide any: the list leaves out streams that the
 * user may not know of.
 *
 * @param after all subscriptions after the change
 */
export function makeMutedTopicsEventsOfSubscriptions(
  parts: ActorParts,
  after: readonly Pick<Subscription, 'stream' | 'active'>[],
  self: UserId,
  directory: DirectoryView,
): LogItem[] {
  const topics = listUserTopicPolicies(parts);
  const [was, event] = [listPresentAndFormerSubscriptions(parts), after].map((subscriptions) =>
    makeMutedTopicsEvent(topics, directory, self, subscriptions),
  ) as [JsonObject, JsonObject];
  if (JSON.stringify(event) === JSON.stringify(was)) return [];
  return [{ t: 'event', to: { users: [self] }, event }];
}

/** Collects changes of policies, each with its events and commands. */
class TopicPolicyChangeCollector {
  readonly #partsAfterChanges: Map<string, Json>;
  readonly #changedParts: Record<string, Json> = {};
  readonly #events: LogItem[] = [];
  readonly #topicWatchedCommands: OutboxCommand[] = [];

  constructor(
    parts: ActorParts,
    private readonly realm: RealmId,
    private readonly self: number,
    private readonly directory: DirectoryView,
    private readonly seconds: number,
  ) {
    this.#partsAfterChanges = new Map(parts);
  }

  /** Sets the policy for a topic. No effect if the topic has this policy already. */
  setPolicy({ stream, topic }: StreamTopic, policy: number): void {
    if (topicVisibilityPolicyOf(this.#partsAfterChanges, stream, topic) === policy) return;
    const part = userTopicPartName(stream, topic);
    const row: UserTopicPolicy = { stream, name: topic, policy, updated: this.seconds };
    if (policy === TOPIC_VISIBILITY_POLICY.inherit) this.#partsAfterChanges.delete(part);
    else this.#partsAfterChanges.set(part, row);
    const watches = policy !== TOPIC_VISIBILITY_POLICY.inherit;
    this.#changedParts[part] = watches ? row : null;
    this.#addTopicWatchedCommand(stream, topic, watches, policy === TOPIC_VISIBILITY_POLICY.followed);
    this.#addEventForUser(
      makeMutedTopicsEvent(
        listUserTopicPolicies(this.#partsAfterChanges),
        this.directory,
        toUserId(this.self),
        listPresentAndFormerSubscriptions(this.#partsAfterChanges),
      ),
    );
    this.#addEventForUser({ type: 'user_topic', ...formatUserTopicForApi(row) });
  }

  makeOutcome(reply: CommandOutcome<UserActorState>['reply']): CommandOutcome<UserActorState> {
    if (this.#events.length === 0) return { reply };
    // The reply waits until the stream's actor knows the watcher, because the caller may move the topic next.
    const commands = [this.#topicWatchedCommands];
    return { reply, parts: this.#changedParts, events: this.#events, commands, replyAfterCommands: true };
  }

  /** Registers the user with the stream's actor, for moves of the topic and messages to its followers. */
  #addTopicWatchedCommand(stream: number, topic: string, watches: boolean, follows: boolean): void {
    this.#topicWatchedCommands.push(
      makeOutboxCommand({
        to: streamActorKey(this.realm, toStreamId(stream)),
        name: streamActorCommands.topicWatched,
        args: { topic, user: this.self, watches, follows },
        caller: 0,
      }),
    );
  }

  #addEventForUser(event: JsonObject): void {
    this.#events.push({ t: 'event', to: { users: [this.self] }, event });
  }
}

/** The number of topic policies that the user has once this topic has one. */
const countPoliciesWith = (parts: ActorParts, { stream, topic }: StreamTopic): number =>
  listUserTopicPolicies(parts).length + (parts.has(userTopicPartName(stream, topic)) ? 0 : 1);

const checkRoomForPolicy = (parts: ActorParts, of: StreamTopic): void =>
  checkParameterItemCount('user_topics', countPoliciesWith(parts, of), MAX_TOPIC_POLICIES_PER_USER);

const toUnixSeconds = (now: number): number => Math.floor(now / 1000);

/** POST /user_topics: sets the user's policy for a topic. */
export const setTopicVisibilityPolicyHandler: UserCommandHandler<typeof userActorCommands.setTopicPolicy> = {
  handle({ parts }, { stream: id, topic, policy }, _inputs, { directory, caller, now, realm }) {
    const stream = directory.stream(toStreamId(id));
    const user = directory.user(toUserId(caller));
    const may = stream && (policy === 0 || (user && mayAccessStream(user, stream, isSubscribedToStream(parts, id))));
    if (!may) throw apiError('INVALID_STREAM_ID');
    if (policy !== TOPIC_VISIBILITY_POLICY.inherit) checkRoomForPolicy(parts, { stream: id, topic });
    const changes = new TopicPolicyChangeCollector(parts, realm, caller, directory, toUnixSeconds(now));
    changes.setPolicy({ stream: id, topic }, policy);
    return changes.makeOutcome(makeSuccessReply());
  },
};

/** PATCH /users/me/subscriptions/muted_topics: mutes or unmutes a topic. */
export const muteOrUnmuteTopicHandler: UserCommandHandler<typeof userActorCommands.muteTopic> = {
  handle({ parts }, { stream: named, topic, mute }, _inputs, { directory, caller, now, realm }) {
    const user = directory.user(toUserId(caller));
    const stream: DirectoryStream | undefined =
      typeof named === 'number' ? directory.stream(toStreamId(named)) : directory.streamByName(named);
    if (!stream && !mute) throw apiError('TOPIC_NOT_MUTED');
    if (!stream || !user || (mute && !mayAccessStream(user, stream, isSubscribedToStream(parts, stream.id)))) {
      throw typeof named === 'number'
        ? apiError('INVALID_STREAM_ID')
        : apiError('INVALID_STREAM_NAME', { name: named });
    }
    if (mute) checkRoomForPolicy(parts, { stream: stream.id, topic });
    const changes = new TopicPolicyChangeCollector(parts, realm, caller, directory, toUnixSeconds(now));
    const isMuted = topicVisibilityPolicyOf(parts, stream.id, topic) === TOPIC_VISIBILITY_POLICY.muted;
    if (isMuted !== mute)
      changes.setPolicy(
        { stream: stream.id, topic },
        mute ? TOPIC_VISIBILITY_POLICY.muted : TOPIC_VISIBILITY_POLICY.inherit,
      );
    return changes.makeOutcome(makeSuccessReply());
  },
};

/**
 * Moves the user's policy with a whole topic. The policy ends where the user may not read the topic, because its event
 * would have the new name. The command is never refused, and the runtime drops a repeat.
 */
export const moveTopicVisibilityPolicyHandler: UserCommandHandler<typeof userActorCommands.moveTopicPolicy> = {
  handle({ parts }, { from, to, targetExisted }, _inputs, { key, directory, now, realm }) {
    // Only upper and lower case of the name changed, so the topic is the same.
    const same = to && from.stream === to.stream && toComparableTopicKey(from.topic) === toComparableTopicKey(to.topic);
    if (same) return { reply: makeValueReply(null) };
    const self = userIdOfUserActorKey(key);
    const changes = new TopicPolicyChangeCollector(parts, realm, self, directory, toUnixSeconds(now));
    const before = topicVisibilityPolicyOf(parts, from.stream, from.topic);
    changes.setPolicy(from, TOPIC_VISIBILITY_POLICY.inherit);
    const user = directory.user(self);
    const stream = to ? directory.stream(toStreamId(to.stream)) : undefined;
    if (to && user && stream && mayAccessStream(user, stream, isSubscribedToStream(parts, stream.id))) {
      changes.setPolicy(
        to,
        targetExisted
          ? chooseMergedTopicVisibilityPolicy(before, topicVisibilityPolicyOf(parts, to.stream, to.topic))
          : before,
      );
    }
    return changes.makeOutcome(makeValueReply(null));
  },
};

/** Maximum number of policies whose end one commit publishes. */
const MAX_ENDED_POLICIES_PER_COMMIT = 500;

/**
 * Publishes changes of topic policies when streams became visible to the user or hidden: the list of muted topics, and
 * the end of policies in an archived stream, which registrations leave out. The stored policies stay. The command is
 * never refused, and a repeat publishes the same events.
 */
export const publishTopicPoliciesOfShownOrHiddenStreamHandler: UserCommandHandler<
  typeof userActorCommands.streamShownOrHidden
> = {
  handle({ parts }, { stream: id, after }, _inputs, { key, realm, directory, now }) {
    const self = userIdOfUserActorKey(key);
    const topics = listUserTopicPolicies(parts);
    const ofStream = topics.filter(({ stream }) => id === null || stream === id);
    const isArchived = id !== null && directory.stream(toStreamId(id))?.archived === true;
    // Subscribers see a stream unless it is archived. Unsubscribing publishes an event of muted topics by itself.
    const changesMutedTopics =
      after === undefined &&
      ofStream.some(
        ({ stream, policy }) =>
          policy === TOPIC_VISIBILITY_POLICY.muted && (isArchived || !isSubscribedToStream(parts, stream)),
      );
    const ended = { policy: TOPIC_VISIBILITY_POLICY.inherit, updated: toUnixSeconds(now) };
    const events: JsonObject[] = [];
    if (changesMutedTopics)
      events.push(makeMutedTopicsEvent(topics, directory, self, listPresentAndFormerSubscriptions(parts)));
    const left = isArchived ? listUserTopicPartNames(parts, id).filter((part) => part > (after ?? '')) : [];
    const batch = left.sort().slice(0, MAX_ENDED_POLICIES_PER_COMMIT);
    for (const part of batch) {
      const topic = parts.get(part) as UserTopicPolicy;
      events.push({ type: 'user_topic', ...formatUserTopicForApi({ ...topic, ...ended }) });
    }
    const goOn = makeOutboxCommand({
      to: userActorKey(realm, self),
      name: userActorCommands.streamShownOrHidden,
      args: { stream: id, after: batch.at(-1) ?? '' },
      caller: 0,
      after: directory.version,
    });
    return {
      reply: makeValueReply(null),
      events: events.map((event): LogItem => ({ t: 'event', to: { users: [self] }, event })),
      commands: batch.length < left.length ? [[goOn]] : [],
    };
  },
};

/**
 * Follows or unmutes a topic in which the user takes part or is mentioned, if the user's settings want that. The
 * command is never refused, and a repeat changes nothing; so does one beyond MAX_TOPIC_POLICIES_PER_USER.
 */
export const changePolicyAfterParticipationHandler: UserCommandHandler<typeof userActorCommands.tookPartInTopic> = {
  handle({ parts }, { stream, topic, participation }, _inputs, { key, directory, now, realm }) {
    const self = userIdOfUserActorKey(key);
    const user = directory.user(self);
    const subscription = findPresentOrFormerSubscription(parts, stream);
    if (!user?.isActive || user.botType !== null || !subscription?.active) return { reply: makeValueReply(null) };
    const { settings } = directory.preferencesOf(self);
    const current = topicVisibilityPolicyOf(parts, stream, topic);
    const policy = automaticTopicPolicyOf(participation, settings, current, subscription.muted);
    const changes = new TopicPolicyChangeCollector(parts, realm, self, directory, toUnixSeconds(now));
    if (policy !== undefined && countPoliciesWith(parts, { stream, topic }) <= MAX_TOPIC_POLICIES_PER_USER)
      changes.setPolicy({ stream, topic }, policy);
    return changes.makeOutcome(makeValueReply(null));
  },
};
