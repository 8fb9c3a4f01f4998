/** Fenced blocks (markdown.md § Fences). They are cut out of the text before its other blocks are parsed. */

/** Matches a line that can open a fenced block. Only spoilers use the header. */
export const FENCE_OPENING_PATTERN =
  /^(?<fence>~{3,}|`{3,}) *\{?\.?(?<language>[\w+./#,-]*) *(?:\}\s*|(?<header>[^ ~`}][^~`]*))?$/;

/** Maximum nesting of quotes and spoilers. Deeper ones are shown as code. */
const MAX_NESTED_FENCE_DEPTH = 20;

export type FencedTextPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'math'; readonly text: string }
  | { readonly kind: 'quote'; readonly pieces: readonly FencedTextPiece[] }
  | { readonly kind: 'spoiler'; readonly header: string; readonly pieces: readonly FencedTextPiece[] };

/**
 * Splits a text into fenced blocks and the text between them. @param defaultLanguage language of blocks that name none;
 * '' = none
 */
export function splitFencedBlocks(text: string, defaultLanguage: string): FencedTextPiece[] {
  if (!text.includes('```') && !text.includes('~~~')) return [{ kind: 'text', text: trimTrailingLineBreaks(text) }];
  return new FencedBlockReader(text.split('\n')).readPiecesThroughFence(null, defaultLanguage, 0);
}

/** Removes blank lines at the end of a fenced block's content, which don't belong to it. */
function trimTrailingLineBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

class FencedBlockReader {
  #nextLineIndex = 0;
  readonly #sourceLines: readonly string[];

  constructor(lines: readonly string[]) {
    this.#sourceLines = lines;
  }

  /** Reads the content of a fenced block up to its closing fence, or to the end of the text. */
  readPiecesThroughFence(close: string | null, defaultLanguage: string, depth: number): FencedTextPiece[] {
    const pieces: FencedTextPiece[] = [];
    let plain: string[] = [];
    const flush = (): void => {
      // A fence ends a block as a blank line does, so blank lines before it are dropped: they would become empty list
      // lines or rows.
      while (plain.at(-1) === '') plain.pop();
      if (plain.length > 0) pieces.push({ kind: 'text', text: plain.join('\n') });
      plain = [];
    };
    while (this.#nextLineIndex < this.#sourceLines.length) {
      const line = this.#sourceLines[this.#nextLineIndex++] ?? '';
      if (line.trimEnd() === close) break;
      const opened = FENCE_OPENING_PATTERN.exec(line);
      if (!opened) {
        plain.push(line);
        continue;
      }
      flush();
      const { fence = '', language = '', header = '' } = opened.groups ?? {};
      pieces.push(
        ...this.#readFencedPieceOrNone(
          fence,
          language.toLowerCase() || defaultLanguage,
          header,
          defaultLanguage,
          depth,
        ),
      );
    }
    flush();
    return pieces;
  }

  #readFencedPieceOrNone(
    fence: string,
    language: string,
    header: string,
    defaultLanguage: string,
    depth: number,
  ): FencedTextPiece[] {
    if (depth < MAX_NESTED_FENCE_DEPTH && (language === 'quote' || language === 'quoted')) {
      const pieces = this.readPiecesThroughFence(fence, defaultLanguage, depth + 1);
      return areAllPiecesBlankText(pieces) ? [] : [{ kind: 'quote', pieces }];
    }
    if (depth < MAX_NESTED_FENCE_DEPTH && language === 'spoiler') {
      const pieces = this.readPiecesThroughFence(fence, '', depth + 1);
      return areAllPiecesBlankText(pieces) ? [] : [{ kind: 'spoiler', header, pieces }];
    }
    const lines = this.#readLinesThroughFence(fence);
    if (lines.every((line) => line.trim() === '')) return [];
    if (language === 'math') return [{ kind: 'math', text: lines.join('\n') }];
    return [{ kind: 'code', text: lines.map((line) => line.trimEnd()).join('\n'), language }];
  }

  #readLinesThroughFence(fence: string): string[] {
    const lines: string[] = [];
    while (this.#nextLineIndex < this.#sourceLines.length) {
      const line = this.#sourceLines[this.#nextLineIndex++] ?? '';
      if (line.trimEnd() === fence) break;
      lines.push(line);
    }
    return lines;
  }
}

function areAllPiecesBlankText(pieces: readonly FencedTextPiece[]): boolean {
  return pieces.every((piece) => piece.kind === 'text' && piece.text.trim() === '');
}
