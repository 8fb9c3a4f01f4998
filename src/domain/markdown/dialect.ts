/** The dialect as a markdown-it parser: markdown-it's chain of rules, tokens and renderer, with our own constructs. */
import MarkdownIt, { type Env } from 'markdown-it';
import { bareLinkRule } from './bare-link.js';
import { BlockParser } from './blocks.js';
import { inlineCodeRule, renderCodeBlock } from './code.js';
import type { MarkdownContext } from './context.js';
import { emojiCharacterRule, emoticonRule, namedEmojiRule } from './emoji.js';
import { emphasisRule, strikeRule, strongEmphasisRule, strongRule } from './emphasis.js';
import { type FencePiece, splitFences } from './fence.js';
import { escapeText, htmlAttributes } from './html.js';
import { type InlineRule, inlineTokens } from './inline.js';
import { linkRule } from './link.js';
import { linkifierRule } from './linkifier.js';
import { inlineMathRule, renderMathBlock } from './math.js';
import { groupMentionRule, userMentionRule } from './mention.js';
import { normalizeText } from './normalize.js';
import { addPreviews } from './preview.js';
import { streamLinkRule, streamTopicLinkRule } from './stream-link.js';
import { timestampRule } from './timestamp.js';
import { closingToken, openingToken, rawHtmlToken, type Token, textToken } from './tokens.js';
import { newBlock, tokenBlock, tokensOfChildren } from './tree.js';

/** Inline constructs by priority (markdown.md § Inline). */
const INLINE: readonly InlineRule[] = [
  inlineCodeRule,
  strongEmphasisRule,
  userMentionRule,
  inlineMathRule,
  streamTopicLinkRule,
  streamLinkRule,
  timestampRule,
  groupMentionRule,
  linkRule,
  bareLinkRule,
  linkifierRule,
  strongRule,
  emphasisRule,
  strikeRule,
  namedEmojiRule,
  emoticonRule,
  emojiCharacterRule,
];

interface Environment extends Env {
  readonly context: MarkdownContext;
  hasPreviews: boolean;
}

const parser = new MarkdownIt('zero');
parser.core.ruler.at('normalize', (state) => {
  state.src = normalizeText(state.src);
});
parser.core.ruler.at('block', (state) => {
  const { context } = state.env as Environment;
  state.tokens = blockTokens(splitFences(state.src, context.defaultCodeLanguage.toLowerCase()), false);
});
parser.core.ruler.at('inline', (state) => {
  const { context } = state.env as Environment;
  for (const token of state.tokens) {
    if (token.type !== 'inline') continue;
    token.children = inlineTokens(token.content, INLINE, context, token.meta?.quoted === true);
  }
});
// Line breaks are text tokens of their own and must not be joined with the text around them.
parser.core.ruler.disable('text_join');
parser.core.ruler.push('preview', (state) => {
  const env = state.env as Environment;
  if (!env.context.inlineImages) return;
  const { tokens, hasPreviews } = addPreviews(state.tokens, env.context);
  state.tokens = tokens;
  env.hasPreviews = hasPreviews;
});
parser.renderer.renderAttrs = ({ attrs }) => (attrs ? htmlAttributes(attrs) : '');
parser.renderer.rules.text = (tokens, index) => escapeText(tokens[index]?.content ?? '');
parser.renderer.rules.raw = (tokens, index) => tokens[index]?.content ?? '';

const codeHtml = (text: string): string => renderCodeBlock(text, '');

function blockTokens(pieces: readonly FencePiece[], quoted: boolean): Token[] {
  const root = newBlock('root');
  for (const piece of pieces) {
    if (piece.kind === 'text') new BlockParser().chunk(root, piece.text);
    else root.children.push(tokenBlock(pieceTokens(piece, quoted)));
  }
  return tokensOfChildren(root, quoted, codeHtml);
}

function pieceTokens(piece: Exclude<FencePiece, { kind: 'text' }>, quoted: boolean): Token[] {
  switch (piece.kind) {
    case 'code':
      return [rawHtmlToken(renderCodeBlock(piece.text, piece.language))];
    case 'math':
      return [rawHtmlToken(renderMathBlock(piece.text))];
    case 'quote':
      return [
        openingToken('blockquote'),
        textToken('\n'),
        ...blockTokens(piece.pieces, true),
        closingToken('blockquote'),
      ];
    case 'spoiler':
      return spoilerTokens(
        blockTokens([{ kind: 'text', text: piece.header }], quoted),
        blockTokens(piece.pieces, quoted),
      );
  }
}

/** A spoiler: a header that is shown, and content that clients hide until the reader opens it. */
function spoilerTokens(header: readonly Token[], content: readonly Token[]): Token[] {
  return [
    rawHtmlToken('<div class="spoiler-block"><div class="spoiler-header">'),
    textToken('\n'),
    ...header,
    rawHtmlToken('</div><div class="spoiler-content" aria-hidden="true">'),
    textToken('\n'),
    ...content,
    rawHtmlToken('</div></div>'),
  ];
}

interface DialectOutput {
  readonly html: string;
  /** Block tokens. The children of inline tokens carry the references of the text in `meta`. */
  readonly tokens: readonly Token[];
  readonly hasPreviews: boolean;
}

export function renderDialect(text: string, context: MarkdownContext): DialectOutput {
  const env: Environment = { context, hasPreviews: false };
  const tokens = parser.parse(text, env);
  const html = parser.renderer.render(tokens, parser.options, env);
  return { html, tokens, hasPreviews: env.hasPreviews };
}
