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

const findNothing = (): undefined => undefined;

const EMPTY_MARKDOWN_CONTEXT: MarkdownContext = {
  origin: '',
  linkifiers: [],
  inlineImages: false,
  translateEmoticons: false,
  defaultCodeLanguage: '',
  productEmoji: { name: 'conclave', url: '/static/emoji/conclave.png' },
  fileLinks: false,
  imageProxySecret: '',
  newerMentions: false,
  now: 0,
  usersNamed: () => [],
  userById: findNothing,
  groupByName: findNothing,
  streamByName: findNothing,
  customEmoji: findNothing,
};

/** Completes a rendering context with defaults. Reads the clock if `now` is missing. */
export function completeMarkdownContext(given: Partial<MarkdownContext> = {}): MarkdownContext {
  // Look-ups are called on `given` instead of copied: they may rely on `this`.
  return {
    ...EMPTY_MARKDOWN_CONTEXT,
    now: Date.now(),
    ...pickMarkdownContextData(given),
    // The linkifier with the lowest id applies first, whatever the caller's order.
    linkifiers: [...(given.linkifiers ?? [])].sort((a, b) => a.id - b.id),
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
