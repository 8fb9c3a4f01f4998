import { core } from '../client/index.js';

/** A list is fetched again after this time. */
const CACHED_SUBSCRIBERS_MAX_AGE_MS = 60_000;

const cachedSubscribersByStreamId = new Map<
  number,
  { readonly at: number; readonly ids: Promise<readonly number[]> }
>();

/** Ids of a stream's subscribers; none if the fetch fails. */
export function getCachedOrFetchSubscriberIds(stream: number): Promise<readonly number[]> {
  const now = core.platform.now();
  const before = cachedSubscribersByStreamId.get(stream);
  if (before && now - before.at < CACHED_SUBSCRIBERS_MAX_AGE_MS) return before.ids;
  const ids = core.api
    .get('/streams/{stream_id}/members', { stream_id: stream })
    .then(({ subscribers }) => subscribers)
    .catch(() => {
      cachedSubscribersByStreamId.delete(stream);
      return [];
    });
  cachedSubscribersByStreamId.set(stream, { at: now, ids });
  return ids;
}

export function dropCachedSubscribers(stream: number): void {
  cachedSubscribersByStreamId.delete(stream);
}
