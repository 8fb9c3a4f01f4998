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
  areWebPublicStreamsEnabled,
  canAccessStream,
  canReadStreamHistory,
  canSeeStreamMetadata,
  checkMayPost,
  hasPublicAccess,
  weakestRoleSeeingStream,
} from './access.js';
export {
  findStayWithMessage,
  hasReceivedMessage,
  isCurrentMember,
  MEMBER_PART_PREFIX,
  type MembershipStay,
  memberPartAddress,
  type StreamMember,
  toStreamMember,
  wasEverMember,
  wasMemberAt,
  wasReceivingMessages,
} from './membership.js';
export {
  checkStreamName,
  checkTopic,
  compareByName,
  cutTopic,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_STREAM_NAME_CHARACTERS,
  MAX_TOPIC_CHARACTERS,
  type StreamPrivacy,
  streamKindOf,
  toOneLine,
  toTopicKey,
} from './names.js';
export {
  encodeStreams,
  pickSubscriptionColor,
  presentStream,
  presentStreamGroups,
  presentSubscription,
  presentSubscriptionFields,
  type Subscription,
} from './present-stream.js';
export { countMessage, countRecentMessages, type DailyCounts, estimateWeeklyTraffic } from './traffic.js';
export {
  hashTopic,
  mergeTopicPolicies,
  presentMutedTopics,
  presentUserTopic,
  presentUserTopics,
  storedUserTopics,
  TOPIC_POLICY,
  topicPolicyOf,
  USER_TOPIC_PART_PREFIX,
  type UserTopic,
  userTopicPartName,
} from './user-topics.js';
