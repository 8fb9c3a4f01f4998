import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import type { ComponentChild } from 'preact';
import { useCallback, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

type Options = Pick<VirtualizerOptions<HTMLElement, HTMLElement>, 'count' | 'getScrollElement' | 'estimateSize'> &
  Partial<VirtualizerOptions<HTMLElement, HTMLElement>>;

/** @returns a virtualizer that renders the component again when the visible range changes */
export function useVirtual(options: Options): Virtualizer<HTMLElement, HTMLElement> {
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

/** Attributes for the element of a row that has the focus: a link or a button. */
export interface Row {
  readonly 'data-row': '';
  readonly tabIndex: 0 | -1;
}

interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string | number;
  /** Height of a row in pixels; fixed, so that nothing moves while scrolling. */
  readonly heightOf: (item: T) => number;
  /** Whether arrows stop at the item. Headings have their own buttons and no `row`. */
  readonly canFocus?: ((item: T) => boolean) | undefined;
  readonly label: string;
  readonly class?: string | undefined;
  readonly children: (item: T, row: Row) => ComponentChild;
}

/**
 * A list of any length: some 30 rows are in the document. Tab reaches one row; arrows, Home and End move among them.
 * The focused row stays in the document when it scrolls out of sight.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, heightOf, canFocus = () => true, label, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | number>();
  const wanted = useRef<string | number>(undefined);
  const found = current === undefined ? -1 : items.findIndex((item) => keyOf(item) === current);
  const tabbed = found >= 0 ? found : items.findIndex(canFocus);
  // A new function makes the virtualizer lay out all rows again.
  const getItemKey = useCallback((index: number) => keyOf(items[index]!), [items]);
  const virtual = useVirtual({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(items[index]!),
    getItemKey,
    overscan: 8,
    rangeExtractor: (range) => {
      const rows = defaultRangeExtractor(range);
      if (found >= 0 && found < rows[0]!) rows.unshift(found);
      else if (found > rows.at(-1)!) rows.push(found);
      return rows;
    },
  });
  const heights = useRef('');
  const shape = `${items.length}:${items.map(heightOf).reduce((sum, height) => sum * 31 + height, 7) | 0}`;
  if (heights.current !== shape) {
    heights.current = shape;
    virtual.measure();
  }
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(
      `[data-key="${CSS.escape(`${wanted.current}`)}"] [data-row]`,
    );
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  const moveTo = (from: number, step: 1 | -1): boolean => {
    for (let at = from; at >= 0 && at < items.length; at += step) {
      if (!canFocus(items[at]!)) continue;
      wanted.current = keyOf(items[at]!);
      setCurrent(wanted.current);
      virtual.scrollToIndex(at, { align: 'auto' });
      return true;
    }
    return false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const own = (event.target as Element).closest<HTMLElement>('[data-index]');
    if (!own || event.ctrlKey || event.altKey || event.metaKey) return;
    const at = Number(own.dataset.index);
    const moved =
      (event.key === 'ArrowDown' && moveTo(at + 1, 1)) ||
      (event.key === 'ArrowUp' && moveTo(at - 1, -1)) ||
      (event.key === 'Home' && moveTo(0, 1)) ||
      (event.key === 'End' && moveTo(items.length - 1, -1));
    if (moved) event.preventDefault();
  };
  return (
    <div ref={scroller} class={`scroller ${props.class ?? ''}`} data-virtual-list="">
      <ul
        class="virtual"
        aria-label={label}
        style={{ height: `${virtual.getTotalSize()}px` }}
        onKeyDown={onKeyDown}
        onFocusIn={(event) => {
          const key =
            event.target instanceof Element && event.target.closest<HTMLElement>('[data-index]')?.dataset.index;
          const item = key ? items[Number(key)] : undefined;
          if (item) setCurrent(keyOf(item));
        }}
      >
        {virtual.getVirtualItems().map(({ key, index, start, size }) => {
          const item = items[index];
          return (
            item && (
              <li
                key={key}
                data-key={key}
                data-index={index}
                aria-setsize={items.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)`, height: `${size}px` }}
              >
                {children(item, { 'data-row': '', tabIndex: index === tabbed ? 0 : -1 })}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
