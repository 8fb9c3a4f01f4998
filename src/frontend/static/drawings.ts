/** Logo and mark of the product, as SVG. */

/** SVG of two speech bubbles that face each other. */
const SPEECH_BUBBLES_SVG =
  '<path fill="#3454d1" d="M8 10h30a6 6 0 0 1 6 6v14a6 6 0 0 1-6 6H22l-8 8v-8H8a6 6 0 0 1-6-6V16a6 6 0 0 1 6-6z"/>' +
  '<path fill="#f5a623" d="M50 24h6a6 6 0 0 1 6 6v14a6 6 0 0 1-6 6h-4v8l-8-8H32a6 6 0 0 1-6-6v-3h13a10 10 0 0 0 10-10z"/>';

export const LOGO_MARK_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">${SPEECH_BUBBLES_SVG}</svg>`;

/** The mark with the name beside it, in colours that are visible on light and on dark backgrounds. */
export const LOGO_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 64" width="300" height="64" role="img" aria-label="Conclave">' +
  `${SPEECH_BUBBLES_SVG}<text x="78" y="46" fill="#7a869a" font-family="Helvetica, Arial, sans-serif" font-size="40" ` +
  'font-weight="bold">Conclave</text></svg>';
