/**
 * Whose actors keep something about a topic of this stream (muted, followed): told by them, so that a move of the topic
 * reaches these and no others. One part for each such topic, named by a hash: users may name topics that no message could have.
 */

import { IdSet, type Json } from '#base';
import { topicHash } from '#domain/streams';
import type { Parts } from '#model';

export const WATCHERS_PART = 'watchers/';

const partOf = (topic: string): string => `${WATCHERS_PART}${topicHash(topic)}`;

function setOf(parts: Parts, topic: string): IdSet {
  const stored = parts.get(partOf(topic)) as { readonly users: Uint8Array } | undefined;
  return stored ? IdSet.decode(stored.users) : IdSet.EMPTY;
}

/** Ascending. */
export const watchersOf = (parts: Parts, topic: string): readonly number[] => setOf(parts, topic).ids;

export function withWatcher(parts: Parts, topic: string, user: number, watches: boolean): Record<string, Json> {
  const before = setOf(parts, topic);
  if (before.has(user) === watches) return {};
  const ids = watches ? [...before.ids, user] : before.ids.filter((id) => id !== user);
  return { [partOf(topic)]: ids.length === 0 ? null : { users: IdSet.of(ids).encode() } };
}
