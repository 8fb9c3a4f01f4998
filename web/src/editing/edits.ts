/** Text and selection, such as those of a text area. */
export interface TextSelection {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A replacement of a part of the text, and the selection after it. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insertedText: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
}

/** Adds a mark on both sides of the selection, or removes it. */
export function makeMarkupToggleEdit({ text, start, end }: TextSelection, mark: string): TextEdit {
  const inner = text.slice(start, end);
  const size = mark.length;
  const isMarkedInside = inner.length >= 2 * size && inner.startsWith(mark) && inner.endsWith(mark);
  if (isMarkedInside) {
    const bare = inner.slice(size, -size);
    return { from: start, to: end, insertedText: bare, selectionStart: start, selectionEnd: start + bare.length };
  }
  const around = text.slice(start - size, start) === mark && text.slice(end, end + size) === mark;
  // One star of two is part of bold, not italic.
  const isOther = mark === '*' && text.slice(start - 2, start) === '**' && text.slice(start - 3, start) !== '***';
  if (around && !isOther) {
    return {
      from: start - size,
      to: end + size,
      insertedText: inner,
      selectionStart: start - size,
      selectionEnd: end - size,
    };
  }
  return {
    from: start,
    to: end,
    insertedText: `${mark}${inner}${mark}`,
    selectionStart: start + size,
    selectionEnd: end + size,
  };
}

/**
 * Makes the selection the text of a link and selects the placeholder of its address. A selected address becomes the
 * address.
 */
export function makeLinkEdit({ text, start, end }: TextSelection, placeholder: string): TextEdit {
  const inner = text.slice(start, end);
  if (/^https?:\/\/\S+$/.test(inner)) {
    const insert = `[${placeholder}](${inner})`;
    return {
      from: start,
      to: end,
      insertedText: insert,
      selectionStart: start + 1,
      selectionEnd: start + 1 + placeholder.length,
    };
  }
  const insert = `[${inner || placeholder}](url)`;
  const at = inner ? start + inner.length + 3 : start + 1;
  return {
    from: start,
    to: end,
    insertedText: insert,
    selectionStart: at,
    selectionEnd: at + (inner ? 3 : placeholder.length),
  };
}

/** Puts the selected lines into a fenced block. */
export function makeFenceLinesEdit({ text, start, end }: TextSelection, kind: string): TextEdit {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const to = lineEnd < 0 ? text.length : lineEnd;
  const inner = text.slice(from, to);
  const marks = chooseFence(inner);
  const insert = `${marks}${kind}\n${inner}\n${marks}\n`;
  const at = from + marks.length + kind.length + 1;
  return { from, to, insertedText: insert, selectionStart: at + inner.length, selectionEnd: at + inner.length };
}

/** Puts a mark before each selected line: lists and quotes. */
export function makePrefixLinesEdit({ text, start, end }: TextSelection, prefixOf: (line: number) => string): TextEdit {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const to = lineEnd < 0 ? text.length : lineEnd;
  const insert = text
    .slice(from, to)
    .split('\n')
    .map((line, index) => `${prefixOf(index)}${line}`)
    .join('\n');
  return { from, to, insertedText: insert, selectionStart: from + insert.length, selectionEnd: from + insert.length };
}

const LIST_ITEM_PATTERN = /^(\s*)(?:([-*+])|(\d+)([.)])) (.*)$/;

/** A new line in a list begins with the next bullet; an empty item ends the list. */
export function makeListContinuationEdit({ text, start, end }: TextSelection): TextEdit | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const item = start === end ? LIST_ITEM_PATTERN.exec(text.slice(from, start)) : null;
  if (!item) return undefined;
  const [, indent = '', bullet, number, dot, rest] = item;
  if (rest === '') return { from, to: start, insertedText: '', selectionStart: from, selectionEnd: from };
  const insert = `\n${indent}${bullet ?? `${Number(number) + 1}${dot}`} `;
  return {
    from: start,
    to: end,
    insertedText: insert,
    selectionStart: start + insert.length,
    selectionEnd: start + insert.length,
  };
}

/** A fence longer than each one in the text. */
export function chooseFence(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/^ {0,3}(`{3,})/gm)].map(([, marks]) => marks!.length));
  return '`'.repeat(Math.max(3, longest + 1));
}

export const makeBoldToggleEdit = (of: TextSelection): TextEdit => makeMarkupToggleEdit(of, '**');
export const makeItalicToggleEdit = (of: TextSelection): TextEdit => makeMarkupToggleEdit(of, '*');

/** Link to a file. Brackets in its name are escaped. */
export const formatFileLink = (name: string, uri: string): string => `[${name.replace(/[[\]]/g, '\\$&')}](${uri})`;

/** @param line a link or another text that is to be a line of its own @param before the text before the caret */
export const makeOwnLine = (line: string, before: string): string => `${/\S$/.test(before) ? '\n' : ''}${line}\n`;
