/**
 * The renderer's view of an organization: settings, and look-ups without I/O. Every entry is optional for callers. A
 * missing one counts as unknown, so that a text can be rendered without any context.
 */

export interface MarkdownUser {
  readonly id: number;
  /** Current full name of the user, in its stored spelling. */
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

export interface MarkdownLinkifier {
  readonly id: number;
  /** RE2 pattern of the linkifier, with named groups. */
  readonly pattern: string;
  /** URL template of the linkifier's links (RFC 6570). */
  readonly urlTemplate: string;
}

export interface MarkdownCustomEmoji {
  readonly name: string;
  /** URL of the emoji's picture, the API's `source_url`. */
  readonly url: string;
}

/** The part of a rendering context that is plain data, without look-up functions. */
export interface MarkdownContextData {
  /** Base URL of the organization, without a slash at the end; '' = no link is local. */
  readonly origin: string;
  readonly linkifiers: readonly MarkdownLinkifier[];
  readonly inlineImages: boolean;
  /** True if emoticons become emoji: the sender's setting `translate_emoticons`. */
  readonly translateEmoticons: boolean;
  /** Language of code blocks that name none: the organization's `default_code_block_language`; '' = none. */
  readonly defaultCodeLanguage: string;
  /** The product's own emoji: the name to emit (api/README.md § Names) and its picture. */
  readonly productEmoji: MarkdownCustomEmoji;
  /** True if `file:///` addresses become links. */
  readonly fileLinks: boolean;
  /** Key of the image proxy's addresses; '' = pictures of other hosts are linked directly. */
  readonly imageProxySecret: string;
  /** True if `@**channel**` mentions everybody, and `@**topic**` those who take part in the topic. */
  readonly newerMentions: boolean;
  /** Current time, Unix ms: completes dates that leave parts out. */
  readonly now: number;
}

interface MarkdownContextLookups {
  /** Active users, including bots, with this name, ignoring case. */
  usersNamed(name: string): readonly MarkdownUser[];
  userById(id: number): MarkdownUser | undefined;
  /** The group with exactly this name. System groups are never found. */
  groupByName(name: string): MarkdownGroup | undefined;
  /** The stream with exactly this name: not archived, maybe private. */
  streamByName(name: string): MarkdownStream | undefined;
  /** The active custom emoji with this name. */
  customEmoji(name: string): MarkdownCustomEmoji | undefined;
}

export type MarkdownContext = MarkdownContextData & MarkdownContextLookups;

const DEFAULT_PRODUCT_EMOJI: MarkdownCustomEmoji = { name: 'conclave', url: '/static/emoji/conclave.png' };

/** The order in which linkifiers apply: the one with the lowest id first, whatever the caller's order. */
export const sortLinkifiersById = (linkifiers: readonly MarkdownLinkifier[]): readonly MarkdownLinkifier[] =>
  linkifiers.length < 2 ? linkifiers : [...linkifiers].sort((a, b) => a.id - b.id);

/** Completes a rendering context with defaults. Reads the clock if `now` is missing. */
export function completeMarkdownContext(given: Partial<MarkdownContext> = {}): MarkdownContext {
  // Look-ups are called on `given` instead of copied: they may rely on `this`.
  // Each name is written out: spreading objects took an eighth of the time of rendering.
  return {
    origin: given.origin ?? '',
    linkifiers: sortLinkifiersById(given.linkifiers ?? []),
    inlineImages: given.inlineImages ?? false,
    translateEmoticons: given.translateEmoticons ?? false,
    defaultCodeLanguage: given.defaultCodeLanguage ?? '',
    productEmoji: given.productEmoji ?? DEFAULT_PRODUCT_EMOJI,
    fileLinks: given.fileLinks ?? false,
    imageProxySecret: given.imageProxySecret ?? '',
    newerMentions: given.newerMentions ?? false,
    now: given.now ?? Date.now(),
    usersNamed: (name) => given.usersNamed?.(name) ?? [],
    userById: (id) => given.userById?.(id),
    groupByName: (name) => given.groupByName?.(name),
    streamByName: (name) => given.streamByName?.(name),
    customEmoji: (name) => given.customEmoji?.(name),
  };
}

const MARKDOWN_CONTEXT_DATA_NAMES = [
  'origin',
  'linkifiers',
  'inlineImages',
  'translateEmoticons',
  'defaultCodeLanguage',
  'productEmoji',
  'fileLinks',
  'imageProxySecret',
  'newerMentions',
  'now',
] as const satisfies readonly (keyof MarkdownContextData)[];

/** The plain data of a rendering context, which can be sent to another thread. */
export function pickMarkdownContextData(given: Partial<MarkdownContext>): Partial<MarkdownContextData> {
  return Object.fromEntries(
    MARKDOWN_CONTEXT_DATA_NAMES.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}
