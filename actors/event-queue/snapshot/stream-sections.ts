/** fetch_event_types `subscription` and `stream` (register.md, streams.md). */
import { type JsonObject, streamId } from '../../../src/core/index.js';
import type { DirectoryStream } from '../../../src/directory/index.js';
import { isAdmin, isGuest, streamNotifications } from '../../../src/people/index.js';
import {
  byName,
  canAccess,
  canSeeMetadata,
  presentNeverSubscribed,
  presentStream,
  presentSubscription,
} from '../../../src/streams/index.js';
import { activeSubscribers } from '../../shared/subscribers.js';
import type { SnapshotInputs } from './take.js';

export function subscriptionSections({
  user,
  directory,
  args,
  subscriptions,
  subscribers,
}: SnapshotInputs): JsonObject {
  const own = new Map(subscriptions.map((subscription) => [subscription.stream, subscription]));
  const { includeSubscribers, capabilities } = args.options;
  const live = [...directory.streams()].filter((stream) => !stream.archived).sort(byName);
  const listed = (stream: DirectoryStream): number[] => activeSubscribers(subscribers.get(stream.id) ?? [], directory);
  // For clients that can't handle null.
  const notNull = streamNotifications(directory, user);
  const present = (stream: DirectoryStream): JsonObject => {
    const subscription = own.get(stream.id)!;
    const may = canSeeMetadata(user, stream, subscription.active);
    return presentSubscription(stream, subscription, {
      ...(includeSubscribers ? { subscribers: may ? listed(stream) : [] } : {}),
      ...(capabilities.notification_settings_null ? {} : { notNull }),
    });
  };
  return {
    subscriptions: live.filter((stream) => own.get(stream.id)?.active).map(present),
    unsubscribed: live.filter((stream) => own.get(stream.id)?.active === false).map(present),
    never_subscribed: live
      .filter((stream) => !own.has(stream.id) && canSeeMetadata(user, stream, false))
      .map((stream) => presentNeverSubscribed(stream, includeSubscribers ? listed(stream) : undefined)),
  };
}

/** What new users are subscribed to. */
export function defaultStreamsSection({ user, directory }: SnapshotInputs): JsonObject {
  if (isGuest(user)) return { realm_default_streams: [] };
  const shown = [...directory.streams()].filter((stream) => stream.isDefault && !stream.archived);
  return { realm_default_streams: shown.sort(byName).map(presentStream) };
}

/** As GET /streams with its defaults; administrators get all active streams. */
export function streamSections({ user, directory, subscriptions }: SnapshotInputs): JsonObject {
  const active = new Set(subscriptions.filter((own) => own.active).map((own) => own.stream));
  const shown = [...directory.streams()].filter(
    (stream) => !stream.archived && (isAdmin(user) || canAccess(user, stream, active.has(streamId(stream.id)))),
  );
  return { streams: shown.sort(byName).map(presentStream) };
}
