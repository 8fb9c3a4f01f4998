import { type ComponentChild, render } from 'preact';
import { focusLater } from './focus.js';

/** The element in which menus, toasts and tooltips stand: the newest open dialog, since all else is inert. */
export function hostOfLayers(): Element {
  return [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
}

/** Element with a tree of its own that always stands in the host: toasts and tooltips. */
let guest: Element | undefined;

export function setGuest(element: Element): void {
  guest = element;
  moveGuest();
}

/** Moves toasts and tooltips when a dialog has opened or closed. Moving hides a popover. */
export function moveGuest(): void {
  const host = hostOfLayers();
  if (!guest || guest.parentElement === host) return;
  const open = [...guest.querySelectorAll<HTMLElement>(':popover-open')];
  host.append(guest);
  for (const panel of open) panel.showPopover();
}

/**
 * Shows something apart from the tree of components, until it calls `close`. The focus returns to where it was.
 * Context is not passed on.
 */
export function openLayer(content: (close: () => void) => ComponentChild): () => void {
  const host = document.createElement('div');
  const restore = focusLater();
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    const had = host.contains(document.activeElement) || document.activeElement === document.body;
    render(null, host);
    host.remove();
    if (had) restore();
  };
  const dialog = hostOfLayers();
  // In a landmark, so that screen readers find what is open.
  const landmark = dialog === document.body ? document.querySelector('main') : undefined;
  (landmark ?? dialog).append(host);
  render(content(close), host);
  return close;
}

interface Watched {
  readonly inside: () => readonly (Element | null)[];
  readonly leave: () => void;
}

/** Panels that close by Escape and by a press elsewhere; the newest one is the last. */
const watched: Watched[] = [];

function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  watched.at(-1)?.leave();
}

function onPress(event: PointerEvent): void {
  for (const panel of [...watched].reverse()) {
    const target = event.target as Node;
    if (panel.inside().some((element) => element?.contains(target))) return;
    panel.leave();
  }
}

/**
 * Calls `leave` at Escape and at a press outside of the elements; only the newest panel hears it.
 *
 * @returns a function that ends it
 */
export function onLeave(inside: () => readonly (Element | null)[], leave: () => void): () => void {
  const entry = { inside, leave };
  if (watched.push(entry) === 1) {
    window.addEventListener('keydown', onKey, true);
    window.addEventListener('pointerdown', onPress, true);
  }
  return () => {
    const at = watched.indexOf(entry);
    if (at >= 0) watched.splice(at, 1);
    if (watched.length > 0) return;
    window.removeEventListener('keydown', onKey, true);
    window.removeEventListener('pointerdown', onPress, true);
  };
}
