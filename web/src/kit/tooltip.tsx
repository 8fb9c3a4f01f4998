import { useEffect, useRef, useState } from 'preact/hooks';
import { SHORTCUTS, type ShortcutId } from '../keyboard/index.js';
import { formatFullDateTime } from '../text/index.js';
import { getMediaQuerySignal } from './media.js';
import { placeBesideAnchor } from './popover.js';
import { KeyCaps, pageShortcuts } from './shortcut.js';

const TOOLTIP_DELAY_MS = 500;
/** A tooltip that follows another within this time appears at once. */
const NO_DELAY_AFTER_HIDE_MS = 300;

interface TooltipContent {
  readonly element: HTMLElement;
  readonly text: string;
  readonly shortcut: ShortcutId | undefined;
}

function findTooltipContent(target: EventTarget | null): TooltipContent | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-tip],[data-cut],[data-at]') : null;
  if (!element) return undefined;
  const { tip, cut, at } = element.dataset;
  let text = at ? formatFullDateTime(Number(at)) : tip;
  if (cut !== undefined && element.scrollWidth > element.clientWidth) text = element.textContent;
  if (!text) return undefined;
  const id = element.dataset.shortcut ?? '';
  return { element, text, shortcut: Object.hasOwn(SHORTCUTS, id) ? (id as ShortcutId) : undefined };
}

/**
 * Tooltips of all elements with `data-tip`, or `data-at` for a time, on hover and on focus by keyboard. One component
 * and one set of listeners serve the whole page. Screen readers get the name of the element itself.
 */
export function Tooltips() {
  const [tip, setTip] = useState<TooltipContent>();
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer = 0;
    let hiddenAt = 0;
    let current: HTMLElement | undefined;
    const show = (next: TooltipContent | undefined, wait: number) => {
      if (next?.element === current) return;
      window.clearTimeout(timer);
      if (current) hiddenAt = performance.now();
      current = next?.element;
      setTip(undefined);
      if (next)
        timer = window.setTimeout(() => setTip(next), performance.now() - hiddenAt < NO_DELAY_AFTER_HIDE_MS ? 0 : wait);
    };
    const onOver = (event: PointerEvent) => {
      if (event.pointerType === 'mouse' && !ref.current?.contains(event.target as Node))
        show(findTooltipContent(event.target), TOOLTIP_DELAY_MS);
    };
    // On a touch screen the focus moves without a key, and a tooltip would cover what was tapped.
    const onFocus = (event: FocusEvent) => {
      if (getMediaQuerySignal('(hover: none)').peek()) return;
      if (event.target instanceof Element && event.target.matches(':focus-visible'))
        show(findTooltipContent(event.target), TOOLTIP_DELAY_MS);
    };
    const hide = () => show(undefined, 0);
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', onOver);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('keydown', onKey);
    document.addEventListener('scroll', hide, true);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('pointerover', onOver);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('scroll', hide, true);
    };
  }, []);
  useEffect(() => {
    const panel = ref.current;
    if (!panel) return;
    if (!tip?.element.isConnected) {
      if (panel.matches(':popover-open')) panel.hidePopover();
      return;
    }
    panel.showPopover();
    placeBesideAnchor(panel, tip.element, {});
  }, [tip]);
  const chord = tip?.shortcut && pageShortcuts.getChords(tip.shortcut)[0];
  return (
    <div ref={ref} class="tooltip" popover="manual" aria-hidden="true">
      {tip?.text}
      {chord && <KeyCaps chord={chord} />}
    </div>
  );
}
