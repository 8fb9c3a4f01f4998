/** Sections about streams and subscriptions (register.md § fetch_event_types, streams.md). */

import { keepActiveAccounts } from '#actors/shared';
import { type JsonObject, memoizeByObject, type ResponseFields } from '#base';
import { isAdmin, isGuest, readStreamNotifications } from '#domain/people';
import {
  canAccessStream,
  canSeeStreamMetadata,
  compareByName,
  encodeStreams,
  estimateWeeklyTraffic,
  presentStreamGroups,
  presentSubscriptionFields,
} from '#domain/streams';
import { streamId } from '#model';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { SnapshotInputs } from './inputs.js';

/** Streams that are not archived, sorted by name once per change of any stream. */
const liveStreams = memoizeByObject(
  (directory: DirectoryView): readonly DirectoryStream[] =>
    [...directory.streams()].filter((stream) => !stream.archived).sort(compareByName),
  ({ streamsVersion }) => streamsVersion,
);

export function subscriptionSections({
  user,
  directory,
  args,
  now,
  subscriptions,
  subscribers,
}: SnapshotInputs): ResponseFields {
  const own = new Map(subscriptions.map((subscription) => [subscription.stream, subscription]));
  const { includeSubscribers, capabilities } = args.options;
  const live = liveStreams(directory);
  const listed = (stream: DirectoryStream): number[] => keepActiveAccounts(subscribers.get(stream.id) ?? [], directory);
  // Clients that can't handle null get the user's global notification settings in place of null.
  const notNull = capabilities.notification_settings_null ? {} : { notNull: readStreamNotifications(directory, user) };
  const traffic = ({ id, created }: DirectoryStream): number | null =>
    estimateWeeklyTraffic(directory.traffic(id), created, now);
  const ownSide = (stream: DirectoryStream): JsonObject => {
    const subscription = own.get(stream.id)!;
    const may = canSeeStreamMetadata(user, stream, subscription.active);
    const subscribers = includeSubscribers ? { subscribers: may ? listed(stream) : [] } : {};
    return presentSubscriptionFields(subscription, { traffic: traffic(stream), ...subscribers, ...notNull });
  };
  const otherSide = (stream: DirectoryStream): JsonObject => ({
    stream_weekly_traffic: traffic(stream),
    ...(includeSubscribers ? { subscribers: listed(stream) } : {}),
  });
  const never = live.filter((stream) => !own.has(stream.id) && canSeeStreamMetadata(user, stream, false));
  return {
    subscriptions: encodeStreams(
      live.filter((stream) => own.get(stream.id)?.active),
      ownSide,
    ),
    unsubscribed: encodeStreams(
      live.filter((stream) => own.get(stream.id)?.active === false),
      ownSide,
    ),
    never_subscribed: encodeStreams(never, otherSide),
  };
}

/** Section `default_streams`: the streams to which new users are subscribed. */
export function defaultStreamsSection({ user, directory }: SnapshotInputs): ResponseFields {
  if (isGuest(user)) return { realm_default_streams: [] };
  return { realm_default_streams: encodeStreams(liveStreams(directory).filter((stream) => stream.isDefault)) };
}

export const streamGroupsSection = ({ user, directory }: SnapshotInputs): JsonObject => ({
  realm_default_stream_groups: isGuest(user)
    ? []
    : presentStreamGroups(directory.streamGroups, (id) => directory.stream(streamId(id))),
});

/** Section `stream`: the streams that GET /streams returns by default. Administrators get all active streams. */
export function streamSections({ user, directory, subscriptions }: SnapshotInputs): ResponseFields {
  const active = new Set(subscriptions.filter((own) => own.active).map((own) => own.stream));
  const shown = liveStreams(directory).filter(
    (stream) => isAdmin(user) || canAccessStream(user, stream, active.has(streamId(stream.id))),
  );
  return { streams: encodeStreams(shown) };
}
