/** Elements that Tab reaches. */
export const FOCUSABLE_SELECTOR =
  'a[href],button:not([disabled]),input:not([disabled]),textarea:not([disabled]),select:not([disabled]),' +
  'summary,[contenteditable="true"],[tabindex]:not([tabindex="-1"])';

const INPUT_TYPES_WITHOUT_TEXT = new Set([
  'button',
  'checkbox',
  'color',
  'file',
  'image',
  'radio',
  'range',
  'reset',
  'submit',
]);

/** Whether the element takes the keys that are typed in it. */
export function isTypingTarget(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !INPUT_TYPES_WITHOUT_TEXT.has(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Focuses the element marked `data-autofocus`, or the first one that can have it. @returns whether there was one */
export function focusFirstIn(root: Element): boolean {
  const target =
    root.querySelector<HTMLElement>('[data-autofocus]') ?? root.querySelector<HTMLElement>(FOCUSABLE_SELECTOR);
  target?.focus({ preventScroll: true });
  return target !== null;
}

/** Remembers the focused element. @returns a function that focuses it again, if it is still there */
export function rememberFocusForRestore(): () => void {
  const before = document.activeElement;
  return () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}

/**
 * Moves the focus among the elements of a list by arrow keys, Home and End; wraps around.
 *
 * @returns whether the key was one of them
 */
export function moveFocusByArrowKey(event: KeyboardEvent, elements: readonly HTMLElement[], across = false): boolean {
  const [back, on] = across ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  const at = elements.indexOf(document.activeElement as HTMLElement);
  const count = elements.length;
  let next: number;
  if (event.key === on) next = at + 1;
  else if (event.key === back) next = at < 0 ? count - 1 : at - 1;
  else if (event.key === 'Home') next = 0;
  else if (event.key === 'End') next = count - 1;
  else return false;
  event.preventDefault();
  elements[(next + count) % count]?.focus();
  return true;
}
