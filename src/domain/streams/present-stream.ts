/**
 * API objects of streams, subscriptions and default stream groups (streams.md § Stream objects, streams.md § Default
 * stream groups). The functions have no side effects.
 */

import { EncodedJson, type Json, type JsonObject, memoizeByObject } from '#base';
import type { DirectoryDefaultStreamGroup, DirectoryStream } from '#model/records';
import { compareByName } from './names.js';

export function formatStreamForApi(stream: DirectoryStream): JsonObject {
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
const encodeStreamWithoutClosingBrace = memoizeByObject((stream: DirectoryStream): string =>
  JSON.stringify(formatStreamForApi(stream)).slice(0, -1),
);

/** A stream object as JSON text. @param more further fields */
export function encodeStream(stream: DirectoryStream, more: JsonObject = {}): string {
  const rest = JSON.stringify(more);
  return `${encodeStreamWithoutClosingBrace(stream)}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
}

/** JSON list of stream objects. `more` adds fields to each. */
export const encodeStreamList = (
  streams: readonly DirectoryStream[],
  more?: (stream: DirectoryStream) => JsonObject,
): EncodedJson =>
  EncodedJson.fromJsonText(`[${streams.map((stream) => encodeStream(stream, more?.(stream))).join(',')}]`);

/** Personal properties of a subscription; null = the subscription follows the user's setting. */
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

/** Makes a subscription with default properties. */
export const makeDefaultSubscription = (stream: number, color: string): Subscription => ({
  stream,
  active: true,
  color,
  muted: false,
  pinned: false,
  desktop: null,
  audible: null,
  push: null,
  email: null,
  wildcard: null,
});

/** Values for the five notification properties, for clients that can't handle null (register.md). */
interface StreamNotificationDefaults {
  readonly enable_stream_desktop_notifications: boolean;
  readonly enable_stream_audible_notifications: boolean;
  readonly enable_stream_push_notifications: boolean;
  readonly enable_stream_email_notifications: boolean;
  readonly wildcard_mentions_notify: boolean;
}

interface SubscriptionPresentationOptions {
  /** Number of messages per week, shown as the field `stream_weekly_traffic`. */
  readonly traffic: number | null;
  readonly subscribers?: readonly number[] | undefined;
  readonly notNull?: StreamNotificationDefaults | undefined;
}

/** The fields of a subscription object besides those of its stream. */
export function formatSubscriptionOwnFieldsForApi(
  own: Subscription,
  { traffic, notNull, subscribers }: SubscriptionPresentationOptions,
): JsonObject {
  const fields: Record<string, Json> = {
    color: own.color,
    is_muted: own.muted,
    in_home_view: !own.muted,
    pin_to_top: own.pinned,
    desktop_notifications: own.desktop ?? notNull?.enable_stream_desktop_notifications ?? null,
    audible_notifications: own.audible ?? notNull?.enable_stream_audible_notifications ?? null,
    push_notifications: own.push ?? notNull?.enable_stream_push_notifications ?? null,
    email_notifications: own.email ?? notNull?.enable_stream_email_notifications ?? null,
    wildcard_mentions_notify: own.wildcard ?? notNull?.wildcard_mentions_notify ?? null,
    email_address: '',
    stream_weekly_traffic: traffic,
  };
  if (subscribers) fields.subscribers = subscribers;
  return fields;
}

export const formatSubscriptionForApi = (
  stream: DirectoryStream,
  own: Subscription,
  options: SubscriptionPresentationOptions,
): JsonObject => ({ ...formatStreamForApi(stream), ...formatSubscriptionOwnFieldsForApi(own, options) });

/**
 * Maximum number of default stream groups, and of streams in all of them together: each event about these groups has
 * all groups with all fields of their streams.
 */
export const MAX_DEFAULT_STREAM_GROUPS = 50;
export const MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS = 200;
export const MAX_DEFAULT_STREAM_GROUP_NAME_CHARACTERS = 60;

/**
 * The list of default stream groups for clients, by name. All members get the same list, so it leaves out private
 * streams, which an administrator may have added.
 */
export const formatVisibleDefaultStreamGroups = (
  groups: readonly DirectoryDefaultStreamGroup[],
  find: (id: number) => DirectoryStream | undefined,
): JsonObject[] =>
  [...groups].sort(compareByName).map(({ id, name, description, streams }) => ({
    id,
    name,
    description,
    streams: streams
      .map(find)
      .filter((stream): stream is DirectoryStream => stream !== undefined && !stream.archived && !stream.inviteOnly)
      .sort(compareByName)
      .map(formatStreamForApi),
  }));

/** Colors of new subscriptions (streams.md): the first that the user does not use yet is taken. */
const SUBSCRIPTION_COLOR_PALETTE = (
  '#76ce90 #fae589 #a6c7e5 #e79ab5 #bfd56f #f4ae55 #b0a5fd #addfe5 #f5ce6e #c2726a #94c849 #bd86e5 #ee7e4a #a6dcbf ' +
  '#95a5fd #53a063 #9987e1 #e4523d #c2c2c2 #4f8de4 #c6a8ad #e7cc4d #c8bebf #a47462'
).split(' ');

/** Picks the color of a new subscription. @param recipient picks the color if the whole palette is in use */
export function pickSubscriptionColor(used: ReadonlySet<string>, recipient: number): string {
  return (
    SUBSCRIPTION_COLOR_PALETTE.find((color) => !used.has(color)) ??
    SUBSCRIPTION_COLOR_PALETTE[recipient % SUBSCRIPTION_COLOR_PALETTE.length]!
  );
}
