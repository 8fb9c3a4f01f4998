/** The newest message that a user has a copy of. The cost depends on the user's streams, not on the realm's. */
import type { JsonObject } from '#base';
import {
  didMemberReceiveMessageId,
  listStays,
  type StreamMembershipRecord,
  streamMemberPartAddress,
  toStreamMembershipRecord,
} from '#domain/streams';
import type { RealmId } from '#model';
import type { MessageReadStore } from '#ports/store';
import { storeNameOfStreamConversation, toStoredMessage } from '../stored/message.js';
import { NEWEST_ANCHOR_MESSAGE_ID } from './fetch.js';

/** Maximum number of stays that one scan of the Store looks through. */
const MAX_RANGES_OF_SCAN = 1_000;

/** State from which a frontend follows the user's newest message by the log. The user's actor sends it over the bus. */
export interface NewestMessageTrackingState extends JsonObject {
  /** Id of the newest message; -1 = none. */
  readonly id: number;
  /** Pairs: a stream of the user, then the id above which messages there are the user's; null = none are the user's. */
  readonly streams: readonly (number | null)[];
}

/**
 * Id of the user's newest message; -1 if the user has none. @param streams all streams to which the user is or was
 * subscribed
 */
export async function findNewestMessageIdOfUser(
  store: MessageReadStore,
  realm: RealmId,
  user: number,
  streams: readonly number[],
): Promise<number> {
  // With little traffic, the realm's newest message is often the user's, too.
  const newest = await findNewestMessageInRealm(store, realm);
  if (!newest) return -1;
  const { id, stream, participants } = newest;
  if (stream === 0 && participants.includes(user)) return id;
  const wanted = streams.includes(stream) ? [stream] : [];
  const [near] = await loadMembershipsInStreamOrder(store, realm, user, wanted);
  if (didMemberReceiveMessageId(near, id)) return id;
  return findNewestIdInStaysAndDirect(
    store,
    realm,
    user,
    streams,
    await loadMembershipsInStreamOrder(store, realm, user, streams),
  );
}

/**
 * Loads the id of the user's newest message, and the state from which a frontend follows it by the log. The frontend
 * ignores log entries about older messages.
 */
export async function loadNewestMessageTrackingState(
  store: MessageReadStore,
  realm: RealmId,
  user: number,
  streams: readonly number[],
): Promise<NewestMessageTrackingState> {
  // Memberships are read before messages: the log shows any later subscription.
  const members = await loadMembershipsInStreamOrder(store, realm, user, streams);
  const known = streams.flatMap((stream, i): (number | null)[] => {
    const stay = members[i]?.stays.at(-1);
    return [stream, stay?.to === 0 && !stay.silent ? stay.after : null];
  });
  const newest = await findNewestMessageInRealm(store, realm);
  if (!newest) return { id: -1, streams: known };
  const { id, stream, participants } = newest;
  const own =
    stream === 0 ? participants.includes(user) : didMemberReceiveMessageId(members[streams.indexOf(stream)], id);
  return { id: own ? id : await findNewestIdInStaysAndDirect(store, realm, user, streams, members), streams: known };
}

/** The newest message of an organization: its id and where it is; undefined if there is none. */
export async function findNewestMessageInRealm(store: MessageReadStore, realm: RealmId) {
  const [record] = await store.scanMessages({
    realm,
    index: { by: 'realm' },
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: 1,
  });
  if (!record) return undefined;
  const { body, participants } = toStoredMessage(record);
  return { id: record.id, stream: body.stream, participants };
}

async function loadMembershipsInStreamOrder(
  store: MessageReadStore,
  realm: RealmId,
  user: number,
  streams: readonly number[],
): Promise<(StreamMembershipRecord | undefined)[]> {
  if (streams.length === 0) return [];
  const parts = await store.getParts(streams.map((stream) => streamMemberPartAddress(realm, stream, user)));
  return parts.map((part) => toStreamMembershipRecord(part?.value));
}

async function findNewestIdInStaysAndDirect(
  store: MessageReadStore,
  realm: RealmId,
  user: number,
  streams: readonly number[],
  members: readonly (StreamMembershipRecord | undefined)[],
): Promise<number> {
  const ranges = streams.flatMap((stream, i) => {
    const index = { by: 'conversation', conversation: storeNameOfStreamConversation(stream) } as const;
    const member = members[i];
    const stays = member ? listStays(member).filter(({ silent }) => !silent) : [];
    return stays.map(({ to, after, until }) => ({ index, above: after, upTo: to === 0 ? Infinity : until }));
  });
  ranges.sort((one, other) => other.upTo - one.upTo);
  let newest = -1;
  // Some users have thousands of stays, and the newest message is mostly in one of the last ones.
  for (let at = 0; at === 0 || (at < ranges.length && ranges[at]!.upTo > newest); at += MAX_RANGES_OF_SCAN) {
    const or = ranges
      .slice(at, at + MAX_RANGES_OF_SCAN)
      .map(({ upTo, ...range }) => ({ ...range, ...(upTo === Infinity ? {} : { upTo }) }));
    const [last] = await store.scanMessages({
      index: { by: 'participant', user },
      ...(or.length === 0 ? {} : { or }),
      realm,
      from: NEWEST_ANCHOR_MESSAGE_ID,
      direction: 'older',
      limit: 1,
    });
    newest = Math.max(newest, last?.id ?? -1);
  }
  return newest;
}
