import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusFirstIn, rememberFocusForRestore } from './focus.js';
import { watchForDismissal } from './layers.js';

/** An element, or a point or box of the window in pixels. */
export type PopoverAnchor =
  | Element
  | { readonly x: number; readonly y: number; readonly width?: number; readonly height?: number };

const ANCHOR_GAP_PX = 4;
const WINDOW_MARGIN_PX = 8;

export interface PopoverPlacement {
  /** Side of the anchor, if there is room; the opposite one otherwise. */
  readonly side?: 'below' | 'above' | 'right' | undefined;
  readonly align?: 'start' | 'end' | undefined;
}

/** Places a panel beside its anchor, and wholly inside of the window. Beside an anchor that is hidden now it stays. */
export function placeBesideAnchor(
  panel: HTMLElement,
  anchor: PopoverAnchor,
  { side = 'below', align = 'start' }: PopoverPlacement,
): void {
  if (anchor instanceof Element && anchor.getClientRects().length === 0) return;
  const box = anchor instanceof Element ? anchor.getBoundingClientRect() : anchor;
  const [width, height] = [box.width ?? 0, box.height ?? 0];
  const [roomX, roomY] = [document.documentElement.clientWidth, window.innerHeight];
  const own = panel.getBoundingClientRect();
  let left = align === 'start' ? box.x : box.x + width - own.width;
  let top = side === 'above' ? box.y - own.height - ANCHOR_GAP_PX : box.y + height + ANCHOR_GAP_PX;
  if (side === 'right') {
    left = box.x + width + ANCHOR_GAP_PX;
    if (left + own.width > roomX - WINDOW_MARGIN_PX) left = box.x - own.width - ANCHOR_GAP_PX;
    top = box.y;
  } else if (side === 'below' && top + own.height > roomY - WINDOW_MARGIN_PX) {
    const topAbove = box.y - own.height - ANCHOR_GAP_PX;
    const leftBefore = box.x - own.width - ANCHOR_GAP_PX;
    if (topAbove >= WINDOW_MARGIN_PX) top = topAbove;
    // A panel over its anchor would take the pointer from it, and buttons that show on hover would go.
    else if (leftBefore >= WINDOW_MARGIN_PX) left = leftBefore;
  } else if (side === 'above' && top < WINDOW_MARGIN_PX) {
    top = box.y + height + ANCHOR_GAP_PX;
  }
  panel.style.left = `${Math.round(Math.max(WINDOW_MARGIN_PX, Math.min(left, roomX - own.width - WINDOW_MARGIN_PX)))}px`;
  panel.style.top = `${Math.round(Math.max(WINDOW_MARGIN_PX, Math.min(top, roomY - own.height - WINDOW_MARGIN_PX)))}px`;
}

interface PopoverProps extends PopoverPlacement {
  readonly anchor: PopoverAnchor;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** Name for screen readers. */
  readonly label: string;
  /** `none` leaves the focus where it is (completion while typing). */
  readonly initialFocus?: 'inside' | 'none' | undefined;
  readonly role?: 'dialog' | 'menu' | 'listbox' | 'none' | undefined;
  readonly class?: string | undefined;
}

/** A panel beside an element, above everything. Escape and a press elsewhere close it. */
export function Popover(props: PopoverProps) {
  const { anchor, children, onClose, label, initialFocus = 'inside', role = 'dialog', side, align } = props;
  const ref = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const panel = ref.current!;
    const restore = rememberFocusForRestore();
    panel.showPopover();
    const update = () => placeBesideAnchor(panel, anchor, { side, align });
    update();
    if (initialFocus === 'inside' && !focusFirstIn(panel)) panel.focus({ preventScroll: true });
    const watch = new ResizeObserver(update);
    watch.observe(panel);
    window.addEventListener('resize', update);
    window.addEventListener('scroll', update, true);
    const end = watchForDismissal(
      () => [panel, anchor instanceof Element ? anchor : null],
      () => close.current(),
    );
    return () => {
      end();
      watch.disconnect();
      window.removeEventListener('resize', update);
      window.removeEventListener('scroll', update, true);
      if (initialFocus === 'inside' && panel.contains(document.activeElement)) restore();
    };
  }, [anchor]);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the name goes with the role
    <div
      ref={ref}
      popover="manual"
      class={`popover ${props.class ?? ''}`}
      role={role === 'none' ? undefined : role}
      aria-label={role === 'none' ? undefined : label}
      tabIndex={-1}
    >
      {children}
    </div>
  );
}
