import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Icon, type IconName } from './icons.js';

/** A notice or a toast offers this action as a button. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

interface EmptyNoticeProps {
  readonly icon?: IconName;
  readonly action?: NoticeAction;
  readonly children: ComponentChildren;
}

/** Notice in the place of an empty list or of a view that failed, with a button for what can be done. */
export function EmptyNotice({ icon, action, children }: EmptyNoticeProps) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} size={32} />}
      <p>{children}</p>
      {action && <Button onClick={action.run}>{action.label}</Button>}
    </div>
  );
}
