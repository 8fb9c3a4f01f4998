import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useCallback, useLayoutEffect, useReducer, useRef } from 'preact/hooks';

type UseVirtualizerOptions = Pick<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  'count' | 'getScrollElement' | 'estimateSize'
> &
  Partial<VirtualizerOptions<HTMLElement, HTMLElement>>;

interface RenderedVirtualizer {
  readonly virtual: Virtualizer<HTMLElement, HTMLElement>;
  /** The `ref` of each row. Rows are measured after all of them are rendered; one by one, each would force a layout. */
  readonly measureRow: (row: HTMLElement | null) => void;
}

/** A virtualizer that renders the component again when the visible range changes. */
export function useVirtualizer(options: UseVirtualizerOptions): RenderedVirtualizer {
  const [, again] = useReducer((n: number, _: undefined) => n + 1, 0);
  const whole = {
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    ...options,
    onChange: (instance: Virtualizer<HTMLElement, HTMLElement>, sync: boolean) => {
      again(undefined);
      options.onChange?.(instance, sync);
    },
  };
  const ref = useRef<Virtualizer<HTMLElement, HTMLElement>>(null);
  ref.current ??= new Virtualizer(whole);
  const virtual = ref.current;
  virtual.setOptions(whole);
  const unmeasuredRows = useRef(new Set<HTMLElement>());
  const measureRow = useCallback((row: HTMLElement | null) => {
    if (row) unmeasuredRows.current.add(row);
    else virtual.measureElement(null);
  }, []);
  useLayoutEffect(() => {
    for (const row of unmeasuredRows.current) {
      virtual.measureElement(row);
      // During a scroll, the virtualizer leaves that to its observer. The observer gets no turn as long as a difference
      // between the estimated and the real height makes one render follow another.
      if (virtual.isScrolling && row.isConnected) virtual.resizeItem(virtual.indexFromElement(row), row.offsetHeight);
    }
    unmeasuredRows.current.clear();
  });
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  return { virtual, measureRow };
}
