import { render } from 'preact';
import { t } from '../text/index.js';
import { setOverlayElement } from './layers.js';
import { Toasts } from './toast.js';
import { Tooltips } from './tooltip.js';

/** Renders toasts and tooltips in a tree of their own, since they are moved into each dialog that opens. */
export function startToastsAndTooltips(): void {
  const host = document.createElement('section');
  host.ariaLabel = t('common.notices');
  setOverlayElement(host);
  render(
    <>
      <Toasts />
      <Tooltips />
    </>,
    host,
  );
}
