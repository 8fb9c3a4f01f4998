/** Key-value storage for texts of users and bots (users.md § Bot storage). The functions have no side effects. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '#base';
import type { ActorParts } from '#model';

/** Prefix of the parts of a user or bot that hold one entry of the storage each. */
export const BOT_STORAGE_PART_PREFIX = 'storage/';

/** Maximum characters of all keys and values of one owner. */
export const MAX_BOT_STORAGE_CHARACTERS_PER_OWNER = 10_000_000;

/**
 * Maximum number of entries in one request. Each entry is a part: writing it takes some 20 µs, and it takes some 200
 * bytes besides its text. `MAX_BOT_STORAGE_ENTRIES_PER_OWNER` bounds the whole storage.
 */
export const MAX_BOT_STORAGE_ENTRIES_PER_REQUEST = 2_000;
export const MAX_BOT_STORAGE_ENTRIES_PER_OWNER = 20_000;

interface BotStorageEntry extends JsonObject {
  readonly key: string;
  readonly value: string;
}

/** Name of an entry's part: a hash of the key, because keys may be long and have any characters. */
const botStoragePartName = (key: string): string =>
  BOT_STORAGE_PART_PREFIX + createHash('sha256').update(key, 'utf16le').digest('base64url');

/** Number of code points of a text, the unit of the API's limits. The string iterator would take ten times as long. */
function countCodePoints(text: string): number {
  let { length } = text;
  for (let i = 1; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) {
      length--;
      i++;
    }
  }
  return length;
}

const countEntryCharacters = ({ key, value }: BotStorageEntry): number => countCodePoints(key) + countCodePoints(value);

const findBotStorageEntry = (parts: ActorParts, key: string): BotStorageEntry | undefined =>
  parts.get(botStoragePartName(key)) as BotStorageEntry | undefined;

/**
 * Reads the entries of these keys, or all entries if `keys` is null.
 *
 * @throws the error that `missing` makes, for an unknown key
 */
export function readBotStorageEntriesByPart(
  parts: ActorParts,
  keys: readonly string[] | null,
  missing: () => Error,
): { readonly [part: string]: BotStorageEntry } {
  if (keys === null) {
    const all = [...parts].filter(([name]) => name.startsWith(BOT_STORAGE_PART_PREFIX));
    return Object.fromEntries(all) as { readonly [part: string]: BotStorageEntry };
  }
  return Object.fromEntries(
    keys.map((key) => {
      const entry = findBotStorageEntry(parts, key);
      if (!entry) throw missing();
      return [botStoragePartName(key), entry];
    }),
  );
}

/** Number of characters in all keys and values of these entries. */
export const countBotStorageCharacters = (entries: Iterable<BotStorageEntry>): number => {
  let sum = 0;
  for (const entry of entries) sum += countEntryCharacters(entry);
  return sum;
};

/** Number of entries in the storage after these are added. */
export function countBotStorageEntriesAfterAdding(
  parts: ActorParts,
  added: Readonly<Record<string, BotStorageEntry>>,
): number {
  let count = 0;
  for (const name of parts.keys()) if (name.startsWith(BOT_STORAGE_PART_PREFIX)) count++;
  for (const name in added) if (!parts.has(name)) count++;
  return count;
}

/** Parts that store the entries, and the number of characters by which the storage grows. */
export function makeBotStorageWritesAndGrowth(
  parts: ActorParts,
  given: Readonly<Record<string, string>>,
): { readonly parts: Readonly<Record<string, BotStorageEntry>>; readonly growth: number } {
  const changed: Record<string, BotStorageEntry> = {};
  let growth = 0;
  for (const [key, value] of Object.entries(given)) {
    const before = findBotStorageEntry(parts, key);
    const entry = { key, value };
    growth += countEntryCharacters(entry) - (before ? countEntryCharacters(before) : 0);
    if (before?.value !== value) changed[botStoragePartName(key)] = entry;
  }
  return { parts: changed, growth };
}
