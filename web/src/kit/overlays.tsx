import { effect } from '@preact/signals';
import { type ComponentChild, render } from 'preact';
import { currentLanguage, t } from '../text/index.js';
import { setOverlayElement } from './layers.js';
import { Toasts } from './toast.js';

/**
 * Renders toasts and tooltips in a tree of their own, since they are moved into each dialog that opens. Tooltips have a
 * chunk of their own, because the first view has 60 KiB of script; names of controls are read out without them.
 */
export function startToastsAndTooltips(): void {
  const host = document.createElement('section');
  effect(() => {
    currentLanguage.value;
    host.ariaLabel = t('common.notices');
  });
  setOverlayElement(host);
  const show = (tooltips?: ComponentChild) =>
    render(
      <>
        <Toasts />
        {tooltips}
      </>,
      host,
    );
  show();
  import('./tooltip.js').then(
    ({ Tooltips }) => show(<Tooltips />),
    () => undefined,
  );
}
