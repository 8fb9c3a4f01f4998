/** The dialect as a markdown-it parser: markdown-it's chain of rules, tokens and renderer, with our own constructs. */
import MarkdownIt, { type Env } from 'markdown-it';
import { bareLinkMarkdownRule } from './bare-link.js';
import { MarkdownBlockParser } from './blocks.js';
import { inlineCodeMarkdownRule, renderCodeBlock } from './code.js';
import type { MarkdownContext } from './context.js';
import { emojiCharacterMarkdownRule, emoticonMarkdownRule, namedEmojiMarkdownRule } from './emoji.js';
import {
  emphasisMarkdownRule,
  strikeMarkdownRule,
  strongEmphasisMarkdownRule,
  strongMarkdownRule,
} from './emphasis.js';
import { type FencedTextPiece, splitFencedBlocks } from './fence.js';
import { escapeHtmlKeepingEntities, renderHtmlAttributes } from './html.js';
import { type InlineMarkdownRule, parseInlineMarkdown } from './inline.js';
import { linkMarkdownRule } from './link.js';
import { linkifierMarkdownRule } from './linkifier.js';
import { inlineMathMarkdownRule, renderMathBlock } from './math.js';
import { groupMentionMarkdownRule, userMentionMarkdownRule } from './mention.js';
import { normalizeMarkdownText } from './normalize.js';
import { addLinkPreviews } from './preview.js';
import { streamLinkMarkdownRule, streamTopicLinkMarkdownRule } from './stream-link.js';
import { timestampMarkdownRule } from './timestamp.js';
import { makeClosingTagToken, makeOpeningTagToken, makeRawHtmlToken, makeTextToken, type Token } from './tokens.js';
import { makeMarkdownBlock, makeMarkdownBlockOfTokens, tokensOfChildBlocks } from './tree.js';

/** Inline constructs by priority (markdown.md § Inline). */
const INLINE_RULES_IN_ORDER: readonly InlineMarkdownRule[] = [
  inlineCodeMarkdownRule,
  strongEmphasisMarkdownRule,
  userMentionMarkdownRule,
  inlineMathMarkdownRule,
  streamTopicLinkMarkdownRule,
  streamLinkMarkdownRule,
  timestampMarkdownRule,
  groupMentionMarkdownRule,
  linkMarkdownRule,
  bareLinkMarkdownRule,
  linkifierMarkdownRule,
  strongMarkdownRule,
  emphasisMarkdownRule,
  strikeMarkdownRule,
  namedEmojiMarkdownRule,
  emoticonMarkdownRule,
  emojiCharacterMarkdownRule,
];

interface MarkdownItEnvironment extends Env {
  readonly context: MarkdownContext;
  hasPreviews: boolean;
}

const parser = new MarkdownIt('zero');
parser.core.ruler.at('normalize', (state) => {
  state.src = normalizeMarkdownText(state.src);
});
parser.core.ruler.at('block', (state) => {
  const { context } = state.env as MarkdownItEnvironment;
  state.tokens = tokensOfPieces(splitFencedBlocks(state.src, context.defaultCodeLanguage.toLowerCase()), false);
});
parser.core.ruler.at('inline', (state) => {
  const { context } = state.env as MarkdownItEnvironment;
  for (const token of state.tokens) {
    if (token.type !== 'inline') continue;
    token.children = parseInlineMarkdown(token.content, INLINE_RULES_IN_ORDER, context, token.meta?.quoted === true);
  }
});
// Line breaks are text tokens of their own and must not be joined with the text around them.
parser.core.ruler.disable('text_join');
parser.core.ruler.push('preview', (state) => {
  const env = state.env as MarkdownItEnvironment;
  if (!env.context.inlineImages) return;
  const { tokens, hasPreviews } = addLinkPreviews(state.tokens, env.context);
  state.tokens = tokens;
  env.hasPreviews = hasPreviews;
});
parser.renderer.renderAttrs = ({ attrs }) => (attrs ? renderHtmlAttributes(attrs) : '');
parser.renderer.rules.text = (tokens, index) => escapeHtmlKeepingEntities(tokens[index]?.content ?? '');
parser.renderer.rules.raw = (tokens, index) => tokens[index]?.content ?? '';

const codeHtml = (text: string): string => renderCodeBlock(text, '');

function tokensOfPieces(pieces: readonly FencedTextPiece[], quoted: boolean): Token[] {
  const root = makeMarkdownBlock('root');
  for (const piece of pieces) {
    if (piece.kind === 'text') new MarkdownBlockParser().chunk(root, piece.text);
    else root.children.push(makeMarkdownBlockOfTokens(tokensOfFencedPiece(piece, quoted)));
  }
  return tokensOfChildBlocks(root, quoted, codeHtml);
}

function tokensOfFencedPiece(piece: Exclude<FencedTextPiece, { kind: 'text' }>, quoted: boolean): Token[] {
  switch (piece.kind) {
    case 'code':
      return [makeRawHtmlToken(renderCodeBlock(piece.text, piece.language))];
    case 'math':
      return [makeRawHtmlToken(renderMathBlock(piece.text))];
    case 'quote':
      return [
        makeOpeningTagToken('blockquote'),
        makeTextToken('\n'),
        ...tokensOfPieces(piece.pieces, true),
        makeClosingTagToken('blockquote'),
      ];
    case 'spoiler':
      return spoilerTokens(
        tokensOfPieces([{ kind: 'text', text: piece.header }], quoted),
        tokensOfPieces(piece.pieces, quoted),
      );
  }
}

/** A spoiler: a header that is shown, and content that clients hide until the reader opens it. */
function spoilerTokens(header: readonly Token[], content: readonly Token[]): Token[] {
  return [
    makeRawHtmlToken('<div class="spoiler-block"><div class="spoiler-header">'),
    makeTextToken('\n'),
    ...header,
    makeRawHtmlToken('</div><div class="spoiler-content" aria-hidden="true">'),
    makeTextToken('\n'),
    ...content,
    makeRawHtmlToken('</div></div>'),
  ];
}

interface RenderedDialect {
  readonly html: string;
  /** Block tokens. The children of inline tokens carry the references of the text in `meta`. */
  readonly tokens: readonly Token[];
  readonly hasPreviews: boolean;
}

export function renderMarkdownDialect(text: string, context: MarkdownContext): RenderedDialect {
  const env: MarkdownItEnvironment = { context, hasPreviews: false };
  const tokens = parser.parse(text, env);
  const html = parser.renderer.render(tokens, parser.options, env);
  return { html, tokens, hasPreviews: env.hasPreviews };
}
