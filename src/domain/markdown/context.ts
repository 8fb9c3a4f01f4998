/**
 * What rendering may know of the organization: look-ups only, no I/O. Everything is optional for callers; what is missing
 * counts as unknown, so that text alone can always be rendered.
 */

export interface MarkdownUser {
  readonly id: number;
  /** Present full name, in its stored spelling. */
  readonly name: string;
}

export interface MarkdownGroup {
  readonly id: number;
  readonly name: string;
}

export interface MarkdownStream {
  readonly id: number;
  readonly name: string;
}

export interface Linkifier {
  readonly id: number;
  /** RE2 pattern with named groups. */
  readonly pattern: string;
  /** RFC 6570. */
  readonly urlTemplate: string;
}

export interface CustomEmoji {
  readonly name: string;
  /** `source_url` of the emoji. */
  readonly url: string;
}

/** The part of the context that is plain data. */
export interface MarkdownSettings {
  /** Of the organization, without a slash at the end; '' = no link is local. */
  readonly origin: string;
  readonly linkifiers: readonly Linkifier[];
  readonly inlineImages: boolean;
  /** The sender's `translate_emoticons`. */
  readonly translateEmoticons: boolean;
  /** The organization's `default_code_block_language`; '' = none. */
  readonly defaultCodeLanguage: string;
  /** The emoji that is no Unicode one: the name to emit (api/README.md § Names) and its picture. */
  readonly productEmoji: CustomEmoji;
  /** `file:///` links are made. */
  readonly fileLinks: boolean;
  /** Secret of the image proxy; '' = pictures of other hosts are linked directly. */
  readonly imageProxySecret: string;
  /** Unix milliseconds, for dates that leave parts out. */
  readonly now: number;
}

export interface MarkdownLookups {
  /** Active people and bots of that name, ignoring case. */
  usersNamed(name: string): readonly MarkdownUser[];
  userById(id: number): MarkdownUser | undefined;
  /** Exact name; system groups are never found. */
  groupByName(name: string): MarkdownGroup | undefined;
  /** Exact name; live streams, private ones too. */
  streamByName(name: string): MarkdownStream | undefined;
  /** Active custom emoji. */
  customEmoji(name: string): CustomEmoji | undefined;
}

export type MarkdownContext = MarkdownSettings & MarkdownLookups;

const nothing = (): undefined => undefined;

const UNKNOWN: MarkdownContext = {
  origin: '',
  linkifiers: [],
  inlineImages: false,
  translateEmoticons: false,
  defaultCodeLanguage: '',
  productEmoji: { name: 'conclave', url: '/static/emoji/conclave.png' },
  fileLinks: false,
  imageProxySecret: '',
  now: 0,
  usersNamed: () => [],
  userById: nothing,
  groupByName: nothing,
  streamByName: nothing,
  customEmoji: nothing,
};

/** Fills what is missing. The clock is read only here. */
export function completeContext(given: Partial<MarkdownContext> = {}): MarkdownContext {
  // Calls through `given`, not copies of its methods: a look-up object may rely on `this`.
  return {
    ...UNKNOWN,
    now: Date.now(),
    ...settingsOf(given),
    // The one with the lowest id comes first, whatever order they were given in.
    linkifiers: [...(given.linkifiers ?? [])].sort((a, b) => a.id - b.id),
    usersNamed: (name) => given.usersNamed?.(name) ?? [],
    userById: (id) => given.userById?.(id),
    groupByName: (name) => given.groupByName?.(name),
    streamByName: (name) => given.streamByName?.(name),
    customEmoji: (name) => given.customEmoji?.(name),
  };
}

const SETTINGS = [
  'origin',
  'linkifiers',
  'inlineImages',
  'translateEmoticons',
  'defaultCodeLanguage',
  'productEmoji',
  'fileLinks',
  'imageProxySecret',
  'now',
] as const satisfies readonly (keyof MarkdownSettings)[];

/** The data among what is given, for sending to another thread. */
export function settingsOf(given: Partial<MarkdownContext>): Partial<MarkdownSettings> {
  return Object.fromEntries(SETTINGS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}
