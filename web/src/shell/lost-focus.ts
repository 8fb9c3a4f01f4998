/**
 * Moves the focus to a near element when the focused one is removed, moved or disabled. The browser would give it to
 * the body, where letters are shortcuts and Tab begins at the top of the page.
 */
import { FOCUSABLE_SELECTOR, findLayerHost } from '../kit/index.js';

/** Areas of the page: the search for a near element does not leave the area of the lost one. */
const AREA_SELECTOR = 'main,.view,dialog,body';

/** Elements that Tab or a key reaches: j and k go through the messages of a list. */
const REACHABLE_SELECTOR = `${FOCUSABLE_SELECTOR},article`;

/** Element that had the focus last; undefined after an intended loss. */
let lastFocused: HTMLElement | undefined;

function isOnScreenOf(list: Element, element: Element): boolean {
  const frame = list.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return box.bottom > frame.top && box.top < frame.bottom;
}

/**
 * Focuses the element, or the first one inside it that Tab or a key reaches. In a list of messages, that is one on
 * screen, and the list is not scrolled: the text that is read stays in its place. @returns whether there is one
 */
function focusFirstReachable(root: Element): boolean {
  return [root, ...root.querySelectorAll(REACHABLE_SELECTOR)].some((element) => {
    if (!(element instanceof HTMLElement) || (element.tabIndex < 0 && element.dataset.row === undefined)) return false;
    const messages = element.closest('[data-messages]');
    if (messages && !isOnScreenOf(messages, element)) return false;
    element.focus({ preventScroll: messages !== null });
    return document.activeElement === element;
  });
}

/**
 * Focuses the element now at the place of the lost one, a sibling after it or one before it; if none takes the focus,
 * the same around the parent. In an area without such elements, the heading or the view gets the focus.
 *
 * @param before sibling before the lost element; null: the element was the first child
 */
function focusNearest(parent: Element | null, before: Element | null): void {
  for (let scope = parent; scope && !scope.matches(AREA_SELECTOR); scope = scope.parentElement) {
    const siblings = [...scope.children];
    // The whole frame was made again, as for another language: its first element is no near one.
    if (siblings.some((sibling) => sibling.querySelector('main'))) break;
    const at = before ? siblings.indexOf(before) + 1 : 0;
    if ([...siblings.slice(at), ...siblings.slice(0, at).reverse()].some(focusFirstReachable)) return;
    before = scope;
  }
  const host = findLayerHost();
  host.querySelector<HTMLElement>(host === document.body ? 'main' : 'h2')?.focus();
}

/** Finds the removal that took the element, or an element around it, out of the page. */
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
  // The replacement of the element may have been inserted before it.
  const isNew = (node: Node): boolean => records.some(({ addedNodes }) => [...addedNodes].includes(node));
  let before = isStillThere(previousSibling) ? previousSibling : null;
  if (!before && isStillThere(nextSibling)) before = nextSibling!.previousSibling;
  while (before && (!(before instanceof Element) || isNew(before))) before = before.previousSibling;
  focusNearest(target as Element, before);
}

function recoverLostFocus(records: readonly MutationRecord[]): void {
  const lost = lastFocused;
  const { activeElement } = document;
  if (!lost || (activeElement !== lost && activeElement !== document.body)) return;
  if (lost.matches(':disabled')) {
    focusNearest(lost.parentElement, lost);
    return;
  }
  if (activeElement === lost) return;
  const removal = findRemoval(records, lost);
  if (removal && lost.isConnected) lost.focus({ preventScroll: true });
  else if (removal) focusNearestToRemoval(removal, records);
  else lastFocused = undefined;
}

export function startLostFocusRecovery(): void {
  const observer = new MutationObserver(recoverLostFocus);
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', ({ target }) => {
    lastFocused = target instanceof HTMLElement ? target : undefined;
  });
  // Some browsers also fire `focusout` at a removal; only the mutation records tell that from an intended loss.
  document.addEventListener('focusout', () => queueMicrotask(() => recoverLostFocus(observer.takeRecords())));
  lastFocused = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
}
