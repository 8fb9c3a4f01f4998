import { effect } from '@preact/signals';
import type { Core } from '../core/index.js';
import { computeShownUnreadCount } from './count.js';

const ICON_SIDE_PX = 64;
const MAX_SHOWN_COUNT = 99;

/** Draws the icon of the page with a number in a corner. */
function drawIconWithCount(picture: HTMLImageElement, count: number): string {
  const canvas = document.createElement('canvas');
  canvas.width = ICON_SIDE_PX;
  canvas.height = ICON_SIDE_PX;
  const pen = canvas.getContext('2d');
  if (!pen) return picture.src;
  pen.drawImage(picture, 0, 0, ICON_SIDE_PX, ICON_SIDE_PX);
  const text = count > MAX_SHOWN_COUNT ? `${MAX_SHOWN_COUNT}+` : String(count);
  pen.font = `bold ${text.length > 2 ? 26 : 34}px sans-serif`;
  const width = Math.max(pen.measureText(text).width + 14, 40);
  pen.fillStyle = '#c0242c';
  pen.beginPath();
  pen.roundRect(ICON_SIDE_PX - width, ICON_SIDE_PX - 40, width, 40, 20);
  pen.fill();
  pen.fillStyle = '#ffffff';
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(text, ICON_SIDE_PX - width / 2, ICON_SIDE_PX - 19);
  return canvas.toDataURL('image/png');
}

/** Keeps the number of unread messages in the icon of the page, and on that of the installed client. */
export function startUnreadCountIcon(core: Core): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  const plain = link.href;
  const picture = new Image();
  let before = 0;
  effect(() => {
    const count = core.session.state.value === 'signed-in' ? computeShownUnreadCount(core.state) : 0;
    const clamped = Math.min(count, MAX_SHOWN_COUNT + 1);
    if (clamped === before) return;
    before = clamped;
    const draw = () => {
      link.href = before === 0 ? plain : drawIconWithCount(picture, before);
    };
    // Behind the first view: the first canvas of a page takes a while. Safari has no idle callbacks.
    const show = () => void (globalThis.requestIdleCallback ?? setTimeout)(draw);
    if (picture.complete && picture.naturalWidth > 0) show();
    else {
      picture.onload = show;
      if (picture.src === '') picture.src = plain;
    }
    if ('setAppBadge' in navigator) void navigator.setAppBadge(count).catch(() => {});
  });
}
