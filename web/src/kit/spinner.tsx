import { t } from '../text/index.js';

/** Sign of waiting. It appears after 300 ms, so that short waits show nothing. */
export function Spinner({ small }: { readonly small?: boolean }) {
  return (
    <span class={small ? 'spinner small' : 'spinner'} role="status">
      <span class="hidden">{t('common.loading')}</span>
    </span>
  );
}
