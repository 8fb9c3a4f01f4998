/**
 * A context as plain data, for rendering in another thread, which can't call the look-ups. A cheap scan collects the
 * names that a text may refer to. Keys that rendering asks for beyond them are recorded, so that the caller can look
 * them up and render again.
 */
import {
  type MarkdownContext,
  type MarkdownContextData,
  type MarkdownCustomEmoji,
  type MarkdownGroup,
  type MarkdownStream,
  type MarkdownUser,
  pickMarkdownContextData,
} from './context.js';

/** Names and ids that rendering a text may look up. */
export interface MarkdownLookupKeys {
  readonly names: readonly string[];
  readonly ids: readonly number[];
  readonly groups: readonly string[];
  readonly streams: readonly string[];
  readonly emoji: readonly string[];
}

type LookupResultEntries<K, V> = readonly (readonly [key: K, result: V])[];

/** Settings and look-up results. A key that was not found has the result undefined or an empty list. */
export interface MarkdownContextSnapshot {
  readonly settings: Partial<MarkdownContextData>;
  readonly names: LookupResultEntries<string, readonly MarkdownUser[]>;
  readonly ids: LookupResultEntries<number, MarkdownUser | undefined>;
  readonly groups: LookupResultEntries<string, MarkdownGroup | undefined>;
  readonly streams: LookupResultEntries<string, MarkdownStream | undefined>;
  readonly emoji: LookupResultEntries<string, MarkdownCustomEmoji | undefined>;
}

const distinctFirstCaptures = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].flatMap(({ 1: name }) => (name === undefined ? [] : [name]))),
];

/**
 * Look-up keys (names and ids) that a text may refer to. The patterns use lookahead, so that one candidate can't hide
 * the next.
 */
export function scanPossibleMarkdownLookupKeys(text: string): MarkdownLookupKeys {
  const mentioned = distinctFirstCaptures(text, /@_?(?=\*\*([^*]+)\*\*)/g);
  const links = distinctFirstCaptures(text, /#(?=\*\*([^*]+)\*\*)/g);
  return {
    names: mentioned,
    ids: mentioned.flatMap((name) => {
      const id = /\|(\d{1,15})$/.exec(name)?.[1];
      return id === undefined ? [] : [Number(id)];
    }),
    groups: distinctFirstCaptures(text, /@_?(?=\*([^*]+)\*)/g),
    streams: [...links, ...links.map((name) => name.replace(/>.*$/s, ''))],
    emoji: distinctFirstCaptures(text, /:(?=([\p{L}\p{N}_+-]+):)/gu),
  };
}

/** Looks up the keys in the context. @param before snapshot whose results are kept */
export function takeMarkdownContextSnapshot(
  keys: MarkdownLookupKeys,
  context: Partial<MarkdownContext>,
  before?: MarkdownContextSnapshot,
): MarkdownContextSnapshot {
  const look = <K, V>(
    list: readonly K[],
    find: (key: K) => V,
    known: LookupResultEntries<K, V> = [],
  ): LookupResultEntries<K, V> => [...known, ...list.map((key) => [key, find(key)] as const)];
  return {
    settings: { now: Date.now(), ...pickMarkdownContextData(context) },
    names: look(keys.names, (name) => context.usersNamed?.(name) ?? [], before?.names),
    ids: look(keys.ids, (id) => context.userById?.(id), before?.ids),
    groups: look(keys.groups, (name) => context.groupByName?.(name), before?.groups),
    streams: look(keys.streams, (name) => context.streamByName?.(name), before?.streams),
    emoji: look(keys.emoji, (name) => context.customEmoji?.(name), before?.emoji),
  };
}

/**
 * Makes a context that reads from the snapshot. `missing` returns the keys that were asked for and are not in the
 * snapshot; null = none.
 */
export function makeRecordingContextFromSnapshot(snapshot: MarkdownContextSnapshot): {
  context: Partial<MarkdownContext>;
  missing: () => MarkdownLookupKeys | null;
} {
  const names = new MissRecordingLookup(snapshot.names);
  const ids = new MissRecordingLookup(snapshot.ids);
  const groups = new MissRecordingLookup(snapshot.groups);
  const streams = new MissRecordingLookup(snapshot.streams);
  const emoji = new MissRecordingLookup(snapshot.emoji);
  const all = [names, ids, groups, streams, emoji];
  return {
    context: {
      ...snapshot.settings,
      usersNamed: (name) => names.getOrRecordMissing(name) ?? [],
      userById: (id) => ids.getOrRecordMissing(id),
      groupByName: (name) => groups.getOrRecordMissing(name),
      streamByName: (name) => streams.getOrRecordMissing(name),
      customEmoji: (name) => emoji.getOrRecordMissing(name),
    },
    missing: () =>
      all.every(({ missingKeys }) => missingKeys.size === 0)
        ? null
        : {
            names: [...names.missingKeys],
            ids: [...ids.missingKeys],
            groups: [...groups.missingKeys],
            streams: [...streams.missingKeys],
            emoji: [...emoji.missingKeys],
          },
  };
}

/** Look-up results of a snapshot. A key that the snapshot lacks is recorded as missing. */
class MissRecordingLookup<K, V> {
  readonly missingKeys = new Set<K>();
  readonly #resultByKnownKey: ReadonlyMap<K, V>;

  constructor(entries: LookupResultEntries<K, V>) {
    this.#resultByKnownKey = new Map(entries);
  }

  getOrRecordMissing(key: K): V | undefined {
    if (!this.#resultByKnownKey.has(key)) this.missingKeys.add(key);
    return this.#resultByKnownKey.get(key);
  }
}
