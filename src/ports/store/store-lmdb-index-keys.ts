/**
 * LMDB keys of message index entries: a one-letter index name, the realm, the indexed value, and the message id last.
 * The functions have no side effects.
 */
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { checkLmdbKeyText, doesTextFitLmdbKey } from './lmdb-environment.js';
import type { MessageIndexCondition } from './store.js';

/** A number above every message id; ordered-binary sorts numbers by value. */
export const ABOVE_EVERY_MESSAGE_ID = 2 ** 53;

/** First elements of the keys that `makeMessageIndexKeys` makes. */
export const MESSAGE_INDEX_NAMES: readonly string[] = ['c', 't', 's', 'p', 'w', 'm'];

export type LmdbMessageIndex = Exclude<MessageIndexCondition, { by: 'ids' }>;
export type LmdbMessageIndexKey = readonly [string, number, ...(string | number)[]];

/**
 * Returns the name under which the ids of an index are cached; '' for words (index "w", tag starting with "="), since a
 * message has many of them and few are searched for.
 */
export function postingsCacheName(key: LmdbMessageIndexKey): string {
  if (key[0] === 'w' && (key[2] as string).startsWith('=')) return '';
  return key.slice(0, -1).join('/');
}

/** Returns the name under which the ids of an index are cached, as `postingsCacheName` does for its keys. */
export function postingsCacheNameOfIndex(realm: RealmId, index: LmdbMessageIndex): string {
  switch (index.by) {
    case 'realm':
      return '';
    case 'conversation':
      return `c/${realm}/${index.conversation}`;
    case 'topic':
      return `t/${realm}/${index.conversation}/${index.topicKey}`;
    case 'sender':
      return `s/${realm}/${index.sender}`;
    case 'participant':
      return `p/${realm}/${index.user}`;
    case 'tag':
      return index.tag.startsWith('=') ? '' : `w/${realm}/${index.tag}`;
    case 'moved':
      return `m/${realm}/${index.from}`;
  }
}

/** Keys of a message's index entries: the prefixes of `makeMessageIndexPrefix`, and the id. */
export function makeMessageIndexKeys(realm: RealmId, m: MessageRecord): LmdbMessageIndexKey[] {
  const { id, conversation } = m;
  const keys: LmdbMessageIndexKey[] = [
    ['c', realm, checkLmdbKeyText(conversation), id],
    ['t', realm, conversation, checkLmdbKeyText(m.topicKey), id],
    ['s', realm, m.sender, id],
  ];
  if (m.participants.length > 0) for (const user of new Set(m.participants)) keys.push(['p', realm, user, id]);
  for (const tag of m.tags) keys.push(['w', realm, checkLmdbKeyText(tag), id]);
  if (m.movedFrom !== '') keys.push(['m', realm, checkLmdbKeyText(m.movedFrom), id]);
  return keys;
}

/** True if the index's texts fit into a key. No record is stored under a longer text. */
export function doesIndexFitLmdbKey(index: MessageIndexCondition): boolean {
  switch (index.by) {
    case 'conversation':
      return doesTextFitLmdbKey(index.conversation);
    case 'topic':
      return doesTextFitLmdbKey(index.conversation) && doesTextFitLmdbKey(index.topicKey);
    case 'tag':
      return doesTextFitLmdbKey(index.tag);
    case 'moved':
      return doesTextFitLmdbKey(index.from);
    case 'realm':
    case 'sender':
    case 'participant':
    case 'ids':
      return true;
  }
}

export function makeMessageIndexPrefix(
  realm: RealmId,
  index: Exclude<LmdbMessageIndex, { by: 'realm' }>,
): LmdbMessageIndexKey {
  switch (index.by) {
    case 'conversation':
      return ['c', realm, checkLmdbKeyText(index.conversation)];
    case 'topic':
      return ['t', realm, checkLmdbKeyText(index.conversation), checkLmdbKeyText(index.topicKey)];
    case 'sender':
      return ['s', realm, index.sender];
    case 'participant':
      return ['p', realm, index.user];
    case 'tag':
      return ['w', realm, checkLmdbKeyText(index.tag)];
    case 'moved':
      return ['m', realm, checkLmdbKeyText(index.from)];
  }
}
