/** Spoilers: a header that is shown and content that is hidden until asked for. */
import { rawToken, type Token, textToken } from './tokens.js';

/** @param header,content tokens of the blocks of each, with their line breaks */
export function spoilerTokens(header: readonly Token[], content: readonly Token[]): Token[] {
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
