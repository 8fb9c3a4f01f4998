import { render } from 'preact';
import { t } from '../text/index.js';
import { setOverlayElement } from './layers.js';
import { Toasts } from './toast.js';
import { Tooltips } from './tooltip.js';

/** Shows toasts and tooltips from now on, in a tree of their own: they must stand inside of an open dialog. */
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
