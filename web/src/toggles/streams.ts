import { core } from '../client/index.js';
import { makeConversationKey, TOPIC_VISIBILITY_POLICY } from '../core/index.js';
import { PressedValues } from './pressed-values.js';

/** Notifications of a stream, each with the setting of the account that counts while the stream has none. */
export const ACCOUNT_SETTING_BY_NOTIFICATION = {
  desktop_notifications: 'enable_stream_desktop_notifications',
  audible_notifications: 'enable_stream_audible_notifications',
  push_notifications: 'enable_stream_push_notifications',
  email_notifications: 'enable_stream_email_notifications',
  wildcard_mentions_notify: 'wildcard_mentions_notify',
} as const;

export type StreamNotification = keyof typeof ACCOUNT_SETTING_BY_NOTIFICATION;
export const isStreamNotification = (name: string): name is StreamNotification =>
  name in ACCOUNT_SETTING_BY_NOTIFICATION;

export interface SubscriptionFlag {
  readonly stream: number;
  readonly property: StreamNotification | 'is_muted' | 'pin_to_top';
}

/** Pinned, muted, and the notifications of a stream. */
export const subscriptionFlags = new PressedValues<SubscriptionFlag, boolean>(
  {
    keyOf: ({ stream, property }) => `${stream} ${property}`,
    known({ stream, property }) {
      const own = core.state.streams.byId.value.get(stream)?.[property];
      if (typeof own === 'boolean' || !isStreamNotification(property)) return own === true;
      return core.state.me.settings.value[ACCOUNT_SETTING_BY_NOTIFICATION[property]];
    },
    send: ({ stream: stream_id, property }, value) =>
      core.api.post('/users/me/subscriptions/properties', { subscription_data: [{ stream_id, property, value }] }),
  },
  () => core.platform,
);

/** Whether the reader is subscribed, by the id of the stream. */
export const subscriptions = new PressedValues<number, boolean>(
  {
    keyOf: String,
    known: (stream) => core.state.streams.isSubscribed(stream),
    send(stream, on) {
      const name = core.state.streams.getStreamName(stream);
      return on
        ? core.api.post('/users/me/subscriptions', { subscriptions: [{ name }] })
        : core.api.delete('/users/me/subscriptions', { subscriptions: [name] });
    },
  },
  () => core.platform,
);

interface TopicOfStream {
  readonly stream: number;
  readonly topic: string;
}

type VisibilityPolicy = (typeof TOPIC_VISIBILITY_POLICY)[keyof typeof TOPIC_VISIBILITY_POLICY];

const findVisibilityPolicy = (value: number): VisibilityPolicy =>
  Object.values(TOPIC_VISIBILITY_POLICY).find((policy) => policy === value) ?? TOPIC_VISIBILITY_POLICY.inherit;

export const topicPolicies = new PressedValues<TopicOfStream, VisibilityPolicy>(
  {
    keyOf: makeConversationKey,
    known: ({ stream, topic }) => findVisibilityPolicy(core.state.muting.getTopicPolicyValue(stream, topic)),
    send: ({ stream: stream_id, topic }, visibility_policy) =>
      core.api.post('/user_topics', { stream_id, topic, visibility_policy }),
  },
  () => core.platform,
);
