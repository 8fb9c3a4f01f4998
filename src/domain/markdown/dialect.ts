/** The dialect as a markdown-it parser: markdown-it's chain of rules, tokens and renderer, with our own constructs. */
import MarkdownIt, { type Env, type Token as MarkdownItToken } from 'markdown-it';
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
import { escapeHtmlKeepingEntities, renderSortedHtmlAttributes } from './html.js';
import { type InlineMarkdownRule, parseInlineMarkdownToTokens } from './inline.js';
import { linkMarkdownRule } from './link.js';
import { LinkifierSearchBudget, linkifierMarkdownRule } from './linkifier.js';
import { inlineMathMarkdownRule, renderMathFence } from './math.js';
import { groupMentionMarkdownRule, userMentionMarkdownRule } from './mention.js';
import { normalizeMarkdownText } from './normalize.js';
import { addInlineMediaPreviews } from './preview.js';
import { streamLinkMarkdownRule, streamTopicLinkMarkdownRule } from './stream-link.js';
import { timestampMarkdownRule } from './timestamp.js';
import { makeClosingTagToken, makeOpeningTagToken, makeRawHtmlToken, makeTextToken, type Token } from './tokens.js';
import { makeFinishedMarkdownBlock, makeMarkdownBlock, makeTokensOfChildBlocks } from './tree.js';

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

interface MarkdownParseEnvironment extends Env {
  readonly context: MarkdownContext;
  readonly linkifierBudget: LinkifierSearchBudget;
  hasPreviews: boolean;
}

/** Our tokens as the pipeline takes them: the rules and the renderer of this file read no other fields. */
const toMarkdownItTokens = (tokens: readonly Token[]): MarkdownItToken[] => tokens as MarkdownItToken[];

const dialectParser = new MarkdownIt('zero');
dialectParser.core.ruler.at('normalize', (state) => {
  state.src = normalizeMarkdownText(state.src);
});
dialectParser.core.ruler.at('block', (state) => {
  const { context } = state.env as MarkdownParseEnvironment;
  const pieces = splitFencedBlocks(state.src, context.defaultCodeLanguage.toLowerCase());
  state.tokens = toMarkdownItTokens(makeTokensOfFencedPieces(pieces, false));
});
dialectParser.core.ruler.at('inline', (state) => {
  const { context, linkifierBudget } = state.env as MarkdownParseEnvironment;
  for (const token of state.tokens) {
    if (token.type !== 'inline') continue;
    const quoted = token.meta?.quoted === true;
    token.children = toMarkdownItTokens(
      parseInlineMarkdownToTokens(token.content, INLINE_RULES_IN_ORDER, context, quoted, linkifierBudget),
    );
  }
});
// Line breaks are text tokens of their own and must not be joined with the text around them.
dialectParser.core.ruler.disable('text_join');
dialectParser.core.ruler.push('preview', (state) => {
  const env = state.env as MarkdownParseEnvironment;
  if (!env.context.inlineImages) return;
  const { tokens, hasPreviews } = addInlineMediaPreviews(state.tokens, env.context);
  state.tokens = toMarkdownItTokens(tokens);
  env.hasPreviews = hasPreviews;
});
dialectParser.renderer.renderAttrs = ({ attrs }) => (attrs ? renderSortedHtmlAttributes(attrs) : '');
dialectParser.renderer.rules.text = (tokens, index) => escapeHtmlKeepingEntities(tokens[index]?.content ?? '');
dialectParser.renderer.rules.raw = (tokens, index) => tokens[index]?.content ?? '';

const renderUnnamedLanguageCodeBlock = (text: string): string => renderCodeBlock(text, '');

function makeTokensOfFencedPieces(pieces: readonly FencedTextPiece[], quoted: boolean): Token[] {
  const root = makeMarkdownBlock('root');
  for (const piece of pieces) {
    if (piece.kind === 'text') new MarkdownBlockParser().parseChunk(root, piece.text);
    else root.children.push(makeFinishedMarkdownBlock(makeTokensOfFencedPiece(piece, quoted)));
  }
  return makeTokensOfChildBlocks(root, quoted, renderUnnamedLanguageCodeBlock);
}

function makeTokensOfFencedPiece(piece: Exclude<FencedTextPiece, { kind: 'text' }>, quoted: boolean): Token[] {
  switch (piece.kind) {
    case 'code':
      return [makeRawHtmlToken(renderCodeBlock(piece.text, piece.language))];
    case 'math':
      return [makeRawHtmlToken(renderMathFence(piece.text))];
    case 'quote':
      return [
        makeOpeningTagToken('blockquote'),
        makeTextToken('\n'),
        ...makeTokensOfFencedPieces(piece.pieces, true),
        makeClosingTagToken('blockquote'),
      ];
    case 'spoiler':
      return makeSpoilerTokens(
        makeTokensOfFencedPieces([{ kind: 'text', text: piece.header }], quoted),
        makeTokensOfFencedPieces(piece.pieces, quoted),
      );
  }
}

/** A spoiler: a header that is shown, and content that clients hide until the reader opens it. */
function makeSpoilerTokens(header: readonly Token[], content: readonly Token[]): Token[] {
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

interface RenderedMarkdownDialect {
  readonly html: string;
  /** Block tokens. The children of inline tokens carry the references of the text in `meta`. */
  readonly tokens: readonly Token[];
  readonly hasPreviews: boolean;
}

export function renderMarkdownDialect(text: string, context: MarkdownContext): RenderedMarkdownDialect {
  const env: MarkdownParseEnvironment = { context, linkifierBudget: new LinkifierSearchBudget(), hasPreviews: false };
  const tokens = dialectParser.parse(text, env);
  const html = dialectParser.renderer.render(tokens, dialectParser.options, env);
  return { html, tokens, hasPreviews: env.hasPreviews };
}
