/** Keys of conversations, and reads of subscribers from the actors of one or several streams. */

import type { StoredMessage } from '#domain/messages';
import { directMessageKey, type RealmId, streamId, streamKey, userId } from '#model';
import { type StreamMembershipReply, streamCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { InputSources } from '../services.js';

export const readMembership = (realm: RealmId, stream: number, sources: InputSources): Promise<StreamMembershipReply> =>
  sources.ask(streamKey(realm, streamId(stream)), streamCommands.members, {});

/** Ids of subscribers, ascending, by stream id. */
export type SubscribersByStream = ReadonlyMap<number, readonly number[]>;

export async function readSubscribers(
  realm: RealmId,
  streams: readonly number[],
  sources: InputSources,
): Promise<SubscribersByStream> {
  const lists = await Promise.all(streams.map((id) => readMembership(realm, id, sources)));
  return new Map(streams.map((id, i) => [id, lists[i]!.members]));
}

/** Subscribers as clients see them, without deactivated accounts. */
export const keepActiveAccounts = (members: readonly number[], directory: Pick<DirectoryView, 'user'>): number[] =>
  members.filter((id) => directory.user(userId(id))?.isActive);

/** The actor that owns a message now. */
export const owningActorKey = (realm: RealmId, { body, participants }: StoredMessage) =>
  body.stream === 0 ? directMessageKey(realm, participants as never) : streamKey(realm, streamId(body.stream));
