/**
 * LMDB keys of message index entries: a one-letter index name, the realm, the indexed value, and the message id last.
 * The functions have no side effects.
 */
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { checkKeyText, fitsLmdbKey } from './lmdb-environment.js';
import type { MessageIndex } from './store.js';

export type StoredIndex = Exclude<MessageIndex, { by: 'ids' }>;
export type IndexKey = readonly [string, number, ...(string | number)[]];

/**
 * Returns the name under which the ids of an index are cached; '' for words (index "w", tag starting with "="), since a
 * message has many of them and few are searched for.
 */
export function postingsName(key: IndexKey): string {
  if (key[0] === 'w' && (key[2] as string).startsWith('=')) return '';
  return key.slice(0, -1).join('/');
}

export function indexKeys(realm: RealmId, m: MessageRecord): IndexKey[] {
  const keys: IndexKey[] = [
    [...indexPrefix(realm, { by: 'conversation', conversation: m.conversation }), m.id],
    [...indexPrefix(realm, { by: 'topic', conversation: m.conversation, topicKey: m.topicKey }), m.id],
    [...indexPrefix(realm, { by: 'sender', sender: m.sender }), m.id],
  ];
  for (const user of new Set(m.participants)) keys.push([...indexPrefix(realm, { by: 'participant', user }), m.id]);
  for (const tag of m.tags) keys.push([...indexPrefix(realm, { by: 'tag', tag }), m.id]);
  if (m.movedFrom !== '') keys.push([...indexPrefix(realm, { by: 'moved', from: m.movedFrom }), m.id]);
  return keys;
}

/** True if the index's texts fit into a key. No record is stored under a longer text. */
export const fitsIndexKey = (index: MessageIndex): boolean =>
  Object.values(index).every((of) => typeof of !== 'string' || fitsLmdbKey(of));

export function indexPrefix(realm: RealmId, index: Exclude<StoredIndex, { by: 'realm' }>): IndexKey {
  switch (index.by) {
    case 'conversation':
      return ['c', realm, checkKeyText(index.conversation)];
    case 'topic':
      return ['t', realm, checkKeyText(index.conversation), checkKeyText(index.topicKey)];
    case 'sender':
      return ['s', realm, index.sender];
    case 'participant':
      return ['p', realm, index.user];
    case 'tag':
      return ['w', realm, checkKeyText(index.tag)];
    case 'moved':
      return ['m', realm, checkKeyText(index.from)];
  }
}
