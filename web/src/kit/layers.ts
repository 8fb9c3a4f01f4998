import { type ComponentChild, render } from 'preact';
import { rememberFocusForRestore } from './focus.js';

/** The element in which menus, toasts and tooltips stand: the newest open dialog, since all else is inert. */
export function findLayerHost(): Element {
  return [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
}

/** Element with a tree of its own that always stands in the host: toasts and tooltips. */
let overlayElement: Element | undefined;

export function setOverlayElement(element: Element): void {
  overlayElement = element;
  moveOverlayToLayerHost();
}

/** Moves toasts and tooltips when a dialog has opened or closed. Moving hides a popover. */
export function moveOverlayToLayerHost(): void {
  const host = findLayerHost();
  if (!overlayElement || overlayElement.parentElement === host) return;
  const open = [...overlayElement.querySelectorAll<HTMLElement>(':popover-open')];
  host.append(overlayElement);
  for (const panel of open) panel.showPopover();
}

/**
 * Shows something apart from the tree of components, until it calls `close`. The focus returns to where it was.
 * Context is not passed on.
 */
export function openLayer(content: (close: () => void) => ComponentChild): () => void {
  const host = document.createElement('div');
  const restore = rememberFocusForRestore();
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    const had = host.contains(document.activeElement) || document.activeElement === document.body;
    render(null, host);
    host.remove();
    if (had) restore();
  };
  const dialog = findLayerHost();
  // In a landmark, so that screen readers find what is open.
  const landmark = dialog === document.body ? document.querySelector('main') : undefined;
  (landmark ?? dialog).append(host);
  render(content(close), host);
  return close;
}

interface DismissiblePanel {
  readonly inside: () => readonly (Element | null)[];
  readonly leave: () => void;
}

/** Panels that close by Escape and by a press elsewhere; the newest one is the last. */
const dismissiblePanels: DismissiblePanel[] = [];

function dismissNewestPanelOnEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  dismissiblePanels.at(-1)?.leave();
}

function dismissPanelsOnOutsidePress(event: PointerEvent): void {
  for (const panel of [...dismissiblePanels].reverse()) {
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
export function watchForDismissal(inside: () => readonly (Element | null)[], leave: () => void): () => void {
  const entry = { inside, leave };
  if (dismissiblePanels.push(entry) === 1) {
    window.addEventListener('keydown', dismissNewestPanelOnEscape, true);
    window.addEventListener('pointerdown', dismissPanelsOnOutsidePress, true);
  }
  return () => {
    const at = dismissiblePanels.indexOf(entry);
    if (at >= 0) dismissiblePanels.splice(at, 1);
    if (dismissiblePanels.length > 0) return;
    window.removeEventListener('keydown', dismissNewestPanelOnEscape, true);
    window.removeEventListener('pointerdown', dismissPanelsOnOutsidePress, true);
  };
}
