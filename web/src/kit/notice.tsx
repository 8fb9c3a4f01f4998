import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Icon, type IconName } from './icons.js';

/** Action that a notice or a toast offers as a button. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

interface EmptyNoticeProps {
  readonly icon?: IconName;
  readonly action?: NoticeAction;
  readonly children: ComponentChildren;
}

/** Notice in place of an empty list or a failed view, with a button for the action that may help. */
export function EmptyNotice({ icon, action, children }: EmptyNoticeProps) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} size={32} />}
      <p>{children}</p>
      {action && <Button onClick={action.run}>{action.label}</Button>}
    </div>
  );
}
