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
  checkStreamPostPolicy,
  isAnonymousAccessEnabled,
  weakestRoleSeeingStream,
} from './access.js';
export {
  findMembershipStayOfMessage,
  hasMemberReceivedMessage,
  isCurrentStreamMember,
  STREAM_MEMBER_PART_PREFIX,
  type StreamMembershipRecord,
  type StreamMembershipStay,
  streamMemberPartAddress,
  toStreamMembershipRecord,
  wasReceivingMessagesAtVersion,
  wasStreamMemberAtVersion,
  wasStreamMemberByVersion,
} from './membership.js';
export {
  checkStreamName,
  checkTopicName,
  compareByName,
  MAX_STREAM_DESCRIPTION_CHARACTERS,
  MAX_STREAM_NAME_CHARACTERS,
  MAX_TOPIC_CHARACTERS,
  type StreamPrivacy,
  streamPrivacyNameOf,
  toOneLineDescription,
  toTopicKey,
  truncateTopicName,
} from './names.js';
export {
  encodeStreamList,
  formatDefaultStreamGroupsForApi,
  formatStreamForApi,
  formatSubscriptionFieldsForApi,
  formatSubscriptionForApi,
  makeDefaultSubscription,
  pickSubscriptionColor,
  type Subscription,
} from './present-stream.js';
export {
  addMessageToDailyCounts,
  countRecentMessages,
  type DailyMessageCounts,
  estimateWeeklyStreamTraffic,
} from './traffic.js';
export {
  formatMutedTopicsForApi,
  formatUserTopicForApi,
  formatUserTopicsForApi,
  hashTopicName,
  listUserTopicPolicies,
  mergeTopicVisibilityPolicies,
  TOPIC_VISIBILITY_POLICY,
  topicVisibilityPolicyOf,
  USER_TOPIC_PART_PREFIX,
  type UserTopicPolicy,
  userTopicPartName,
} from './user-topics.js';
