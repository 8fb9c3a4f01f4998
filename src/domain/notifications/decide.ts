/**
 * Decision whether a message notifies a receiver by mail or by push, with the reason (users.md § Settings). The
 * functions have no side effects and make no objects, because a send calls them for its receivers.
 */

import { PRESENCE_OFFLINE_AFTER_SECONDS, type PresenceTimes } from '#domain/presence';
import { type Subscription, TOPIC_VISIBILITY_POLICY } from '#domain/streams';
import { USER_SETTING_DECLARATIONS, type UserSettings } from '#model';
import type { DirectoryUser, DirectoryUserPreferences, DirectoryView } from '#model/records';

/**
 * Reasons for a notification, the most personal first: a message with several reasons notifies for the first of them.
 */
export const NOTIFICATION_TRIGGERS = [
  'direct',
  'mention',
  'wildcard_mention',
  'alert_word',
  'followed_topic',
  'stream',
] as const;
export type NotificationTrigger = (typeof NOTIFICATION_TRIGGERS)[number];

/** A message from the view of one receiver. */
export interface NotificationCandidateMessage {
  readonly sender: number;
  /** True for a direct message, false for a message to a stream. */
  readonly direct: boolean;
  /** True if the text mentions all receivers of the message (wildcard mention). */
  readonly wildcard: boolean;
  /** The receiver's flags when the message was created, made by `computeFlagsAtMessageCreation`; undefined: none. */
  readonly flags: readonly string[] | undefined;
}

/** The settings of a subscription that decide about notifications; null: the user's setting applies. */
export type SubscriptionNotificationSettings = Pick<Subscription, 'active' | 'muted' | 'push' | 'email' | 'wildcard'>;

export interface NotificationReceiver {
  readonly user: Pick<DirectoryUser, 'id' | 'isActive' | 'botType'>;
  readonly preferences: Pick<DirectoryUserPreferences, 'settings' | 'muted'>;
  /** The receiver's subscription to the stream of the message; undefined if there is none, or for a direct message. */
  readonly subscription: SubscriptionNotificationSettings | undefined;
  /** The receiver's TOPIC_VISIBILITY_POLICY for the topic of the message; `inherit` for a direct message. */
  readonly topicPolicy: number;
}

/** Names of the settings that allow mails for personal messages, for streams and for followed topics. */
const MAIL_NOTIFICATION_SETTING_NAMES = {
  personal: 'enable_offline_email_notifications',
  streams: 'enable_stream_email_notifications',
  followedTopics: 'enable_followed_topic_email_notifications',
  own: 'email',
} as const;
const PUSH_NOTIFICATION_SETTING_NAMES = {
  personal: 'enable_offline_push_notifications',
  streams: 'enable_stream_push_notifications',
  followedTopics: 'enable_followed_topic_push_notifications',
  own: 'push',
} as const;

type BooleanUserSettingName = {
  [N in keyof UserSettings]: UserSettings[N] extends boolean ? N : never;
}[keyof UserSettings];

const isBooleanSettingEnabled = (
  { settings }: NotificationReceiver['preferences'],
  name: BooleanUserSettingName,
): boolean => settings[name] ?? USER_SETTING_DECLARATIONS[name].default;

/**
 * True if the user is away: the last activity is so long ago that other users see the user as offline.
 * @param presence undefined if the user never reported a presence, or hides it; the user then counts as away
 */
export const isUserAway = (presence: PresenceTimes | undefined, now: number): boolean =>
  (presence?.active ?? Number.NEGATIVE_INFINITY) < now - PRESENCE_OFFLINE_AFTER_SECONDS * 1_000;

/** Decides whether to notify the receiver by mail. @returns the reason; undefined: no mail */
export const decideMailNotificationTrigger = (
  message: NotificationCandidateMessage,
  receiver: NotificationReceiver,
  away: boolean,
): NotificationTrigger | undefined =>
  away ? decideTriggerForChannel(message, receiver, MAIL_NOTIFICATION_SETTING_NAMES) : undefined;

/** Decides whether to push the message to the receiver's devices. @returns the reason; undefined: no push */
export const decidePushNotificationTrigger = (
  message: NotificationCandidateMessage,
  receiver: NotificationReceiver,
  away: boolean,
): NotificationTrigger | undefined =>
  away || isBooleanSettingEnabled(receiver.preferences, 'enable_online_push_notifications')
    ? decideTriggerForChannel(message, receiver, PUSH_NOTIFICATION_SETTING_NAMES)
    : undefined;

/**
 * Settings that stand for an unknown subscription: they allow the personal triggers, and no notification of all
 * messages.
 */
