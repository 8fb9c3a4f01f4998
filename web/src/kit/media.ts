import { type ReadonlySignal, signal } from '@preact/signals';

const signalByMediaQuery = new Map<string, ReadonlySignal<boolean>>();

/** @returns a signal of whether a media query matches, the same one for the same query */
export function getMediaQuerySignal(query: string): ReadonlySignal<boolean> {
  const before = signalByMediaQuery.get(query);
  if (before) return before;
  const list = window.matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  signalByMediaQuery.set(query, matches);
  return matches;
}

/** Layout with drawers instead of columns: phones, and a window of 1280 pixels at 200 %, which is 640 wide. */
export const isPhoneLayout = (): boolean => getMediaQuerySignal('(max-width: 720px)').value;

/** Layout without room for the column of people. */
export const isNarrowLayout = (): boolean => getMediaQuerySignal('(max-width: 1099px)').value;

/** Height of a row of lists in pixels; the same as --row. */
export const getRowHeightPx = (): number => (getMediaQuerySignal('(pointer: coarse)').value ? 44 : 32);
