/** Stream and subscription objects as the API shows them (streams.md § Stream objects). */
import type { JsonObject } from '../core/index.js';
import type { DirectoryStream } from '../directory/index.js';

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

/** Where a client can't handle null, the user's settings fill the four notification values (register.md). */
export interface NotificationDefaults {
  readonly enable_stream_desktop_notifications: boolean;
  readonly enable_stream_audible_notifications: boolean;
  readonly enable_stream_push_notifications: boolean;
  readonly enable_stream_email_notifications: boolean;
}

export function presentSubscription(
  stream: DirectoryStream,
  own: Subscription,
  options: { readonly subscribers?: readonly number[]; readonly notNull?: NotificationDefaults },
): JsonObject {
  const { notNull } = options;
  return {
    ...presentStream(stream),
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
    stream_weekly_traffic: null,
    ...(options.subscribers ? { subscribers: options.subscribers } : {}),
  };
}

/** Fields that only never_subscribed entries of register leave out beside the personal ones. */
export function presentNeverSubscribed(stream: DirectoryStream, subscribers?: readonly number[]): JsonObject {
  return { ...presentStream(stream), stream_weekly_traffic: null, ...(subscribers ? { subscribers } : {}) };
}
