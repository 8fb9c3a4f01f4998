import { effect } from '@preact/signals';
import type { Core } from '../core/index.js';
import { shownCount } from './count.js';

const SIDE = 64;
const MAX_SHOWN = 99;

/** Draws the icon of the page with a number in a corner. */
function draw(picture: HTMLImageElement, count: number): string {
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = SIDE;
  const pen = canvas.getContext('2d');
  if (!pen) return picture.src;
  pen.drawImage(picture, 0, 0, SIDE, SIDE);
  const text = count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count);
  pen.font = `bold ${text.length > 2 ? 26 : 34}px sans-serif`;
  const width = Math.max(pen.measureText(text).width + 14, 40);
  pen.fillStyle = '#c0242c';
  pen.beginPath();
  pen.roundRect(SIDE - width, SIDE - 40, width, 40, 20);
  pen.fill();
  pen.fillStyle = '#ffffff';
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(text, SIDE - width / 2, SIDE - 19);
  return canvas.toDataURL('image/png');
}

/** Keeps the number of unread messages in the icon of the page, and on that of the installed client. */
export function startIcon(core: Core): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  const plain = link.href;
  const picture = new Image();
  let before = 0;
  effect(() => {
    const count = core.session.state.value === 'signed-in' ? shownCount(core.state) : 0;
    const clamped = Math.min(count, MAX_SHOWN + 1);
    if (clamped === before) return;
    before = clamped;
    const show = () => {
      link.href = before === 0 ? plain : draw(picture, before);
    };
    if (picture.complete && picture.naturalWidth > 0) show();
    else {
      picture.onload = show;
      if (picture.src === '') picture.src = plain;
    }
    if ('setAppBadge' in navigator) void navigator.setAppBadge(count).catch(() => {});
  });
}
