/** Rendering of a text: its HTML, its mentions, and facts about its links and files. */
import type { MarkdownRenderResult, MentionTargets } from '#model';
import { completeMarkdownContext, type MarkdownContext } from './context.js';
import { renderMarkdownDialect } from './dialect.js';
import { mayTakeLongToTypeset } from './math.js';
import type { MarkdownTextReference, Token } from './tokens.js';
import { uploadPathIdOfUrl } from './url.js';

/** Maximum length of rendered HTML, characters: 100 × the longest message (conventions.md § Limits). */
const MAX_RENDERED_HTML_CHARACTERS = 1_000_000;

/** Error of a text that can't be rendered within the limits. */
export class MarkdownRenderError extends Error {
  override name = 'MarkdownRenderError';
}

/**
 * Renders in the calling thread.
 * @param context missing entries count as unknown
 * @throws MarkdownRenderError if the HTML is too long, or the parser failed
 */
export function renderMarkdown(text: string, context?: Partial<MarkdownContext>): MarkdownRenderResult {
  const complete = completeMarkdownContext(context);
  let dialect: ReturnType<typeof renderMarkdownDialect>;
  try {
    dialect = renderMarkdownDialect(text, complete);
  } catch (cause) {
    // A parser failure must refuse this text only, so it gets the type that callers handle.
    throw new MarkdownRenderError('rendering failed', { cause });
  }
  const html = dialect.html.trim();
  if (html.length > MAX_RENDERED_HTML_CHARACTERS) throw new MarkdownRenderError('rendered text is too long');
  const facts = summarizeTextReferences(referencesInTokens(dialect.tokens));
  // A text with a preview has a link, even where the preview takes the place of the address.
  return { html, ...facts, hasLink: facts.hasLink || dialect.hasPreviews, hasImage: dialect.hasPreviews };
}

/** HTML in place of a text that can't be rendered but must be sent, such as a notice that quotes a user. */
export function makeRenderFailureHtml(product: string): string {
  return `<p>[${product} note: Sorry, we could not understand the formatting of your message]</p>`;
}

function referencesInTokens(tokens: readonly Token[]): MarkdownTextReference[] {
  const references: MarkdownTextReference[] = [];
  for (const { children } of tokens) {
    for (const { meta } of children ?? []) if (meta !== null) references.push(meta as MarkdownTextReference);
  }
  return references;
}

const NO_MENTION_TARGETS: MentionTargets = { users: [], groups: [], wildcard: false };

const NO_REFERENCE_FACTS: Omit<MarkdownRenderResult, 'html' | 'hasImage'> = {
  mentions: NO_MENTION_TARGETS,
  silent: NO_MENTION_TARGETS,
  hasLink: false,
  hasAttachment: false,
  attachmentPaths: [],
};

function summarizeTextReferences(
  references: readonly MarkdownTextReference[],
): Omit<MarkdownRenderResult, 'html' | 'hasImage'> {
  if (references.length === 0) return NO_REFERENCE_FACTS;
  const paths = references.flatMap((one) => (one.kind === 'link' ? (uploadPathIdOfUrl(one.url) ?? []) : []));
  return {
    mentions: collectMentionTargets(references, false),
    silent: collectMentionTargets(references, true),
    hasLink: references.some(({ kind }) => kind === 'link'),
    hasAttachment: paths.length > 0,
    attachmentPaths: [...new Set(paths)],
  };
}

function collectMentionTargets(references: readonly MarkdownTextReference[], silent: boolean): MentionTargets {
  if (references.every(({ kind }) => kind === 'link')) return NO_MENTION_TARGETS;
  const ids = (kind: 'user' | 'group'): number[] => [
    ...new Set(references.flatMap((one) => (one.kind === kind && one.silent === silent ? [one.id] : []))),
  ];
  return {
    users: ids('user'),
    groups: ids('group'),
    wildcard: references.some((one) => one.kind === 'wildcard' && one.silent === silent),
    ...(references.some((one) => one.kind === 'topic' && one.silent === silent) ? { topic: true } : {}),
  };
}

/**
 * HTML of a text without names to look up; '' if it can't be rendered or has formulas that may take long: clients then
 * show the text itself.
 */
export function renderContextFreeMarkdownOrEmpty(text: string): string {
  if (mayTakeLongToTypeset(text)) return '';
  try {
    return renderMarkdown(text).html;
  } catch (error) {
    if (error instanceof MarkdownRenderError) return '';
    throw error;
  }
}
