/** The emoji font of the server, for systems without a font of emoji and for those whose font is old. */

/** An emoji of every emoji font, and one of the newest version of Unicode that the server's font has, 15. */
const PROBED_EMOJI = ['\u{1f642}', '\u{1fae8}'];
const PROBE_SIDE_PX = 20;

/** Whether a font of the system draws the emoji in colours. A box in its place has the colour of the text. */
function isDrawnInColours(pen: CanvasRenderingContext2D, emoji: string): boolean {
  pen.clearRect(0, 0, PROBE_SIDE_PX, PROBE_SIDE_PX);
  pen.fillText(emoji, 0, PROBE_SIDE_PX - 4);
  const { data } = pen.getImageData(0, 0, PROBE_SIDE_PX, PROBE_SIDE_PX);
  return data.some((value, at) => at % 4 < 2 && value !== data[at + 1]);
}

function hasSystemEmoji(): boolean {
  const canvas = document.createElement('canvas');
  canvas.width = PROBE_SIDE_PX;
  canvas.height = PROBE_SIDE_PX;
  // Pixels that are read stay in memory instead of a texture.
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (!pen) return false;
  pen.font = '16px sans-serif';
  return PROBED_EMOJI.every((emoji) => isDrawnInColours(pen, emoji));
}

/**
 * Lets the browser choose fonts again for every text of the page. Chromium keeps the boxes in texts that were drawn
 * before a file of the font was there, until a property of their font changes; no font has the features named here.
 */
let redrawCount = 0;
function redrawTexts(): void {
  redrawCount += 1;
  document.documentElement.style.fontFeatureSettings = `"em${String(redrawCount).padStart(2, '0').slice(-2)}" 0`;
}

/**
 * Turns the style sheet of the font on unless the system has all emoji. The browser then loads a file of the font when
 * a text has a character of it that no other font has.
 */
export function loadEmojiFontIfNeeded(): void {
  const link = document.querySelector<HTMLLinkElement>('link[data-later="emoji-font"]');
  if (!link || hasSystemEmoji()) return;
  link.addEventListener('load', redrawTexts);
  document.fonts.addEventListener('loadingdone', ({ fontfaces }) => {
    if (fontfaces.some(({ family }) => family.includes('Emoji'))) redrawTexts();
  });
  link.disabled = false;
}
