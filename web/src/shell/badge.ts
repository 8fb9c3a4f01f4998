import { effect } from '@preact/signals';
import type { Core } from '../core/index.js';

const ICON_EDGE_PX = 64;
const MAX_BADGE_COUNT = 99;
const BADGE_COLOR = '#c8232c';

/** Draws a number over the icon of the page. */
function drawCountOverIcon(icon: CanvasImageSource, n: number): string {
  const canvas = document.createElement('canvas');
  canvas.width = ICON_EDGE_PX;
  canvas.height = ICON_EDGE_PX;
  const paper = canvas.getContext('2d');
  if (!paper) return '';
  paper.drawImage(icon, 0, 0, ICON_EDGE_PX, ICON_EDGE_PX);
  const text = n > MAX_BADGE_COUNT ? `${MAX_BADGE_COUNT}+` : String(n);
  const width = 20 + 15 * text.length;
  paper.fillStyle = BADGE_COLOR;
  paper.beginPath();
  paper.roundRect(ICON_EDGE_PX - width, ICON_EDGE_PX - 36, width, 36, 18);
  paper.fill();
  paper.fillStyle = 'white';
  paper.font = 'bold 28px system-ui, sans-serif';
  paper.textAlign = 'center';
  paper.textBaseline = 'middle';
  paper.fillText(text, ICON_EDGE_PX - width / 2, ICON_EDGE_PX - 17);
  return canvas.toDataURL();
}

/** Shows the number of unread messages in the icon of the page, and on that of the installed client. */
export function startUnreadBadgeOnIcon(core: Core): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  const plain = link.href;
  const icon = new Image();
  const show = () => {
    const n = core.session.state.peek() === 'signed-in' ? core.state.unread.totalUnmutedCount.peek() : 0;
    link.href = (n > 0 && icon.naturalWidth > 0 && drawCountOverIcon(icon, n)) || plain;
    if ('setAppBadge' in navigator) void navigator.setAppBadge(n).catch(() => {});
  };
  icon.addEventListener('load', show);
  icon.src = plain;
  effect(() => {
    core.session.state.value;
    core.state.unread.totalUnmutedCount.value;
    show();
  });
}
