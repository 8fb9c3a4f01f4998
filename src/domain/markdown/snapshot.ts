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

type Entries<K, V> = readonly (readonly [key: K, result: V])[];

/** Settings and look-up results. A key that was not found has the result undefined or an empty list. */
export interface MarkdownContextSnapshot {
  readonly settings: Partial<MarkdownSettings>;
  readonly names: Entries<string, readonly MarkdownUser[]>;
  readonly ids: Entries<number, MarkdownUser | undefined>;
  readonly groups: Entries<string, MarkdownGroup | undefined>;
  readonly streams: Entries<string, MarkdownStream | undefined>;
  readonly emoji: Entries<string, MarkdownCustomEmoji | undefined>;
}

const capture = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].flatMap(({ 1: name }) => (name === undefined ? [] : [name]))),
];

/**
 * Look-up keys (names and ids) that a text may refer to. The patterns use lookahead, so that one candidate can't hide
 * the next.
 */
export function scanMarkdownLookupKeys(text: string): MarkdownLookupKeys {
  const mentioned = capture(text, /@_?(?=\*\*([^*]+)\*\*)/g);
  const links = capture(text, /#(?=\*\*([^*]+)\*\*)/g);
  return {
    names: mentioned,
    ids: mentioned.flatMap((name) => {
      const id = /\|(\d{1,15})$/.exec(name)?.[1];
      return id === undefined ? [] : [Number(id)];
    }),
    groups: capture(text, /@_?(?=\*([^*]+)\*)/g),
    streams: [...links, ...links.map((name) => name.replace(/>.*$/s, ''))],
    emoji: capture(text, /:(?=([\p{L}\p{N}_+-]+):)/gu),
  };
}

/** Looks up the keys in the context. @param before snapshot whose results are kept */
export function takeMarkdownContextSnapshot(
  keys: MarkdownLookupKeys,
  context: Partial<MarkdownContext>,
  before?: MarkdownContextSnapshot,
): MarkdownContextSnapshot {
  const look = <K, V>(list: readonly K[], find: (key: K) => V, known: Entries<K, V> = []): Entries<K, V> => [
    ...known,
    ...list.map((key) => [key, find(key)] as const),
  ];
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
  readonly #known: ReadonlyMap<K, V>;

  constructor(entries: Entries<K, V>) {
    this.#known = new Map(entries);
  }

  get(key: K): V | undefined {
    if (!this.#known.has(key)) this.missing.add(key);
    return this.#known.get(key);
  }
}
