import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { focusFirstIn, useShortcut } from '../kit/index.js';

const findRowFocusTargets = (row: Element): HTMLElement[] => [
  ...row.querySelectorAll<HTMLElement>('[data-row],button'),
];

/**
 * Keys of a view that is a list. j and k do what the arrow keys do, wherever the focus is; the left and right arrow
 * keys move among the link and the buttons of a row.
 *
 * @returns the ref and the key handler for the element around the list
 */
export function useRowKeyNavigation(): {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
} {
  const ref = useRef<HTMLDivElement>(null);
  const walking = useRef(false);
  const walk = (key: string) => (): boolean => {
    const root = ref.current;
    if (!root || walking.current) return false;
    const focused = document.activeElement;
    if (!focused?.closest('[data-virtual-list]') || !root.contains(focused)) {
      return focusFirstIn(root.querySelector('[data-virtual-list]') ?? root);
    }
    walking.current = true;
    focused.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    walking.current = false;
    return true;
  };
  useShortcut('message-down', walk('ArrowDown'));
  useShortcut('message-up', walk('ArrowUp'));
  useShortcut('first', walk('Home'));
  useShortcut('last', walk('End'));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    if (step === 0 || !row || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const targets = findRowFocusTargets(row);
    const next = targets[targets.indexOf(event.target as HTMLElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return { ref, onKeyDown };
}
