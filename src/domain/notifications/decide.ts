/**
 * Whether a message notifies a receiver by mail or by push, and the reason (users.md § Settings). Pure, and without new
 * objects, because a send asks this for its receivers.
 */

import { OFFLINE_AFTER_SECONDS, type PresenceTimes } from '#domain/presence';
import { type Subscription, TOPIC_POLICY } from '#domain/streams';
import { USER_SETTINGS, type UserSettings } from '#model';
import type { DirectoryPreferences, DirectoryUser, DirectoryView } from '#model/records';

/** Reasons for a notification, the most personal first: a message with several notifies for the first of them. */
export const NOTIFICATION_TRIGGERS = ['direct', 'mention', 'wildcard_mention', 'alert_word', 'stream'] as const;
export type NotificationTrigger = (typeof NOTIFICATION_TRIGGERS)[number];

/** A message as one receiver got it. */
export interface ReceivedMessage {
  readonly sender: number;
  /** True for a direct message, false for a message to a stream. */
  readonly direct: boolean;
  /** True if the text mentions every user with a copy. */
  readonly wildcard: boolean;
  /** The receiver's flags at the creation of the message, as `flagsAtCreation` makes them; undefined: none. */
  readonly flags: readonly string[] | undefined;
}

/** The settings of a subscription that decide about notifications; null follows the user's setting. */
export type SubscriptionNotifications = Pick<Subscription, 'active' | 'muted' | 'push' | 'email' | 'wildcard'>;

export interface MessageReceiver {
  readonly user: Pick<DirectoryUser, 'id' | 'isActive' | 'botType'>;
  readonly preferences: Pick<DirectoryPreferences, 'settings' | 'muted'>;
  /** The receiver's subscription to the stream of the message; undefined: none, or a direct message. */
  readonly subscription: SubscriptionNotifications | undefined;
  /** The receiver's TOPIC_POLICY for the topic of the message; `inherit` for a direct message. */
  readonly topicPolicy: number;
}

/** The settings that allow a way of notification for personal messages and for streams. */
const MAIL = {
  personal: 'enable_offline_email_notifications',
  streams: 'enable_stream_email_notifications',
  own: 'email',
} as const;
const PUSH = {
  personal: 'enable_offline_push_notifications',
  streams: 'enable_stream_push_notifications',
  own: 'push',
} as const;

type BooleanSetting = {
  [N in keyof UserSettings]: UserSettings[N] extends boolean ? N : never;
}[keyof UserSettings];

const isOn = ({ settings }: MessageReceiver['preferences'], name: BooleanSetting): boolean =>
  settings[name] ?? USER_SETTINGS[name].default;

/**
 * True if the user is away: their last activity is so long ago that other users see them as offline.
 * @param presence undefined: the user never reported, or hides the presence, and counts as away
 */
export const isAway = (presence: PresenceTimes | undefined, now: number): boolean =>
  (presence?.active ?? Number.NEGATIVE_INFINITY) < now - OFFLINE_AFTER_SECONDS * 1_000;

/** The reason to tell the receiver of the message by mail; undefined: there is none. */
export const decideMail = (
  message: ReceivedMessage,
  receiver: MessageReceiver,
  away: boolean,
): NotificationTrigger | undefined => (away ? decide(message, receiver, MAIL) : undefined);

/** The reason to push the message to the receiver's devices; undefined: there is none. */
export const decidePush = (
  message: ReceivedMessage,
  receiver: MessageReceiver,
  away: boolean,
): NotificationTrigger | undefined =>
  away || isOn(receiver.preferences, 'enable_online_push_notifications') ? decide(message, receiver, PUSH) : undefined;

/** Stands for an unknown subscription: it allows the personal triggers, and no notification of all messages. */
const PERSONAL_ONLY: SubscriptionNotifications = {
  active: true,
  muted: false,
  push: false,
  email: false,
  wildcard: true,
};

/**
 * True if the message may notify the user by a personal trigger, as far as the settings in the directory tell. The
 * user's own actor knows the subscription and the topic, and decides.
 */
export function mayNotifyPersonally(message: ReceivedMessage, user: DirectoryUser, directory: DirectoryView): boolean {
  const preferences = directory.preferencesOf(user.id);
  const receiver = { user, preferences, subscription: PERSONAL_ONLY, topicPolicy: TOPIC_POLICY.inherit };
  return decide(message, receiver, MAIL) !== undefined || decide(message, receiver, PUSH) !== undefined;
}

function decide(
  message: ReceivedMessage,
  receiver: MessageReceiver,
  way: typeof MAIL | typeof PUSH,
): NotificationTrigger | undefined {
  if (!mayBeNotified(message, receiver)) return undefined;
  const personal = isOn(receiver.preferences, way.personal);
  if (message.direct) return personal ? 'direct' : undefined;
  const { subscription, preferences } = receiver;
  if (!subscription?.active) return undefined;
  // A mention by name notifies in a muted stream or topic, too.
  if (personal && message.flags?.includes('mentioned')) return 'mention';
  if (isMuted(subscription, receiver.topicPolicy)) return undefined;
  if (personal && message.wildcard && (subscription.wildcard ?? isOn(preferences, 'wildcard_mentions_notify'))) {
    return 'wildcard_mention';
  }
  if (personal && message.flags?.includes('has_alert_word')) return 'alert_word';
  return (subscription[way.own] ?? isOn(preferences, way.streams)) ? 'stream' : undefined;
}

/** False for accounts that get no notifications, for the sender, and for receivers who muted the sender. */
function mayBeNotified({ sender, flags }: ReceivedMessage, { user, preferences }: MessageReceiver): boolean {
  if (!user.isActive || user.botType !== null || user.id === sender) return false;
  // A copy that is read from the beginning needs no notification.
  if (flags?.includes('read')) return false;
  for (const { id } of preferences.muted) if (id === sender) return false;
  return true;
}

/** True if the topic is muted by its own policy, or with its stream. */
function isMuted({ muted }: SubscriptionNotifications, topicPolicy: number): boolean {
  if (topicPolicy === TOPIC_POLICY.muted) return true;
  return muted && topicPolicy !== TOPIC_POLICY.unmuted && topicPolicy !== TOPIC_POLICY.followed;
}
