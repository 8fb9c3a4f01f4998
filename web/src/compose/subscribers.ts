import { core } from '../client/index.js';

/** A list is asked for again after this time. */
const FRESH_MS = 60_000;

const known = new Map<number, { readonly at: number; readonly ids: Promise<readonly number[]> }>();

/** Ids of a stream's subscribers; empty when the server can't be asked. */
export function subscribersOf(stream: number): Promise<readonly number[]> {
  const now = core.platform.now();
  const before = known.get(stream);
  if (before && now - before.at < FRESH_MS) return before.ids;
  const ids = core.api
    .get('/streams/{stream_id}/members', { stream_id: stream })
    .then(({ subscribers }) => subscribers)
    .catch(() => {
      known.delete(stream);
      return [];
    });
  known.set(stream, { at: now, ids });
  return ids;
}

export function forgetSubscribers(stream: number): void {
  known.delete(stream);
}
