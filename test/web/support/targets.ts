import type { ClientPage } from './chromium.js';

/** Side of a target of a finger. */
const TARGET_PX = 44;
/** Parts of a pixel are lost by rounding. */
const TOLERANCE_PX = 0.5;

const CONTROLS = [
  ...['a[href]', 'button', 'input:not([type=hidden])', 'select', 'textarea', 'summary', '[role=button]'],
  ...['[role=option]', '[role=menuitem]', '[role=switch]', '[role=tab]'],
].join();

/** The same is done by a larger target beside it. */
const EQUIVALENTS = [
  // The picture of the sender opens the same menu.
  '.message-sender',
  // An item of the message's menu opens the same history.
  '.message-edited',
].join();

/**
 * Targets of the page that are smaller than 44 by 44 pixels where they are seen and pressed, as "tag.class "name" w×h".
 * Left out: links within a running text, targets with a larger equivalent, and the page behind an open dialog or menu.
 */
export async function findSmallTargets({ page }: ClientPage): Promise<string[]> {
  await page.waitForNetworkIdle({ idleTime: 50, concurrency: 1 });
  const found = await page.evaluate(`(() => {
    const side = ${TARGET_PX - TOLERANCE_PX};
    const top = [...document.querySelectorAll('dialog[open]')].at(-1);
    const popovers = [...document.querySelectorAll('.popover:popover-open')];
    const isShown = (e) => {
      const front = popovers.length > 0 ? popovers : top ? [top] : [document];
      if (!front.some((one) => one.contains(e))) return false;
      const { pointerEvents } = getComputedStyle(e);
      return e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && pointerEvents !== 'none'
        && !e.matches(':disabled') && !e.closest('.hidden, .skip');
    };
    const isInText = (e) => getComputedStyle(e).display === 'inline'
      && (e.closest('.content') !== null || e.parentElement.textContent.trim() !== e.textContent.trim());
    const reaches = (e, x, y) => {
      const at = document.elementFromPoint(x, y);
      return at !== null && (e === at || e.contains(at) || at.closest('label')?.control === e);
    };
    return [...document.querySelectorAll(${JSON.stringify(CONTROLS)})].flatMap((e) => {
      if (!isShown(e) || isInText(e) || e.matches(${JSON.stringify(EQUIVALENTS)})) return [];
      const { width, height } = e.getBoundingClientRect();
      if (width >= side && height >= side) return [];
      if (!e.matches('.message-tools *')) e.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      const { x, y } = e.getBoundingClientRect();
      const { x: left, y: upper, width: w, height: h } = (e.labels?.[0] ?? e).getBoundingClientRect();
      // The target may be larger than its element: it is felt for along the row and the column of its middle.
      const [cx, cy] = [x + width / 2, y + height / 2];
      const extent = (dx, dy) => {
        let px = 0;
        while (px < 60 && reaches(e, cx + dx * (px + 0.5), cy + dy * (px + 0.5))) px += 0.5;
        return px;
      };
      const [felt, deep] = [extent(-1, 0) + extent(1, 0), extent(0, -1) + extent(0, 1)];
      const isLabelLarge = w >= side && h >= side && e.labels?.length > 0;
      if (isLabelLarge || (Math.max(width, felt) >= side && Math.max(height, deep) >= side)) return [];
      const name = (e.ariaLabel ?? e.textContent).trim().slice(0, 40);
      const size = Math.round(Math.max(width, felt)) + '×' + Math.round(Math.max(height, deep));
      return [[e.localName + [...e.classList].map((one) => '.' + one).join(''), name && '"' + name + '"', size]
        .filter(Boolean).join(' ')];
    });
  })()`);
  return found as string[];
}
