/**
 * Gives the focus a new place when its element is removed, moved or disabled. The browser would leave it to the body,
 * where letters are shortcuts and Tab begins at the top of the page.
 */
import { FOCUSABLE_SELECTOR, findLayerHost } from '../kit/index.js';

/** Elements whose content has nothing to do with what is beside them. */
const AREA_SELECTOR = 'main,.view,dialog,body';

/** Element that had the focus last, unless it gave the focus up itself. */
let lastFocused: HTMLElement | undefined;

/** @returns whether the element, or the first one inside that Tab or the arrow keys reach, has taken the focus */
function focusFirstReachable(root: Element): boolean {
  return [root, ...root.querySelectorAll(FOCUSABLE_SELECTOR)].some((element) => {
    if (!(element instanceof HTMLElement) || (element.tabIndex < 0 && element.dataset.row !== '')) return false;
    element.focus();
    return document.activeElement === element;
  });
}

/**
 * Focuses what stands in the place of the lost element, else what follows there, else what precedes; else the same
 * around the parent. Where an area has nothing, its heading or the view has the focus.
 *
 * @param before sibling before the place; null: the place is the first one
 */
function focusNearest(parent: Element | null, before: Element | null): void {
  for (let scope = parent; scope && !scope.matches(AREA_SELECTOR); scope = scope.parentElement) {
    const siblings = [...scope.children];
    const at = before ? siblings.indexOf(before) + 1 : 0;
    if ([...siblings.slice(at), ...siblings.slice(0, at).reverse()].some(focusFirstReachable)) return;
    before = scope;
  }
  const host = findLayerHost();
  host.querySelector<HTMLElement>(host === document.body ? 'main' : 'h2')?.focus();
}

/** The removal that took the element out of the page. */
function findRemoval(records: readonly MutationRecord[], element: Node): MutationRecord | undefined {
  let removed = element;
  for (const _ of records) {
    const removal = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(removed)));
    if (!removal || removal.target.isConnected) return removal;
    removed = removal.target;
  }
  return undefined;
}

function focusNearestToRemoval(
  { target, previousSibling, nextSibling }: MutationRecord,
  records: readonly MutationRecord[],
): void {
  const isStillThere = (node: Node | null): boolean => node?.parentNode === target;
  // A replacement may have been put before the element.
  const isNew = (node: Node): boolean => records.some(({ addedNodes }) => [...addedNodes].includes(node));
  let before = isStillThere(previousSibling) ? previousSibling : null;
  if (!before && isStillThere(nextSibling)) before = nextSibling!.previousSibling;
  while (before && (!(before instanceof Element) || isNew(before))) before = before.previousSibling;
  focusNearest(target as Element, before);
}

function placeLostFocus(records: readonly MutationRecord[]): void {
  const lost = lastFocused;
  const { activeElement } = document;
  if (!lost || (activeElement !== lost && activeElement !== document.body)) return;
  if (lost.matches(':disabled')) {
    focusNearest(lost.parentElement, lost);
    return;
  }
  if (activeElement === lost) return;
  const removal = findRemoval(records, lost);
  if (removal && lost.isConnected) lost.focus();
  else if (removal) focusNearestToRemoval(removal, records);
  else lastFocused = undefined;
}

/** Follows the focus of the page. */
export function startPlacingLostFocus(): void {
  const observer = new MutationObserver(placeLostFocus);
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', ({ target }) => {
    lastFocused = target instanceof HTMLElement ? target : undefined;
  });
  // Some browsers report the loss at a removal; only the records tell it from one that is wanted.
  document.addEventListener('focusout', () => queueMicrotask(() => placeLostFocus(observer.takeRecords())));
  lastFocused = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
}
