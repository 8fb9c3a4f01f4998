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
  mayAccessStream,
  mayReadAnyStreamAnonymously,
  mayReadStreamHistory,
  maySeeStreamMetadata,
  requireMayPostToStream,
  weakestRoleSeeingUnsubscribed,
} from './access.js';
export {
  automaticTopicPolicyOf,
  mayTopicPolicyChange,
  type TopicParticipation,
} from './automatic-policies.js';
export { EncodedStreams } from './encoded-streams.js';
export {
  countStays,
  didMemberReceiveAnyMessageId,
  didMemberReceiveMessageId,
  findReceivingStayOfMessageId,
  isCurrentStreamMember,
  listStays,
  MAX_STAYS_PER_STREAM_AND_USER,
  messageIdBeforeFirstStay,
  STREAM_MEMBER_PART_PREFIX,
  type StreamMembershipRecord,
  type StreamMembershipStay,
  streamMemberPartAddress,
  toStreamMembershipRecord,
  wasReceivingMessagesAtVersion,
  wasReceivingOrSuspendedAtVersion,
  wasStreamMemberAtVersion,
  withStayBegun,
  withStayEnded,
} from './membership.js';
export {
  checkNewStreamNameIsShown,
  compareByName,
  MAX_STREAM_DESCRIPTION_CHARACTERS,
  MAX_STREAM_NAME_CHARACTERS,
  MAX_TOPIC_CHARACTERS,
  type StreamPrivacyFlags,
  streamPrivacyKindOf,
  toCheckedStreamName,
  toCheckedTruncatedTopic,
  toComparableTopicKey,
  toOneLineDescription,
  truncateTopicName,
} from './names.js';
export {
  encodeStream,
  encodeStreamList,
  formatStreamForApi,
  formatSubscriptionForApi,
  formatSubscriptionOwnFieldsForApi,
  formatVisibleDefaultStreamGroups,
  MAX_DEFAULT_STREAM_GROUP_NAME_CHARACTERS,
  MAX_DEFAULT_STREAM_GROUPS,
  MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS,
  makeDefaultSubscription,
  pickSubscriptionColor,
  type Subscription,
} from './present-stream.js';
export {
  countMessagesInTrafficWindow,
  type DailyMessageCounts,
  estimateWeeklyStreamTraffic,
  nextWeeklyTrafficChangeMs,
  withMessageAddedToDailyCounts,
} from './traffic.js';
export {
  chooseMergedTopicVisibilityPolicy,
  formatMutedTopicsForApi,
  formatUserTopicForApi,
  formatUserTopicsForApi,
  hashTopicIgnoringCase,
  listUserTopicPartNames,
  listUserTopicPolicies,
  MAX_TOPIC_POLICIES_PER_USER,
  TOPIC_VISIBILITY_POLICY,
  topicVisibilityPolicyOf,
  USER_TOPIC_PART_PREFIX,
  type UserTopicPolicy,
  userTopicPartName,
} from './user-topics.js';
