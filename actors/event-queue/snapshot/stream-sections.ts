/** Sections about streams and subscriptions (register.md § fetch_event_types, streams.md). */

import { filterActiveAccountIds } from '#actors/shared';
import { type JsonObject, memoizeByObject, type ResponseFields } from '#base';
import { isAdminOrOwner, isGuest, readStreamNotificationSettings } from '#domain/people';
import {
  compareByName,
  encodeStreamList,
  estimateWeeklyStreamTraffic,
  formatSubscriptionOwnFieldsForApi,
  formatVisibleDefaultStreamGroups,
  mayAccessStream,
  maySeeStreamMetadata,
} from '#domain/streams';
import { toStreamId } from '#model';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { RegistrationSnapshotInputs } from './inputs.js';

/** Streams that are not archived, sorted by name once per change of any stream. */
const listUnarchivedStreams = memoizeByObject(
  (directory: DirectoryView): readonly DirectoryStream[] =>
    [...directory.streams()].filter((stream) => !stream.archived).sort(compareByName),
  ({ streamsVersion }) => streamsVersion,
);

export function makeSubscriptionsSnapshotSection({
  user,
  directory,
  args,
  nowMs,
  subscriptions,
  subscriberIdsByStream: subscribers,
}: RegistrationSnapshotInputs): ResponseFields {
  const own = new Map(subscriptions.map((subscription) => [subscription.stream, subscription]));
  const { includeSubscribers, capabilities } = args.options;
  const live = listUnarchivedStreams(directory);
  const listed = (stream: DirectoryStream): number[] =>
    filterActiveAccountIds(subscribers.get(stream.id) ?? [], directory);
  // Clients that can't handle null get the user's global notification settings in place of null.
  const notNull = capabilities.notification_settings_null
    ? {}
    : { notNull: readStreamNotificationSettings(directory, user) };
  const traffic = ({ id, created }: DirectoryStream): number | null =>
    estimateWeeklyStreamTraffic(directory.recentMessageCountOf(id), created, nowMs);
  const ownSide = (stream: DirectoryStream): JsonObject => {
    const subscription = own.get(stream.id)!;
    const may = maySeeStreamMetadata(user, stream, subscription.active);
    const subscribers = includeSubscribers ? { subscribers: may ? listed(stream) : [] } : {};
    return formatSubscriptionOwnFieldsForApi(subscription, { traffic: traffic(stream), ...subscribers, ...notNull });
  };
  const otherSide = (stream: DirectoryStream): JsonObject => ({
    stream_weekly_traffic: traffic(stream),
    ...(includeSubscribers ? { subscribers: listed(stream) } : {}),
  });
  const never = live.filter((stream) => !own.has(stream.id) && maySeeStreamMetadata(user, stream, false));
  return {
    subscriptions: encodeStreamList(
      live.filter((stream) => own.get(stream.id)?.active),
      ownSide,
    ),
    unsubscribed: encodeStreamList(
      live.filter((stream) => own.get(stream.id)?.active === false),
      ownSide,
    ),
    never_subscribed: encodeStreamList(never, otherSide),
  };
}

/** Section `default_streams`: the streams to which new users are subscribed. */
export function makeDefaultStreamsSnapshotSection({ user, directory }: RegistrationSnapshotInputs): ResponseFields {
  if (isGuest(user)) return { realm_default_streams: [] };
  return {
    realm_default_streams: encodeStreamList(listUnarchivedStreams(directory).filter((stream) => stream.isDefault)),
  };
}

export const makeDefaultStreamGroupsSnapshotSection = ({
  user,
  directory,
}: RegistrationSnapshotInputs): JsonObject => ({
  realm_default_stream_groups: isGuest(user)
    ? []
    : formatVisibleDefaultStreamGroups(directory.streamGroups, (id) => directory.stream(toStreamId(id))),
});

/** Section `stream`: the streams that GET /streams returns by default. Administrators get all active streams. */
export function makeStreamSnapshotSection({
  user,
  directory,
  subscriptions,
}: RegistrationSnapshotInputs): ResponseFields {
  const active = new Set(subscriptions.filter((own) => own.active).map((own) => own.stream));
  const shown = listUnarchivedStreams(directory).filter(
    (stream) => isAdminOrOwner(user) || mayAccessStream(user, stream, active.has(toStreamId(stream.id))),
  );
  return { streams: encodeStreamList(shown) };
}
