import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../text/index.js';
import { Button, IconButton } from './button.js';
import { Icon } from './icons.js';
import type { NoticeAction } from './notice.js';

interface ToastContent {
  readonly text: string;
  /** An error stays until it is closed; other kinds go after 6 s, or 12 s with an action. */
  readonly kind?: 'info' | 'success' | 'error';
  readonly action?: NoticeAction;
}

interface ShownToast extends ToastContent {
  readonly id: number;
}

const MAX_SHOWN_TOASTS = 3;
const TOAST_SHOWN_MS = 6000;

const shownToasts = signal<readonly ShownToast[]>([]);
const announcedTexts = signal<{ readonly polite: string; readonly assertive: string }>({ polite: '', assertive: '' });
let lastToastId = 0;

/**
 * Shows a short message at the bottom of the page. No text is shown twice: a new toast with an action replaces the one
 * with the same text, so that its button belongs to the latest action.
 * @returns the id of the toast
 */
export function showToast(content: ToastContent): number {
  const same = shownToasts.value.find((one) => one.text === content.text);
  if (same && !content.action) return same.id;
  const id = ++lastToastId;
  shownToasts.value = [...shownToasts.value.filter((one) => one !== same), { ...content, id }].slice(-MAX_SHOWN_TOASTS);
  return id;
}

export function removeToast(id: number): void {
  shownToasts.value = shownToasts.value.filter((one) => one.id !== id);
}

/** Makes screen readers say a text that is not shown. */
export function announceToScreenReader(text: string, how: 'polite' | 'assertive' = 'polite'): void {
  // Screen readers say a text again only if the content of the region changes.
  const said = announcedTexts.value[how] === text ? `${text}\u00a0` : text;
  announcedTexts.value = { ...announcedTexts.value, [how]: said };
}

function Toast({ toast: { id, text, kind = 'info', action } }: { readonly toast: ShownToast }) {
  const held = useRef(false);
  useEffect(() => {
    if (kind === 'error') return;
    const timer = window.setInterval(
      () => held.current || removeToast(id),
      action ? TOAST_SHOWN_MS * 2 : TOAST_SHOWN_MS,
    );
    return () => window.clearInterval(timer);
  }, []);
  const hold = (on: boolean) => () => {
    held.current = on;
  };
  return (
    <li
      class={`toast ${kind}`}
      onPointerEnter={hold(true)}
      onPointerLeave={hold(false)}
      onFocusCapture={hold(true)}
      onBlurCapture={hold(false)}
    >
      <Icon name={kind === 'error' ? 'warning' : kind === 'success' ? 'resolved' : 'info'} />
      <span role={kind === 'error' ? 'alert' : 'status'}>{text}</span>
      {action && (
        <Button
          kind="quiet"
          onClick={() => {
            removeToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label={t('common.close')} onClick={() => removeToast(id)} />
    </li>
  );
}

/** The list of toasts, and the live regions for screen readers. */
export function Toasts() {
  const ref = useRef<HTMLDivElement>(null);
  const list = shownToasts.value;
  useEffect(() => {
    const panel = ref.current!;
    // A popover that is shown again is above layers that were opened since.
    if (panel.matches(':popover-open')) panel.hidePopover();
    if (list.length > 0) panel.showPopover();
  }, [list]);
  return (
    <>
      <div ref={ref} popover="manual" class="toasts">
        <ul>
          {list.map((one) => (
            <Toast key={one.id} toast={one} />
          ))}
        </ul>
      </div>
      <div class="hidden" aria-live="polite">
        {announcedTexts.value.polite}
      </div>
      <div class="hidden" aria-live="assertive">
        {announcedTexts.value.assertive}
      </div>
    </>
  );
}
