import { t } from '../text/index.js';

interface CountProps {
  readonly count: number;
  readonly mentioned?: boolean;
  /** Direct messages: as conspicuous as mentions, without their sign. */
  readonly strong?: boolean;
  /** A number that asks for nothing: starred messages, drafts, muted topics. */
  readonly quiet?: boolean;
}

const MAX_SHOWN = 999;

/** Number of unread messages at the end of a row; nothing for none. */
export function Count({ count, mentioned, strong, quiet }: CountProps) {
  if (count === 0) return null;
  return (
    <span class={`count ${mentioned || strong ? 'strong' : ''} ${quiet ? 'quiet' : ''}`}>
      <span aria-hidden="true">
        {mentioned && '@ '}
        {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
      </span>
      <span class="hidden">
        {quiet ? count : t('sidebar.unread', { n: count })}
        {mentioned && `, ${t('sidebar.mentioned')}`}
      </span>
    </span>
  );
}
