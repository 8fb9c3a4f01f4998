/**
 * A context as plain data, for rendering in another thread, which can't call the look-ups. A cheap scan collects the
 * names that a text may refer to. Keys that rendering asks for beyond them are recorded, so that the caller can look
 * them up and render again.
 */
import {
  type MarkdownContext,
  type MarkdownCustomEmoji,
  type MarkdownGroup,
  type MarkdownSettings,
  type MarkdownStream,
  type MarkdownUser,
  plainMarkdownSettingsOf,
} from './context.js';

/** Names and ids that rendering a text may look up. */
export interface MarkdownLookupKeys {
  readonly names: readonly string[];
  readonly ids: readonly number[];
  readonly groups: readonly string[];
  readonly streams: readonly string[];
  readonly emoji: readonly string[];
}

type LookupEntries<K, V> = readonly (readonly [key: K, result: V])[];

/** Settings and look-up results. A key that was not found has the result undefined or an empty list. */
export interface MarkdownContextSnapshot {
  readonly settings: Partial<MarkdownSettings>;
  readonly names: LookupEntries<string, readonly MarkdownUser[]>;
  readonly ids: LookupEntries<number, MarkdownUser | undefined>;
  readonly groups: LookupEntries<string, MarkdownGroup | undefined>;
  readonly streams: LookupEntries<string, MarkdownStream | undefined>;
  readonly emoji: LookupEntries<string, MarkdownCustomEmoji | undefined>;
}

const capturedTexts = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].flatMap(({ 1: name }) => (name === undefined ? [] : [name]))),
];

/**
 * Look-up keys (names and ids) that a text may refer to. The patterns use lookahead, so that one candidate can't hide
 * the next.
 */
export function scanMarkdownLookupKeys(text: string): MarkdownLookupKeys {
  const mentioned = capturedTexts(text, /@_?(?=\*\*([^*]+)\*\*)/g);
  const links = capturedTexts(text, /#(?=\*\*([^*]+)\*\*)/g);
  return {
    names: mentioned,
    ids: mentioned.flatMap((name) => {
      const id = /\|(\d{1,15})$/.exec(name)?.[1];
      return id === undefined ? [] : [Number(id)];
    }),
    groups: capturedTexts(text, /@_?(?=\*([^*]+)\*)/g),
    streams: [...links, ...links.map((name) => name.replace(/>.*$/s, ''))],
    emoji: capturedTexts(text, /:(?=([\p{L}\p{N}_+-]+):)/gu),
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
    known: LookupEntries<K, V> = [],
  ): LookupEntries<K, V> => [...known, ...list.map((key) => [key, find(key)] as const)];
  return {
    settings: { now: Date.now(), ...plainMarkdownSettingsOf(context) },
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
export function makeMarkdownContextFromSnapshot(snapshot: MarkdownContextSnapshot): {
  context: Partial<MarkdownContext>;
  missing: () => MarkdownLookupKeys | null;
} {
  const names = new RecordingLookup(snapshot.names);
  const ids = new RecordingLookup(snapshot.ids);
  const groups = new RecordingLookup(snapshot.groups);
  const streams = new RecordingLookup(snapshot.streams);
  const emoji = new RecordingLookup(snapshot.emoji);
  const all = [names, ids, groups, streams, emoji];
  return {
    context: {
      ...snapshot.settings,
      usersNamed: (name) => names.get(name) ?? [],
      userById: (id) => ids.get(id),
      groupByName: (name) => groups.get(name),
      streamByName: (name) => streams.get(name),
      customEmoji: (name) => emoji.get(name),
    },
    missing: () =>
      all.every(({ missing }) => missing.size === 0)
        ? null
        : {
            names: [...names.missing],
            ids: [...ids.missing],
            groups: [...groups.missing],
            streams: [...streams.missing],
            emoji: [...emoji.missing],
          },
  };
}

/** Look-up results of a snapshot. A key that the snapshot lacks is recorded as missing. */
class RecordingLookup<K, V> {
  readonly missing = new Set<K>();
  readonly #knownEntries: ReadonlyMap<K, V>;

  constructor(entries: LookupEntries<K, V>) {
    this.#knownEntries = new Map(entries);
  }

  get(key: K): V | undefined {
    if (!this.#knownEntries.has(key)) this.missing.add(key);
    return this.#knownEntries.get(key);
  }
}
