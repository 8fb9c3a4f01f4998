/** The newest message that a user has a copy of, at a cost that depends on the user's streams, not on the realm. */
import type { RealmId } from '../core/index.js';
import type { Store } from '../store/index.js';
import { asMember, hasCopy, memberPart } from '../streams/index.js';
import { NEWEST } from './fetch.js';
import { asStored, streamConversation } from './stored.js';

/** @param streams all that the user is or was subscribed to. Returns -1 without any message. */
export async function newestMessage(
  store: Store,
  realm: RealmId,
  user: number,
  streams: readonly number[],
): Promise<number> {
  // Where there is little traffic the realm's newest is the user's, too.
  const [newest] = await store.scanMessages({
    realm,
    index: { by: 'realm' },
    from: NEWEST,
    direction: 'older',
    limit: 1,
  });
  if (!newest) return -1;
  const { body, participants } = asStored(newest);
  if (body.stream === 0 && participants.includes(user)) return newest.id;
  const wanted = streams.includes(body.stream) ? [body.stream] : [];
  const [near] = await store.getParts(wanted.map((stream) => memberPart(realm, stream, user)));
  if (hasCopy(asMember(near?.value), newest.id)) return newest.id;

  const parts = await store.getParts(streams.map((stream) => memberPart(realm, stream, user)));
  const ranges = streams.flatMap((stream, i) => {
    const index = { by: 'conversation', conversation: streamConversation(stream) } as const;
    const stays = asMember(parts[i]?.value)?.stays ?? [];
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
