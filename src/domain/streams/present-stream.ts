/** Stream and subscription objects as the API shows them (streams.md § Stream objects). */
import { Encoded, type JsonObject, madeOnce } from '#base';
import type { DirectoryStream } from '#model/records';

export function presentStream(stream: DirectoryStream): JsonObject {
  return {
    stream_id: stream.id,
    name: stream.name,
    description: stream.description,
    rendered_description: stream.renderedDescription,
    date_created: stream.created,
    invite_only: stream.inviteOnly,
    is_web_public: stream.webPublic,
    stream_post_policy: stream.postPolicy,
    is_announcement_only: stream.postPolicy === 2,
    history_public_to_subscribers: stream.historyPublic,
    message_retention_days: stream.retentionDays,
    first_message_id: stream.firstMessage,
    can_remove_subscribers_group_id: stream.canRemoveGroup,
  };
}

/** Fields of a stream as JSON text without the closing brace. Encoded once per change of the stream. */
export const encodedStream = madeOnce((stream: DirectoryStream): string =>
  JSON.stringify(presentStream(stream)).slice(0, -1),
);

/** JSON list of streams. `more` adds fields to each. */
export const encodedStreams = (
  streams: readonly DirectoryStream[],
  more: (stream: DirectoryStream) => JsonObject = () => ({}),
): Encoded =>
  Encoded.text(
    `[${streams
      .map((stream) => {
        const rest = JSON.stringify(more(stream));
        return `${encodedStream(stream)}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
      })
      .join(',')}]`,
  );

/** Personal properties of a subscription; null = follow the user's setting. */
export interface Subscription {
  readonly stream: number;
  readonly active: boolean;
  readonly color: string;
  readonly muted: boolean;
  readonly pinned: boolean;
  readonly desktop: boolean | null;
  readonly audible: boolean | null;
  readonly push: boolean | null;
  readonly email: boolean | null;
  readonly wildcard: boolean | null;
}

/** Values for the four notification properties, for clients that can't handle null (register.md). */
export interface NotificationDefaults {
  readonly enable_stream_desktop_notifications: boolean;
  readonly enable_stream_audible_notifications: boolean;
  readonly enable_stream_push_notifications: boolean;
  readonly enable_stream_email_notifications: boolean;
}

export interface SubscriptionOptions {
  /** `stream_weekly_traffic`. */
  readonly traffic: number | null;
  readonly subscribers?: readonly number[];
  readonly notNull?: NotificationDefaults;
}

/** The fields of a subscription object besides those of its stream. */
export function presentSubscriptionFields(
  own: Subscription,
  { traffic, notNull, subscribers }: SubscriptionOptions,
): JsonObject {
  return {
    color: own.color,
    is_muted: own.muted,
    in_home_view: !own.muted,
    pin_to_top: own.pinned,
    desktop_notifications: own.desktop ?? notNull?.enable_stream_desktop_notifications ?? null,
    audible_notifications: own.audible ?? notNull?.enable_stream_audible_notifications ?? null,
    push_notifications: own.push ?? notNull?.enable_stream_push_notifications ?? null,
    email_notifications: own.email ?? notNull?.enable_stream_email_notifications ?? null,
    wildcard_mentions_notify: own.wildcard,
    email_address: '',
    stream_weekly_traffic: traffic,
    ...(subscribers ? { subscribers } : {}),
  };
}

export const presentSubscription = (
  stream: DirectoryStream,
  own: Subscription,
  options: SubscriptionOptions,
): JsonObject => ({ ...presentStream(stream), ...presentSubscriptionFields(own, options) });
