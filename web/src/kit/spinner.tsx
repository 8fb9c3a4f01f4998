import type { ComponentChildren } from 'preact';
import { t } from '../text/index.js';
import { Icon, type IconName } from './icons.js';

/** Sign of waiting. It appears after 300 ms, so that short waits show nothing. */
export function Spinner({ small }: { readonly small?: boolean }) {
  return (
    <span class={small ? 'spinner small' : 'spinner'} role="status">
      <span class="hidden">{t('common.loading')}</span>
    </span>
  );
}

/** Notice in the place of an empty list or of a view that failed. */
export function EmptyNotice({ icon, children }: { readonly icon?: IconName; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} size={32} />}
      <p>{children}</p>
    </div>
  );
}
