import { effect } from '@preact/signals';
import type { Core } from '../core/index.js';
import { computeShownUnreadCount } from './count.js';

const ICON_SIDE_PX = 64;
const MAX_SHOWN_COUNT = 99;
/** Wait before the icon changes: a message on screen is unread for a moment, and drawing takes 2 ms. */
const COUNT_REST_MS = 500;

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

/** Shows the number of unread messages in the icon of the page and of the installed client. */
export function startUnreadCountIcon(core: Core): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  const plain = link.href;
  const picture = new Image();
  let count = 0;
  let shown = 0;
  let timer = 0;
  const draw = () => {
    link.href = shown === 0 ? plain : drawIconWithCount(picture, shown);
  };
  // After the first view, since the first canvas of a page takes long. Safari has no idle callbacks.
  const drawWhenIdle = () => void (globalThis.requestIdleCallback ?? setTimeout)(draw);
  const show = () => {
    timer = 0;
    if (count === shown) return;
    const isSameIcon = Math.min(count, shown) > MAX_SHOWN_COUNT;
    shown = count;
    if ('setAppBadge' in navigator) void navigator.setAppBadge(count).catch(() => {});
    if (isSameIcon) return;
    if (picture.complete && picture.naturalWidth > 0) drawWhenIdle();
    else {
      picture.onload = drawWhenIdle;
      if (picture.src === '') picture.src = plain;
    }
  };
  effect(() => {
    count = core.session.state.value === 'signed-in' ? computeShownUnreadCount(core.state) : 0;
    if (timer === 0 && count !== shown) timer = globalThis.setTimeout(show, COUNT_REST_MS);
  });
}
