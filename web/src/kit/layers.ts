import { type ComponentChild, render } from 'preact';
import { rememberFocusForRestore } from './focus.js';

/** The element that contains menus, toasts and tooltips: the newest open dialog, since all else is inert. */
export function findLayerHost(): Element {
  return [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
}

/** Element of the toasts and tooltips, which are a tree of their own. It is always in the host of layers. */
let overlayElement: Element | undefined;

export function setOverlayElement(element: Element): void {
  overlayElement = element;
  moveOverlayToLayerHost();
}

/** Moves toasts and tooltips when a dialog has opened or closed. A move hides popovers, so they are shown again. */
export function moveOverlayToLayerHost(): void {
  const host = findLayerHost();
  if (!overlayElement || overlayElement.parentElement === host) return;
  const open = [...overlayElement.querySelectorAll<HTMLElement>(':popover-open')];
  host.append(overlayElement);
  for (const panel of open) panel.showPopover();
}

/**
 * Renders content in a tree of its own, without the Preact context of the page, until it calls `close`. The focus then
 * returns to where it was.
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
  // Inside of `main`, so that screen readers find the content in a landmark.
  const landmark = dialog === document.body ? document.querySelector('main') : undefined;
  (landmark ?? dialog).append(host);
  render(content(close), host);
  return close;
}

interface DismissiblePanel {
  readonly inside: () => readonly (Element | null)[];
  readonly leave: () => void;
}

/** Panels that Escape and a press outside close, oldest first. */
const dismissiblePanels: DismissiblePanel[] = [];

/** A function that closes it for each open dialog, oldest first. */
const dialogClosers = new Set<() => void>();

/** Calls `close` when the address changes. @returns a function that ends it */
export function closeWithAddress(close: () => void): () => void {
  dialogClosers.add(close);
  return () => void dialogClosers.delete(close);
}

/** Closes menus and dialogs, the newest first, because the page shows another address. */
export function closeMenusAndDialogs(): void {
  for (const { leave } of [...dismissiblePanels].reverse()) leave();
  for (const close of [...dialogClosers].reverse()) close();
}

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
 * Calls `leave` at Escape, if the panel is the newest one, and at a press outside of the elements.
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
