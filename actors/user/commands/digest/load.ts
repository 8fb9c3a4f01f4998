/** Loading of what a weekly digest tells: the hottest topics of the user's streams. */

import { sealMailLink } from '#domain/mail';
import { type ReadableMessage, readNewestCopiesInStreams } from '#domain/messages';
import {
  chooseHottestTopics,
  type DigestMessage,
  digestWeekdayOf,
  MAX_DIGEST_DELAY_MS,
  type MessageInMissedMail,
  makeUnsubscribeLink,
} from '#domain/notifications';
import { readUserSettingByUserId } from '#domain/people';
import type { PresenceTimes } from '#domain/presence';
import { mayAccessStream, TOPIC_VISIBILITY_POLICY, topicVisibilityPolicyOf } from '#domain/streams';
import { type ActorParts, toStreamId, toUserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { toMailedMessage } from '../../mail-receiver.js';
import { loadOwnPresenceTimes } from '../../own-presence.js';
import {
  findPresentOrFormerSubscription,
  listPresentAndFormerSubscriptions,
  type UserActorState,
  userIdOfUserActorKey,
} from '../../state.js';
import { type PlannedDigest, readWeeklyDigestRecord } from '../../weekly-digest.js';
import { loadMessageReadingRights } from '../messages/on-message.js';

/** Maximum number of messages that are read for a digest, the newest ones of the user's streams. */
const MAX_MESSAGES_SCANNED_PER_DIGEST = 1_000;
/** Maximum number of messages of a topic that a digest shows. */
const MAX_TEASER_MESSAGES = 3;

/** A topic for a digest, with the first of its messages that the user has not heard of. */
export interface LoadedDigestTopic {
  readonly stream: number;
  readonly topic: string;
  readonly senderCount: number;
  readonly messageCount: number;
  readonly teaser: readonly MessageInMissedMail[];
}

export interface WeeklyDigestInputs {
  /** Time for which the digest was planned, ms; null: no digest is due. */
  readonly at: number | null;
  /** Last activity of the user, ms; null if it could not be read. */
  readonly lastActive: number | null;
  /** Time since which the digest tells the news, ms: the last activity or the last digest, whichever is later. */
  readonly since: number;
  readonly topics: readonly LoadedDigestTopic[];
  /** URL that unsubscribes from the digests, encrypted. */
  readonly sealedUnsubscribeUrl: string;
}

const NO_DIGEST_INPUTS: WeeklyDigestInputs = {
  at: null,
  lastActive: null,
  since: 0,
  topics: [],
  sealedUnsubscribeUrl: '',
};

/** True if a digest that was planned may be sent to this user, by the settings of today. */
export function isDigestWanted(
  { at }: PlannedDigest,
  user: DirectoryUser | undefined,
  directory: DirectoryView,
  now: number,
): user is DirectoryUser {
  const { settings } = directory;
  return (
    now - at <= MAX_DIGEST_DELAY_MS &&
    !directory.deactivated &&
    settings.digest_emails_enabled &&
    settings.digest_weekday === digestWeekdayOf(at) &&
    user?.isActive === true &&
    user.botType === null &&
    readUserSettingByUserId(directory, user.id, 'enable_digest_emails')
  );
}

/** Loads the data that the digest which is due needs. */
export async function loadWeeklyDigestInputs(
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<WeeklyDigestInputs> {
  const { realm, view, key } = context;
  const { clock, secrets } = sources.services;
  const now = clock.now();
  const { plan, lastMailed } = readWeeklyDigestRecord(view.parts, now);
  if (!plan || plan.due > now) return NO_DIGEST_INPUTS;
  const self = userIdOfUserActorKey(key);
  const directory = await sources.loadDirectory(realm);
  const user = directory.user(self);
  const none = { ...NO_DIGEST_INPUTS, at: plan.at };
  if (!isDigestWanted(plan, user, directory, now)) return none;
  const presence = await loadOwnPresenceTimes(realm, self, directory, sources);
  if (presence === null) return none;
  const lastActive = lastActivityOf(user, presence, directory);
  if (lastActive > plan.inactiveSince) return { ...none, lastActive };
  const link = makeUnsubscribeLink(secrets, plan.origin, { realm, user: self, kind: 'digest' });
  const since = Math.max(lastActive, lastMailed?.toldUntil ?? 0);
  return {
    at: plan.at,
    lastActive,
    since,
    topics: await loadHottestTopics(since, user, directory, context, sources),
    sealedUnsubscribeUrl: sealMailLink(secrets, link),
  };
}

/**
 * Returns the time of the user's last activity, ms: the last report as active, the last use of a browser's session, or
 * else the sign-up.
 */
function lastActivityOf(
  { id, joined }: DirectoryUser,
  presence: PresenceTimes | undefined,
  directory: DirectoryView,
): number {
  const sessions = directory.sessionsOf(id)?.sessions ?? [];
  return Math.max(joined, presence?.active ?? 0, ...sessions.map(({ used }) => used));
}

/** True if digests show the topic: the user is subscribed to its stream, and has muted neither stream nor topic. */
export function isTopicInDigests(
  stream: number,
  topic: string,
  user: DirectoryUser,
  parts: ActorParts,
  directory: DirectoryView,
): boolean {
  const subscription = findPresentOrFormerSubscription(parts, stream);
  const known = directory.stream(toStreamId(stream));
  return (
    subscription?.active === true &&
    !subscription.muted &&
    known !== undefined &&
    mayAccessStream(user, known, true) &&
    topicVisibilityPolicyOf(parts, stream, topic) !== TOPIC_VISIBILITY_POLICY.muted
  );
}

interface OwnDigestMessage extends DigestMessage {
  readonly own: ReadableMessage;
}

async function loadHottestTopics(
  sinceMs: number,
  user: DirectoryUser,
  directory: DirectoryView,
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<LoadedDigestTopic[]> {
  const { parts } = context.view;
  const streams = new Set(
    listPresentAndFormerSubscriptions(parts)
      .filter(({ active, muted }) => active && !muted)
      .map(({ stream }) => stream),
  );
  const { viewer, flags } = await loadMessageReadingRights({ ...context, caller: user.id }, sources);
  const since = Math.floor(sinceMs / 1_000);
  const copies = await readNewestCopiesInStreams(
    sources.store,
    viewer,
    streams,
    since,
    MAX_MESSAGES_SCANNED_PER_DIGEST,
  );
  const messages = copies
    .filter(
      (own) =>
        !flags.isRead(own) &&
        own.message.sender !== user.id &&
        directory.user(toUserId(own.message.sender))?.botType === null &&
        isTopicInDigests(own.message.body.stream, own.message.body.topic, user, parts, directory),
    )
    .map(
      (own): OwnDigestMessage => ({
        id: own.message.id,
        sender: own.message.sender,
        stream: own.message.body.stream,
        topic: own.message.body.topic,
        own,
      }),
    );
  return chooseHottestTopics(messages).map(({ stream, topic, senderCount, messages: of }) => ({
    stream,
    topic,
    senderCount,
    messageCount: of.length,
    teaser: of.slice(0, MAX_TEASER_MESSAGES).map(({ own }) => toMailedMessage(own, directory)),
  }));
}
