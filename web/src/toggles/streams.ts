import { core } from '../client/index.js';
import { makeConversationKey, type Stream, TOPIC_VISIBILITY_POLICY } from '../core/index.js';
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

const makeFlagKey = ({ stream, property }: SubscriptionFlag): string => `${stream} ${property}`;

const sendFlag = ({ stream: stream_id, property }: SubscriptionFlag, value: boolean) =>
  core.api.post('/users/me/subscriptions/properties', { subscription_data: [{ stream_id, property, value }] });

/** Changes a stream in the state. Sidebar, inbox and all counts follow at once. */
function changeKnownStream(id: number, change: Partial<Stream>): void {
  const { streams } = core.state;
  const stream = streams.byId.peek().get(id);
  if (stream) streams.putStream(id, { ...stream, ...change });
}

const streamPlaceFlags = new PressedValues<SubscriptionFlag, boolean>(
  {
    keyOf: makeFlagKey,
    known: ({ stream, property }) => core.state.streams.byId.value.get(stream)?.[property] === true,
    show: ({ stream, property }, value) => changeKnownStream(stream, { [property]: value }),
    send: sendFlag,
  },
  () => core.platform,
);

/** Without `show`: a notification may have no value of its own, which a refusal must restore. */
const streamNotifications = new PressedValues<SubscriptionFlag & { readonly property: StreamNotification }, boolean>(
  {
    keyOf: makeFlagKey,
    known: ({ stream, property }) =>
      core.state.streams.byId.value.get(stream)?.[property] ??
      core.state.me.settings.value[ACCOUNT_SETTING_BY_NOTIFICATION[property]],
    send: sendFlag,
  },
  () => core.platform,
);

/** Pinned, muted, and the notifications of a stream. */
export const subscriptionFlags = {
  shown: ({ stream, property }: SubscriptionFlag): boolean =>
    isStreamNotification(property)
      ? streamNotifications.shown({ stream, property })
      : streamPlaceFlags.shown({ stream, property }),
  press: ({ stream, property }: SubscriptionFlag, value: boolean): Promise<void> =>
    isStreamNotification(property)
      ? streamNotifications.press({ stream, property }, value)
      : streamPlaceFlags.press({ stream, property }, value),
};

/** Whether the reader is subscribed, by the id of the stream. */
export const subscriptions = new PressedValues<number, boolean>(
  {
    keyOf: String,
    known: (stream) => core.state.streams.isSubscribed(stream),
    show(stream, on) {
      // Present and past subscriptions have a colour.
      const hasBeenIn = core.state.streams.byId.peek().get(stream)?.color !== undefined;
      changeKnownStream(stream, { membership: on ? 'subscribed' : hasBeenIn ? 'former' : 'never' });
    },
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
    show: ({ stream: stream_id, topic: topic_name }, visibility_policy) =>
      core.state.muting.putTopicPolicy({
        ...{ stream_id, topic_name, visibility_policy },
        last_updated: Math.floor(core.platform.now() / 1000),
      }),
  },
  () => core.platform,
);
