import { effect } from '@preact/signals';
import type { Core } from '../core/index.js';

const EDGE = 64;
const MAX_SHOWN = 99;
const RED = '#c8232c';

/** Draws a number over the icon of the page. */
function draw(icon: CanvasImageSource, n: number): string {
  const canvas = document.createElement('canvas');
  canvas.width = EDGE;
  canvas.height = EDGE;
  const paper = canvas.getContext('2d');
  if (!paper) return '';
  paper.drawImage(icon, 0, 0, EDGE, EDGE);
  const text = n > MAX_SHOWN ? `${MAX_SHOWN}+` : String(n);
  const width = 20 + 15 * text.length;
  paper.fillStyle = RED;
  paper.beginPath();
  paper.roundRect(EDGE - width, EDGE - 36, width, 36, 18);
  paper.fill();
  paper.fillStyle = 'white';
  paper.font = 'bold 28px system-ui, sans-serif';
  paper.textAlign = 'center';
  paper.textBaseline = 'middle';
  paper.fillText(text, EDGE - width / 2, EDGE - 17);
  return canvas.toDataURL();
}

/** Shows the number of unread messages in the icon of the page, and on that of the installed client. */
export function startBadge(core: Core): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  const plain = link.href;
  const icon = new Image();
  const show = () => {
    const n = core.session.state.peek() === 'signed-in' ? core.state.unread.total.peek() : 0;
    link.href = (n > 0 && icon.naturalWidth > 0 && draw(icon, n)) || plain;
    if ('setAppBadge' in navigator) void navigator.setAppBadge(n).catch(() => {});
  };
  icon.addEventListener('load', show);
  icon.src = plain;
  effect(() => {
    core.session.state.value;
    core.state.unread.total.value;
    show();
  });
}
