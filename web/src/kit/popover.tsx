import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusIn, focusLater } from './focus.js';
import { onLeave } from './layers.js';

/** An element, or a point or box of the window in pixels. */
export type Anchor =
  | Element
  | { readonly x: number; readonly y: number; readonly width?: number; readonly height?: number };

const GAP = 4;
const MARGIN = 8;

export interface Placing {
  /** Side of the anchor, if there is room; the opposite one otherwise. */
  readonly side?: 'below' | 'above' | 'right' | undefined;
  readonly align?: 'start' | 'end' | undefined;
}

/** Puts a panel beside its anchor, whole in the window. */
export function place(panel: HTMLElement, anchor: Anchor, { side = 'below', align = 'start' }: Placing): void {
  const box = anchor instanceof Element ? anchor.getBoundingClientRect() : anchor;
  const [width, height] = [box.width ?? 0, box.height ?? 0];
  const [roomX, roomY] = [document.documentElement.clientWidth, window.innerHeight];
  const own = panel.getBoundingClientRect();
  let left = align === 'start' ? box.x : box.x + width - own.width;
  let top = side === 'above' ? box.y - own.height - GAP : box.y + height + GAP;
  if (side === 'right') {
    left = box.x + width + GAP;
    if (left + own.width > roomX - MARGIN) left = box.x - own.width - GAP;
    top = box.y;
  } else if (side === 'below' && top + own.height > roomY - MARGIN && box.y - own.height - GAP >= MARGIN) {
    top = box.y - own.height - GAP;
  } else if (side === 'above' && top < MARGIN) {
    top = box.y + height + GAP;
  }
  panel.style.left = `${Math.round(Math.max(MARGIN, Math.min(left, roomX - own.width - MARGIN)))}px`;
  panel.style.top = `${Math.round(Math.max(MARGIN, Math.min(top, roomY - own.height - MARGIN)))}px`;
}

interface PopoverProps extends Placing {
  readonly anchor: Anchor;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** Name for screen readers. */
  readonly label: string;
  /** `none` leaves the focus where it is (completion while typing). */
  readonly focus?: 'inside' | 'none' | undefined;
  readonly role?: 'dialog' | 'menu' | 'listbox' | 'none' | undefined;
  readonly class?: string | undefined;
}

/** A panel beside an element, above everything. Escape and a press elsewhere close it. */
export function Popover(props: PopoverProps) {
  const { anchor, children, onClose, label, focus = 'inside', role = 'dialog', side, align } = props;
  const ref = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const panel = ref.current!;
    const restore = focusLater();
    panel.showPopover();
    const update = () => place(panel, anchor, { side, align });
    update();
    if (focus === 'inside' && !focusIn(panel)) panel.focus({ preventScroll: true });
    const watch = new ResizeObserver(update);
    watch.observe(panel);
    window.addEventListener('resize', update);
    window.addEventListener('scroll', update, true);
    const end = onLeave(
      () => [panel, anchor instanceof Element ? anchor : null],
      () => close.current(),
    );
    return () => {
      end();
      watch.disconnect();
      window.removeEventListener('resize', update);
      window.removeEventListener('scroll', update, true);
      if (focus === 'inside' && panel.contains(document.activeElement)) restore();
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
