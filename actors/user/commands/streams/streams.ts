/** One stream as the user sees it: its properties and its subscribers. */

import { askStreamForSubscribers, filterActiveAccountIds, makeSuccessReply } from '#actors/shared';
import { formatStreamForApi, maySeeStreamMetadata } from '#domain/streams';
import { toStreamId, toUserId } from '#model';
import type { StreamSubscribersReply, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryView } from '#model/records';
import { isSubscribedToStream, type UserCommandHandler } from '../../state.js';

type UserActorParts = Parameters<typeof isSubscribedToStream>[0];

/**
 * The stream, if the caller may see its properties; administrators also see private and archived ones. @throws ApiError
 */
function getVisibleStreamOrThrow(
  id: number,
  parts: UserActorParts,
  directory: DirectoryView,
  caller: number,
): DirectoryStream {
  const user = directory.user(toUserId(caller));
  const stream = directory.stream(toStreamId(id));
  if (!user || !stream || !maySeeStreamMetadata(user, stream, isSubscribedToStream(parts, id)))
    throw apiError('INVALID_STREAM_ID');
  return stream;
}

/** GET /streams/{stream_id}: replies with one stream. */
export const fetchStreamHandler: UserCommandHandler<typeof userActorCommands.streamById> = {
  lane: 'read',
  read: true,
  handle: ({ parts }, { stream_id }, _inputs, { directory, caller }) => ({
    reply: makeSuccessReply({
      stream: formatStreamForApi(getVisibleStreamOrThrow(stream_id, parts, directory, caller)),
    }),
  }),
};

/** GET /streams/{stream_id}/members: the subscribers of a stream. */
export const listSubscribersHandler: UserCommandHandler<
  typeof userActorCommands.subscribersOf,
  StreamSubscribersReply
> = {
  lane: 'read',
  read: true,
  async inputs({ stream_id }, { realm, caller, view }, sources) {
    getVisibleStreamOrThrow(stream_id, view.parts, await sources.loadDirectory(realm), caller);
    return askStreamForSubscribers(realm, stream_id, sources);
  },
  handle({ parts }, { stream_id }, { members }, { directory, caller }) {
    getVisibleStreamOrThrow(stream_id, parts, directory, caller);
    return { reply: makeSuccessReply({ subscribers: filterActiveAccountIds(members, directory) }) };
  },
};

/** GET /users/{user_id}/subscriptions/{stream_id}: whether a user is subscribed. */
export const readSubscriptionStatusHandler: UserCommandHandler<
  typeof userActorCommands.subscriptionStatus,
  StreamSubscribersReply
> = {
  lane: 'read',
  read: true,
  async inputs({ user_id, stream_id }, { realm, caller, view }, sources) {
    const directory = await sources.loadDirectory(realm);
    const user = directory.user(toUserId(user_id));
    if (!user || user.botType !== null) throw apiError('NO_SUCH_USER');
    if (!user.isActive) throw apiError('USER_IS_DEACTIVATED');
    getVisibleStreamOrThrow(stream_id, view.parts, directory, caller);
    return askStreamForSubscribers(realm, stream_id, sources);
  },
  handle: (_view, { user_id }, { members }) => ({
    reply: makeSuccessReply({ is_subscribed: members.includes(user_id) }),
  }),
};
