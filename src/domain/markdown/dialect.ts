/** The dialect as a markdown-it parser: markdown-it's chain of rules, tokens and renderer, with our own constructs. */
import MarkdownIt, { type Env } from 'markdown-it';
import { bareLink } from './bare-link.js';
import { BlockParser } from './blocks.js';
import { codeBlock, inlineCode } from './code.js';
import type { MarkdownContext } from './context.js';
import { emojiCharacter, emoticon, namedEmoji } from './emoji.js';
import { emphasis, strike, strong, strongEmphasis } from './emphasis.js';
import { type Piece, splitFences } from './fence.js';
import { attributes, escapeText } from './html.js';
import { type InlineRule, inlineTokens } from './inline.js';
import { link } from './link.js';
import { linkifiers } from './linkifier.js';
import { inlineMath, mathBlock } from './math.js';
import { groupMention, userMention } from './mention.js';
import { normalize } from './normalize.js';
import { withPreviews } from './preview.js';
import { streamLink, streamTopicLink } from './stream-link.js';
import { timestamp } from './timestamp.js';
import { closing, opening, rawToken, type Token, textToken } from './tokens.js';
import { block, childTokens, readyBlock } from './tree.js';

/** Inline constructs by priority (markdown.md § Inline). */
const INLINE: readonly InlineRule[] = [
  inlineCode,
  strongEmphasis,
  userMention,
  inlineMath,
  streamTopicLink,
  streamLink,
  timestamp,
  groupMention,
  link,
  bareLink,
  linkifiers,
  strong,
  emphasis,
  strike,
  namedEmoji,
  emoticon,
  emojiCharacter,
];

interface Environment extends Env {
  readonly context: MarkdownContext;
  hasPreviews: boolean;
}

const parser = new MarkdownIt('zero');
parser.core.ruler.at('normalize', (state) => {
  state.src = normalize(state.src);
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
  const { tokens, hasPreviews } = withPreviews(state.tokens, env.context);
  state.tokens = tokens;
  env.hasPreviews = hasPreviews;
});
parser.renderer.renderAttrs = ({ attrs }) => (attrs ? attributes(attrs) : '');
parser.renderer.rules.text = (tokens, index) => escapeText(tokens[index]?.content ?? '');
parser.renderer.rules.raw = (tokens, index) => tokens[index]?.content ?? '';

const codeHtml = (text: string): string => codeBlock(text, '');

function blockTokens(pieces: readonly Piece[], quoted: boolean): Token[] {
  const root = block('root');
  for (const piece of pieces) {
    if (piece.kind === 'text') new BlockParser().chunk(root, piece.text);
    else root.children.push(readyBlock(pieceTokens(piece, quoted)));
  }
  return childTokens(root, quoted, codeHtml);
}

function pieceTokens(piece: Exclude<Piece, { kind: 'text' }>, quoted: boolean): Token[] {
  switch (piece.kind) {
    case 'code':
      return [rawToken(codeBlock(piece.text, piece.language))];
    case 'math':
      return [rawToken(mathBlock(piece.text))];
    case 'quote':
      return [opening('blockquote'), textToken('\n'), ...blockTokens(piece.pieces, true), closing('blockquote')];
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
    rawToken('<div class="spoiler-block"><div class="spoiler-header">'),
    textToken('\n'),
    ...header,
    rawToken('</div><div class="spoiler-content" aria-hidden="true">'),
    textToken('\n'),
    ...content,
    rawToken('</div></div>'),
  ];
}

export interface DialectOutput {
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
