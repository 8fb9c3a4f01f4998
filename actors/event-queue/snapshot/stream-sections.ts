/** Sections about streams and subscriptions (register.md § fetch_event_types, streams.md). */

import { keepActiveAccounts } from '#actors/shared';
import { type Fields, type JsonObject, memoizeByObject } from '#base';
import { isAdmin, isGuest, streamNotifications } from '#domain/people';
import {
  byName,
  canAccess,
  canSeeMetadata,
  encodedStreams,
  presentStreamGroups,
  presentSubscriptionFields,
  weeklyTraffic,
} from '#domain/streams';
import { streamId } from '#model';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { SnapshotInputs } from './inputs.js';

/** Streams that are not archived, sorted by name once per change of any stream. */
const liveStreams = memoizeByObject(
  (directory: DirectoryView): readonly DirectoryStream[] =>
    [...directory.streams()].filter((stream) => !stream.archived).sort(byName),
  ({ streamsVersion }) => streamsVersion,
);

export function subscriptionSections({
  user,
  directory,
  args,
  now,
  subscriptions,
  subscribers,
}: SnapshotInputs): Fields {
  const own = new Map(subscriptions.map((subscription) => [subscription.stream, subscription]));
  const { includeSubscribers, capabilities } = args.options;
  const live = liveStreams(directory);
  const listed = (stream: DirectoryStream): number[] => keepActiveAccounts(subscribers.get(stream.id) ?? [], directory);
  // Clients that can't handle null get the user's global settings.
  const notNull = capabilities.notification_settings_null ? {} : { notNull: streamNotifications(directory, user) };
  const traffic = ({ id, created }: DirectoryStream): number | null =>
    weeklyTraffic(directory.traffic(id), created, now);
  const ownSide = (stream: DirectoryStream): JsonObject => {
    const subscription = own.get(stream.id)!;
    const may = canSeeMetadata(user, stream, subscription.active);
    const subscribers = includeSubscribers ? { subscribers: may ? listed(stream) : [] } : {};
    return presentSubscriptionFields(subscription, { traffic: traffic(stream), ...subscribers, ...notNull });
  };
  const otherSide = (stream: DirectoryStream): JsonObject => ({
    stream_weekly_traffic: traffic(stream),
    ...(includeSubscribers ? { subscribers: listed(stream) } : {}),
  });
  const never = live.filter((stream) => !own.has(stream.id) && canSeeMetadata(user, stream, false));
  return {
    subscriptions: encodedStreams(
      live.filter((stream) => own.get(stream.id)?.active),
      ownSide,
    ),
    unsubscribed: encodedStreams(
      live.filter((stream) => own.get(stream.id)?.active === false),
      ownSide,
    ),
    never_subscribed: encodedStreams(never, otherSide),
  };
}

/** Section `default_streams`: the streams to which new users are subscribed. */
export function defaultStreamsSection({ user, directory }: SnapshotInputs): Fields {
  if (isGuest(user)) return { realm_default_streams: [] };
  return { realm_default_streams: encodedStreams(liveStreams(directory).filter((stream) => stream.isDefault)) };
}

export const streamGroupsSection = ({ user, directory }: SnapshotInputs): JsonObject => ({
  realm_default_stream_groups: isGuest(user)
    ? []
    : presentStreamGroups(directory.streamGroups, (id) => directory.stream(streamId(id))),
});

/** Section `stream`: as GET /streams with its defaults. Administrators get all active streams. */
export function streamSections({ user, directory, subscriptions }: SnapshotInputs): Fields {
  const active = new Set(subscriptions.filter((own) => own.active).map((own) => own.stream));
  const shown = liveStreams(directory).filter(
    (stream) => isAdmin(user) || canAccess(user, stream, active.has(streamId(stream.id))),
  );
  return { streams: encodedStreams(shown) };
}
