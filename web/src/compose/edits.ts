/** A text with a selection, as of a text area. */
export interface Selected {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A replacement of a part of the text, and the selection after it. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly start: number;
  readonly end: number;
}

/** Puts a mark on both sides of the selection, or takes it away. */
export function wrap({ text, start, end }: Selected, mark: string): Edit {
  const inner = text.slice(start, end);
  const size = mark.length;
  const isMarkedInside = inner.length >= 2 * size && inner.startsWith(mark) && inner.endsWith(mark);
  if (isMarkedInside) {
    const bare = inner.slice(size, -size);
    return { from: start, to: end, insert: bare, start, end: start + bare.length };
  }
  const around = text.slice(start - size, start) === mark && text.slice(end, end + size) === mark;
  // One star of two is part of bold, not italic.
  const isOther = mark === '*' && text.slice(start - 2, start) === '**' && text.slice(start - 3, start) !== '***';
  if (around && !isOther) {
    return { from: start - size, to: end + size, insert: inner, start: start - size, end: end - size };
  }
  return { from: start, to: end, insert: `${mark}${inner}${mark}`, start: start + size, end: end + size };
}

/** Makes the selection the text of a link, and selects the place of the address; a selected address stays one. */
export function link({ text, start, end }: Selected, placeholder: string): Edit {
  const inner = text.slice(start, end);
  if (/^https?:\/\/\S+$/.test(inner)) {
    const insert = `[${placeholder}](${inner})`;
    return { from: start, to: end, insert, start: start + 1, end: start + 1 + placeholder.length };
  }
  const insert = `[${inner || placeholder}](url)`;
  const at = inner ? start + inner.length + 3 : start + 1;
  return { from: start, to: end, insert, start: at, end: at + (inner ? 3 : placeholder.length) };
}

/** Puts the selected lines into a fenced block. */
export function fence({ text, start, end }: Selected, kind: string): Edit {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const to = lineEnd < 0 ? text.length : lineEnd;
  const inner = text.slice(from, to);
  const marks = fenceFor(inner);
  const insert = `${marks}${kind}\n${inner}\n${marks}\n`;
  const at = from + marks.length + kind.length + 1;
  return { from, to, insert, start: at + inner.length, end: at + inner.length };
}

/** Puts a mark before each selected line: lists and quotes. */
export function prefixLines({ text, start, end }: Selected, prefixOf: (line: number) => string): Edit {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const to = lineEnd < 0 ? text.length : lineEnd;
  const insert = text
    .slice(from, to)
    .split('\n')
    .map((line, index) => `${prefixOf(index)}${line}`)
    .join('\n');
  return { from, to, insert, start: from + insert.length, end: from + insert.length };
}

const ITEM = /^(\s*)(?:([-*+])|(\d+)([.)])) (.*)$/;

/** A new line in a list begins with the next bullet; an empty item ends the list. */
export function newLine({ text, start, end }: Selected): Edit | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const item = start === end ? ITEM.exec(text.slice(from, start)) : null;
  if (!item) return undefined;
  const [, indent = '', bullet, number, dot, rest] = item;
  if (rest === '') return { from, to: start, insert: '', start: from, end: from };
  const insert = `\n${indent}${bullet ?? `${Number(number) + 1}${dot}`} `;
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length };
}

/** A fence that no line of the text ends. */
export function fenceFor(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/^ {0,3}(`{3,})/gm)].map(([, marks]) => marks!.length));
  return '`'.repeat(Math.max(3, longest + 1));
}
