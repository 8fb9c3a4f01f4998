/** Message text to HTML, and what the text says about people, links and files. */
import { completeContext, type MarkdownContext } from './context.js';
import { renderDialect } from './dialect.js';
import type { TextReference, Token } from './tokens.js';
import { uploadPath } from './url.js';

/** Longest HTML: 100 × the longest message (conventions.md § Limits). */
const MAX_HTML = 1_000_000;

export interface Mentions {
  /** Ids, each once, in the order of the text. */
  readonly users: readonly number[];
  readonly groups: readonly number[];
  /** Everybody is meant: `@**all**` and its like. */
  readonly wildcard: boolean;
}

export interface RenderResult {
  readonly html: string;
  /** Those who are to be told. */
  readonly mentions: Mentions;
  /** Those who are only named: silent forms, and every mention in a quote. */
  readonly silent: Mentions;
  /** Any `<a>`. */
  readonly hasLink: boolean;
  /** A preview of a picture. */
  readonly hasImage: boolean;
  /** An upload is linked; whether the message may claim it is decided elsewhere. */
  readonly hasAttachment: boolean;
  /** Path ids of linked uploads, each once. */
  readonly attachmentPaths: readonly string[];
}

/** The text could not be rendered within its limits. */
export class RenderError extends Error {
  override name = 'CannotRender';
}

/**
 * @param context what is left out counts as unknown
 * @throws CannotRender if the HTML is too long, or rendering failed
 */
export function renderMarkdown(text: string, context?: Partial<MarkdownContext>): RenderResult {
  const complete = completeContext(context);
  let dialect: ReturnType<typeof renderDialect>;
  try {
    dialect = renderDialect(text, complete);
  } catch (cause) {
    // Whatever a text brings about must refuse this text only.
    throw new RenderError('rendering failed', { cause });
  }
  const html = dialect.html.trim();
  if (html.length > MAX_HTML) throw new RenderError('rendered text is too long');
  const facts = factsOf(meanings(dialect.tokens));
  // A preview is a link to its picture, also where it took the place of the address.
  return { html, ...facts, hasLink: facts.hasLink || dialect.hasPreviews, hasImage: dialect.hasPreviews };
}

/** Stands in for the HTML when rendering fails after the message is stored. */
export function renderFailureNote(product: string): string {
  return `<p>[${product} note: Sorry, we could not understand the formatting of your message]</p>`;
}

function meanings(tokens: readonly Token[]): TextReference[] {
  return tokens
    .flatMap((token) => token.children ?? [])
    .flatMap(({ meta }) => (meta === null ? [] : [meta as TextReference]));
}

function factsOf(found: readonly TextReference[]): Omit<RenderResult, 'html' | 'hasImage'> {
  const paths = found.flatMap((meaning) => (meaning.kind === 'link' ? (uploadPath(meaning.url) ?? []) : []));
  return {
    mentions: mentionsOf(found, false),
    silent: mentionsOf(found, true),
    hasLink: found.some(({ kind }) => kind === 'link'),
    hasAttachment: paths.length > 0,
    attachmentPaths: [...new Set(paths)],
  };
}

function mentionsOf(found: readonly TextReference[], silent: boolean): Mentions {
  const ids = (kind: 'user' | 'group'): number[] => [
    ...new Set(found.flatMap((one) => (one.kind === kind && one.silent === silent ? [one.id] : []))),
  ];
  return {
    users: ids('user'),
    groups: ids('group'),
    wildcard: found.some((one) => one.kind === 'wildcard' && one.silent === silent),
  };
}

/** HTML of a text that refers to nobody; '' where it can't be rendered within its limits: clients show the text itself. */
export function htmlOrEmpty(text: string): string {
  try {
    return renderMarkdown(text).html;
  } catch (error) {
    if (error instanceof RenderError) return '';
    throw error;
  }
}
