/** Rendering of a text: its HTML, its mentions, and facts about its links and files. */
import { completeContext, type MarkdownContext } from './context.js';
import { renderDialect } from './dialect.js';
import type { TextReference, Token } from './tokens.js';
import { uploadPathOfUrl } from './url.js';

/** Maximum length of rendered HTML, characters: 100 × the longest message (conventions.md § Limits). */
const MAX_HTML = 1_000_000;

export interface Mentions {
  /** Ids of mentioned users, each once, in the order of the text. */
  readonly users: readonly number[];
  readonly groups: readonly number[];
  /** True for a mention of everybody: `@**all**`, `@**everyone**` or `@**stream**`. */
  readonly wildcard: boolean;
}

export interface RenderResult {
  readonly html: string;
  /** Mentions that notify the mentioned users. */
  readonly mentions: Mentions;
  /** Mentions that don't notify: silent forms, and all mentions in quotes. */
  readonly silent: Mentions;
  /** True if the HTML has an `<a>`. */
  readonly hasLink: boolean;
  /** True if the HTML has a preview of a picture or video. */
  readonly hasImage: boolean;
  /** True if the text links an upload. The caller decides whether the message may claim the file. */
  readonly hasAttachment: boolean;
  /** Path ids of the uploads that the text links, each once. */
  readonly attachmentPaths: readonly string[];
}

/** Error of a text that can't be rendered within the limits. */
export class RenderError extends Error {
  override name = 'RenderError';
}

/**
 * Renders in the calling thread.
 * @param context missing entries count as unknown
 * @throws RenderError if the HTML is too long, or the parser failed
 */
export function renderMarkdown(text: string, context?: Partial<MarkdownContext>): RenderResult {
  const complete = completeContext(context);
  let dialect: ReturnType<typeof renderDialect>;
  try {
    dialect = renderDialect(text, complete);
  } catch (cause) {
    // A parser failure must refuse this text only, so it gets the type that callers handle.
    throw new RenderError('rendering failed', { cause });
  }
  const html = dialect.html.trim();
  if (html.length > MAX_HTML) throw new RenderError('rendered text is too long');
  const facts = factsOf(referencesIn(dialect.tokens));
  // A preview is a link to its picture, also where the preview replaces the address.
  return { html, ...facts, hasLink: facts.hasLink || dialect.hasPreviews, hasImage: dialect.hasPreviews };
}

/** HTML in place of a text that can't be rendered but must be sent, such as a notice that quotes a user. */
export function renderFailureNote(product: string): string {
  return `<p>[${product} note: Sorry, we could not understand the formatting of your message]</p>`;
}

function referencesIn(tokens: readonly Token[]): TextReference[] {
  return tokens
    .flatMap((token) => token.children ?? [])
    .flatMap(({ meta }) => (meta === null ? [] : [meta as TextReference]));
}

function factsOf(references: readonly TextReference[]): Omit<RenderResult, 'html' | 'hasImage'> {
  const paths = references.flatMap((one) => (one.kind === 'link' ? (uploadPathOfUrl(one.url) ?? []) : []));
  return {
    mentions: mentionsOf(references, false),
    silent: mentionsOf(references, true),
    hasLink: references.some(({ kind }) => kind === 'link'),
    hasAttachment: paths.length > 0,
    attachmentPaths: [...new Set(paths)],
  };
}

function mentionsOf(references: readonly TextReference[], silent: boolean): Mentions {
  const ids = (kind: 'user' | 'group'): number[] => [
    ...new Set(references.flatMap((one) => (one.kind === kind && one.silent === silent ? [one.id] : []))),
  ];
  return {
    users: ids('user'),
    groups: ids('group'),
    wildcard: references.some((one) => one.kind === 'wildcard' && one.silent === silent),
  };
}

/** HTML of a text without names to look up; '' if it can't be rendered: clients then show the text itself. */
export function renderMarkdownOrEmpty(text: string): string {
  try {
    return renderMarkdown(text).html;
  } catch (error) {
    if (error instanceof RenderError) return '';
    throw error;
  }
}
