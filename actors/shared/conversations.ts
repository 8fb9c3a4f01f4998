/** Keys of conversations, and reads of subscribers from the actors of one or several streams. */

import type { StoredMessage } from '#domain/messages';
import { directMessageActorKey, type RealmId, streamActorKey, toStreamId, toUserId } from '#model';
import { type StreamSubscribersReply, streamActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { ActorInputSources } from '../services.js';

export const askStreamForSubscribers = (
  realm: RealmId,
  stream: number,
  sources: ActorInputSources,
): Promise<StreamSubscribersReply> =>
  sources.askActor(streamActorKey(realm, toStreamId(stream)), streamActorCommands.members, {});

/** Ids of subscribers, ascending, by stream id. */
export type SubscribersByStream = ReadonlyMap<number, readonly number[]>;

export async function readSubscribersOfStreams(
  realm: RealmId,
  streams: readonly number[],
  sources: ActorInputSources,
): Promise<SubscribersByStream> {
  const lists = await Promise.all(streams.map((id) => askStreamForSubscribers(realm, id, sources)));
  return new Map(streams.map((id, i) => [id, lists[i]!.members]));
}

/** Subscribers as clients see them, without deactivated accounts. */
export const filterActiveAccountIds = (members: readonly number[], directory: Pick<DirectoryView, 'user'>): number[] =>
  members.filter((id) => directory.user(toUserId(id))?.isActive);

/** The actor that owns a message now. */
export const messageOwnerActorKey = (realm: RealmId, { body, participants }: StoredMessage) =>
  body.stream === 0
    ? directMessageActorKey(realm, participants as never)
    : streamActorKey(realm, toStreamId(body.stream));
