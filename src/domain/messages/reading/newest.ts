/** The newest message that a user has a copy of, at a cost that depends on the user's streams, not on the realm. */
import type { JsonObject } from '#base';
import { asMember, hasCopy, type Member, memberPart } from '#domain/streams';
import type { RealmId } from '#model';
import type { MessageReads } from '#ports/store';
import { asStored, streamConversation } from '../stored/message.js';
import { NEWEST } from './fetch.js';

/** What it takes to follow a user's newest message from here on. */
export interface NewestMessageState extends JsonObject {
  /** -1 = none. */
  readonly id: number;
  /** Streams that the user is or was in, and after each the id above which he gets what is said there; null = nothing. */
  readonly streams: readonly (number | null)[];
}

/** @param streams all that the user is or was subscribed to. Returns -1 without any message. */
export async function newestMessage(
  store: MessageReads,
  realm: RealmId,
  user: number,
  streams: readonly number[],
): Promise<number> {
  // Where there is little traffic the realm's newest is the user's, too.
  const newest = await newestInRealm(store, realm);
  if (!newest) return -1;
  const { id, stream, participants } = newest;
  if (stream === 0 && participants.includes(user)) return id;
  const wanted = streams.includes(stream) ? [stream] : [];
  const [near] = await membershipsOf(store, realm, user, wanted);
  if (hasCopy(near, id)) return id;
  return newestAmong(store, realm, user, streams, await membershipsOf(store, realm, user, streams));
}

/** The same, for somebody who goes on from there by the log. What he reads there of before must not count. */
export async function newestMessageState(
  store: MessageReads,
  realm: RealmId,
  user: number,
  streams: readonly number[],
): Promise<NewestMessageState> {
  // Before any message is looked at: whoever joins later is told of in the log.
  const members = await membershipsOf(store, realm, user, streams);
  const known = streams.flatMap((stream, i): (number | null)[] => {
    const stay = members[i]?.stays.at(-1);
    return [stream, stay?.to === 0 && !stay.silent ? stay.after : null];
  });
  const newest = await newestInRealm(store, realm);
  if (!newest) return { id: -1, streams: known };
  const { id, stream, participants } = newest;
  const own = stream === 0 ? participants.includes(user) : hasCopy(members[streams.indexOf(stream)], id);
  return { id: own ? id : await newestAmong(store, realm, user, streams, members), streams: known };
}

async function newestInRealm(store: MessageReads, realm: RealmId) {
  const [record] = await store.scanMessages({
    realm,
    index: { by: 'realm' },
    from: NEWEST,
    direction: 'older',
    limit: 1,
  });
  if (!record) return undefined;
  const { body, participants } = asStored(record);
  return { id: record.id, stream: body.stream, participants };
}

async function membershipsOf(
  store: MessageReads,
  realm: RealmId,
  user: number,
  streams: readonly number[],
): Promise<(Member | undefined)[]> {
  if (streams.length === 0) return [];
  const parts = await store.getParts(streams.map((stream) => memberPart(realm, stream, user)));
  return parts.map((part) => asMember(part?.value));
}

async function newestAmong(
  store: MessageReads,
  realm: RealmId,
  user: number,
  streams: readonly number[],
  members: readonly (Member | undefined)[],
): Promise<number> {
  const ranges = streams.flatMap((stream, i) => {
    const index = { by: 'conversation', conversation: streamConversation(stream) } as const;
    const stays = members[i]?.stays.filter(({ silent }) => !silent) ?? [];
    return stays.map(({ to, after, until }) => ({ index, above: after, ...(to === 0 ? {} : { upTo: until }) }));
  });
  const [last] = await store.scanMessages({
    index: { by: 'participant', user },
    ...(ranges.length === 0 ? {} : { or: ranges }),
    realm,
    from: NEWEST,
    direction: 'older',
    limit: 1,
  });
  return last?.id ?? -1;
}
