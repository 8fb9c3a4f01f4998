import { t } from '../text/index.js';

interface CountBadgeProps {
  readonly count: number;
  readonly mentioned?: boolean;
  /** Direct messages: as conspicuous as mentions, without their sign. */
  readonly strong?: boolean;
  /** Unobtrusive: starred messages, drafts, muted topics. */
  readonly quiet?: boolean;
}

const MAX_SHOWN_COUNT = 999;

/** Number of unread messages at the end of a row; nothing for none. */
export function CountBadge({ count, mentioned, strong, quiet }: CountBadgeProps) {
  if (count === 0) return null;
  return (
    <span class={`count ${mentioned || strong ? 'strong' : ''} ${quiet ? 'quiet' : ''}`}>
      <span aria-hidden="true">
        {mentioned && '@ '}
        {count > MAX_SHOWN_COUNT ? `${MAX_SHOWN_COUNT}+` : count}
      </span>
      <span class="hidden">
        {quiet ? count : t('sidebar.unread', { n: count })}
        {mentioned && `, ${t('sidebar.mentioned')}`}
      </span>
    </span>
  );
}
