/** Sections about streams and subscriptions (register.md § fetch_event_types, streams.md). */

import { filterActiveAccountIds } from '#actors/shared';
import { type JsonObject, memoizeByObject, type ResponseFields } from '#base';
import { isAdminOrOwner, isGuest, readStreamNotificationSettings } from '#domain/people';
import {
  compareByName,
  EncodedStreams,
  encodeStream,
  encodeStreamList,
  estimateWeeklyStreamTraffic,
  formatSubscriptionOwnFieldsForApi,
  formatVisibleDefaultStreamGroups,
  mayAccessStream,
  maySeeStreamMetadata,
  nextWeeklyTrafficChangeMs,
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

/** Encoded once per change of a stream. */
const encodedUnarchivedStreams = memoizeByObject(
  (directory: DirectoryView) => new EncodedStreams(listUnarchivedStreams(directory), (stream) => encodeStream(stream)),
  ({ streamsVersion }) => streamsVersion,
);

/** Streams with the fields that all users see whom the stream does not concern. */
class EncodedStreamsWithTraffic {
  #current: { readonly streams: EncodedStreams; readonly validUntilMs: number } | undefined;

  constructor(private readonly directory: DirectoryView) {}

  at(nowMs: number): EncodedStreams {
    if (!this.#current || nowMs >= this.#current.validUntilMs) this.#current = this.#encode(nowMs);
    return this.#current.streams;
  }

  #encode(nowMs: number) {
    const { directory } = this;
    const all = listUnarchivedStreams(directory);
    const streams = new EncodedStreams(all, (stream) =>
      encodeStream(stream, { stream_weekly_traffic: weeklyTrafficOf(directory, stream, nowMs) }),
    );
    const validUntilMs = all.reduce(
      (first, { created }) => Math.min(first, nextWeeklyTrafficChangeMs(created, nowMs)),
      Number.POSITIVE_INFINITY,
    );
    return { streams, validUntilMs };
  }
}

const encodedStreamsWithTraffic = memoizeByObject(
  (directory: DirectoryView) => new EncodedStreamsWithTraffic(directory),
  ({ streamsVersion, recentMessageCountsVersion }) => `${streamsVersion}/${recentMessageCountsVersion}`,
);

const weeklyTrafficOf = (directory: DirectoryView, { id, created }: DirectoryStream, nowMs: number): number | null =>
  estimateWeeklyStreamTraffic(directory.recentMessageCountOf(id), created, nowMs);

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
  const notNull = capabilities.notification_settings_null ? undefined : readStreamNotificationSettings(directory, user);
  const traffic = (stream: DirectoryStream): number | null => weeklyTrafficOf(directory, stream, nowMs);
  const ownSide = (stream: DirectoryStream): JsonObject => {
    const subscription = own.get(stream.id)!;
    const subscribers = includeSubscribers ? listed(stream) : undefined;
    return formatSubscriptionOwnFieldsForApi(subscription, { traffic: traffic(stream), subscribers, notNull });
  };
  const otherSide = (stream: DirectoryStream): JsonObject => ({
    stream_weekly_traffic: traffic(stream),
    subscribers: listed(stream),
  });
  const isFormer = (stream: DirectoryStream): boolean =>
    own.get(stream.id)?.active === false && maySeeStreamMetadata(user, stream, false);
  const isNeverSubscribed = (stream: DirectoryStream): boolean =>
    !own.has(stream.id) && maySeeStreamMetadata(user, stream, false);
  return {
    subscriptions: encodeStreamList(
      live.filter((stream) => own.get(stream.id)?.active),
      ownSide,
    ),
    unsubscribed: encodeStreamList(live.filter(isFormer), ownSide),
    never_subscribed: includeSubscribers
      ? encodeStreamList(live.filter(isNeverSubscribed), otherSide)
      : encodedStreamsWithTraffic(directory).at(nowMs).listWhere(isNeverSubscribed),
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
  return {
    streams: encodedUnarchivedStreams(directory).listWhere(
      (stream) => isAdminOrOwner(user) || mayAccessStream(user, stream, active.has(toStreamId(stream.id))),
    ),
  };
}
