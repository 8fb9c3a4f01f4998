export { audienceRole, canAccess, canReadHistory, canSeeMetadata, checkMayPost, type Poster } from './access.js';
export { pickColor } from './colors.js';
export { kindOf, oneLine, type Privacy } from './kinds.js';
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
  MAX_DESCRIPTION,
  MAX_STREAM_NAME,
  MAX_TOPIC,
  topicKey,
} from './names.js';
export {
  encodedStream,
  encodedStreams,
  type NotificationDefaults,
  presentStream,
  presentSubscription,
  presentSubscriptionFields,
  type Subscription,
  type SubscriptionOptions,
} from './present-stream.js';
export { hasPublicAccess, webPublicEnabled } from './public-access.js';
export { presentStreamGroups } from './stream-groups.js';
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
  userTopic,
  userTopics,
} from './user-topics.js';
