/** HTML helpers for the report: escaping, rows and tables. */

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const htmlRow = (cells: readonly string[], tag: 'th' | 'td', isSum = false): string =>
  `<tr${isSum ? ' class="sum"' : ''}>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;

/** @param isSum whether a row, given by its index, is a sum */
export const htmlTable = (
  rows: readonly (readonly string[])[],
  head?: readonly string[],
  isSum: (row: number) => boolean = () => false,
): string =>
  `<table>${head ? htmlRow(head, 'th') : ''}${rows.map((cells, i) => htmlRow(cells, 'td', isSum(i))).join('')}</table>`;
