import { core } from '../client/index.js';

/** A list is asked for again after this time. */
const SUBSCRIBERS_FRESH_MS = 60_000;

const subscriberListByStreamId = new Map<number, { readonly at: number; readonly ids: Promise<readonly number[]> }>();

/** Ids of a stream's subscribers; empty when the server can't be asked. */
export function fetchSubscriberIds(stream: number): Promise<readonly number[]> {
  const now = core.platform.now();
  const before = subscriberListByStreamId.get(stream);
  if (before && now - before.at < SUBSCRIBERS_FRESH_MS) return before.ids;
  const ids = core.api
    .get('/streams/{stream_id}/members', { stream_id: stream })
    .then(({ subscribers }) => subscribers)
    .catch(() => {
      subscriberListByStreamId.delete(stream);
      return [];
    });
  subscriberListByStreamId.set(stream, { at: now, ids });
  return ids;
}

export function forgetSubscribers(stream: number): void {
  subscriberListByStreamId.delete(stream);
}