const PERSONAL_TRIGGERS_ONLY_SUBSCRIPTION: SubscriptionNotificationSettings = {
  active: true,
  muted: false,
  push: false,
  email: false,
  wildcard: true,
};

/**
 * True if the message may notify the user by mail or by push, by the settings in the directory. The user's own actor
 * knows the subscription and the topic, and makes the decision.
 * @param personal true if only a personal trigger counts, such as a mention
 */
export function mayNotifyUser(
  channel: 'mail' | 'push',
  message: NotificationCandidateMessage,
  user: DirectoryUser,
  directory: DirectoryView,
  personal: boolean,
): boolean {
  const receiver = {
    user,
    preferences: directory.preferencesOf(user.id),
    subscription: PERSONAL_TRIGGERS_ONLY_SUBSCRIPTION,
    topicPolicy: TOPIC_VISIBILITY_POLICY.inherit,
  };
  if (!personal) return mayNotifyReceiverAboutSender(message, receiver);
  const names = channel === 'mail' ? MAIL_NOTIFICATION_SETTING_NAMES : PUSH_NOTIFICATION_SETTING_NAMES;
  return decideTriggerForChannel(message, receiver, names) !== undefined;
}

function decideTriggerForChannel(
  message: NotificationCandidateMessage,
  receiver: NotificationReceiver,
  way: typeof MAIL_NOTIFICATION_SETTING_NAMES | typeof PUSH_NOTIFICATION_SETTING_NAMES,
): NotificationTrigger | undefined {
  if (!mayNotifyReceiverAboutSender(message, receiver)) return undefined;
  const personal = isBooleanSettingEnabled(receiver.preferences, way.personal);
  if (message.direct) return personal ? 'direct' : undefined;
  const { subscription, preferences } = receiver;
  if (!subscription?.active) return undefined;
  // A mention by name notifies even in a muted stream or topic.
  if (personal && message.flags?.includes('mentioned')) return 'mention';
  if (isTopicEffectivelyMuted(subscription, receiver.topicPolicy)) return undefined;
  if (
    personal &&
    (message.wildcard || message.flags?.includes('wildcard_mentioned')) &&
    doWildcardMentionsNotify(receiver, subscription)
  ) {
    return 'wildcard_mention';
  }
  if (personal && message.flags?.includes('has_alert_word')) return 'alert_word';
  if (isTopicFollowed(receiver) && isBooleanSettingEnabled(preferences, way.followedTopics)) return 'followed_topic';
  return (subscription[way.own] ?? isBooleanSettingEnabled(preferences, way.streams)) ? 'stream' : undefined;
}

const isTopicFollowed = ({ topicPolicy }: NotificationReceiver): boolean =>
  topicPolicy === TOPIC_VISIBILITY_POLICY.followed;

/** True if mentions of everybody notify: in this stream, or in topics that the receiver follows. */
function doWildcardMentionsNotify(
  receiver: NotificationReceiver,
  { wildcard }: SubscriptionNotificationSettings,
): boolean {
  const { preferences } = receiver;
  return (
    (wildcard ?? isBooleanSettingEnabled(preferences, 'wildcard_mentions_notify')) ||
    (isTopicFollowed(receiver) &&
      isBooleanSettingEnabled(preferences, 'enable_followed_topic_wildcard_mentions_notify'))
  );
}

/** True if messages of a topic that the user follows notify by mail or by push. */
export const doFollowedTopicsNotify = (preferences: NotificationReceiver['preferences']): boolean =>
  isBooleanSettingEnabled(preferences, MAIL_NOTIFICATION_SETTING_NAMES.followedTopics) ||
  isBooleanSettingEnabled(preferences, PUSH_NOTIFICATION_SETTING_NAMES.followedTopics);

/** False for accounts that get no notifications, for the sender, and for receivers who muted the sender. */
function mayNotifyReceiverAboutSender(
  { sender, flags }: NotificationCandidateMessage,
  { user, preferences }: NotificationReceiver,
): boolean {
  if (!user.isActive || user.botType !== null || user.id === sender) return false;
  // A message that counts as read from the beginning needs no notification.
  if (flags?.includes('read')) return false;
  for (const { id } of preferences.muted) if (id === sender) return false;
  return true;
}

/** True if the topic is muted by its own policy, or with its stream. */
function isTopicEffectivelyMuted({ muted }: SubscriptionNotificationSettings, topicPolicy: number): boolean {
  if (topicPolicy === TOPIC_VISIBILITY_POLICY.muted) return true;
  return muted && topicPolicy !== TOPIC_VISIBILITY_POLICY.unmuted && topicPolicy !== TOPIC_VISIBILITY_POLICY.followed;
}
