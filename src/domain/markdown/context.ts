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

/** A context without missing entries. One serves for many texts, as long as the organization doesn't change. */
export class CompleteMarkdownContext implements MarkdownContext {
  readonly origin: string;
  readonly linkifiers: readonly MarkdownLinkifier[];
  readonly inlineImages: boolean;
  readonly translateEmoticons: boolean;
  readonly defaultCodeLanguage: string;
  readonly productEmoji: MarkdownCustomEmoji;
  readonly fileLinks: boolean;
  readonly imageProxySecret: string;
  readonly newerMentions: boolean;

  constructor(private readonly given: Partial<MarkdownContext>) {
    this.origin = given.origin ?? '';
    this.linkifiers = sortLinkifiersById(given.linkifiers ?? []);
    this.inlineImages = given.inlineImages ?? false;
    this.translateEmoticons = given.translateEmoticons ?? false;
    this.defaultCodeLanguage = given.defaultCodeLanguage ?? '';
    this.productEmoji = given.productEmoji ?? DEFAULT_PRODUCT_EMOJI;
    this.fileLinks = given.fileLinks ?? false;
    this.imageProxySecret = given.imageProxySecret ?? '';
    this.newerMentions = given.newerMentions ?? false;
  }

  get now(): number {
    return this.given.now ?? Date.now();
  }

  usersNamed(name: string): readonly MarkdownUser[] {
    return this.given.usersNamed?.(name) ?? [];
  }

  userById(id: number): MarkdownUser | undefined {
    return this.given.userById?.(id);
  }

  groupByName(name: string): MarkdownGroup | undefined {
    return this.given.groupByName?.(name);
  }

  streamByName(name: string): MarkdownStream | undefined {
    return this.given.streamByName?.(name);
  }

  customEmoji(name: string): MarkdownCustomEmoji | undefined {
    return this.given.customEmoji?.(name);
  }
}

/** Completes a rendering context with defaults unless it is complete. Without `now`, the context reads the clock. */
export const completeMarkdownContext = (given: Partial<MarkdownContext> = {}): CompleteMarkdownContext =>
  given instanceof CompleteMarkdownContext ? given : new CompleteMarkdownContext(given);

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
