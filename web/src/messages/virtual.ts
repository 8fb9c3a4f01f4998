import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

type UseVirtualizerOptions = Pick<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  'count' | 'getScrollElement' | 'estimateSize'
> &
  Partial<VirtualizerOptions<HTMLElement, HTMLElement>>;

/** @returns a virtualizer that renders the component again when the visible range changes */
export function useVirtualizer(options: UseVirtualizerOptions): Virtualizer<HTMLElement, HTMLElement> {
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
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  return virtual;
}
