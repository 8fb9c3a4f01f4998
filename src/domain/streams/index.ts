/**
 * Rules and API objects for streams and subscriptions (streams.md).
 *
 * - `access.ts`: rights to see, read and post, with and without an account.
 * - `names.ts`: valid names, topics and kinds (combinations of privacy).
 * - `membership.ts`: stays of a user in a stream; they decide which messages the user received.
 * - `user-topics.ts`: a user's policies for single topics.
 * - `traffic.ts`: message counts per day, and `stream_weekly_traffic`.
 * - `present-stream.ts`: API objects of streams, subscriptions and default stream groups; colors of new subscriptions.
 *
 * Functions are pure. Membership is asked for at a membership version (`mv`), so that replay gives the same answer as
 * the first delivery. Refusals are thrown as `ApiError`.
 *
 * Actors, frontend, delivery and higher domain folders may import this folder.
 */
export {
  audienceRole,
  canAccess,
  canReadHistory,
  canSeeMetadata,
  checkMayPost,
  hasPublicAccess,
  webPublicEnabled,
} from './access.js';
export {
  asMember,
  everMember,
  hadCopies,
  hasCopy,
  isMember,
  MEMBER_PART,
  type Member,
  memberPart,
  type Stay,
  stayWith,
  wasMember,
} from './membership.js';
export {
  byName,
  checkStreamName,
  checkTopic,
  cutTopic,
  kindOf,
  MAX_DESCRIPTION,
  MAX_STREAM_NAME,
  MAX_TOPIC,
  oneLine,
  type Privacy,
  topicKey,
} from './names.js';
export {
  encodedStreams,
  pickColor,
  presentStream,
  presentStreamGroups,
  presentSubscription,
  presentSubscriptionFields,
  type Subscription,
} from './present-stream.js';
export { countMessage, type DailyCounts, recentTraffic, weeklyTraffic } from './traffic.js';
export {
  mergedPolicy,
  mutedTopics,
  policyOf,
  presentUserTopic,
  presentUserTopics,
  TOPIC_PART,
  TOPIC_POLICY,
  topicHash,
  topicPart,
  type UserTopic,
  userTopics,
} from './user-topics.js';
