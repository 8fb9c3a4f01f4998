import { useState } from 'preact/hooks';
import { IconButton, type IconName, type MenuItem, type PopoverPlacement, toggleMenu } from '../kit/index.js';

interface MenuButtonProps extends PopoverPlacement {
  readonly label: string;
  readonly icon?: IconName;
  /** Called when the menu opens, so that it shows the state of that moment. */
  readonly items: () => readonly MenuItem[];
  readonly class?: string | undefined;
  readonly tabIndex?: number | undefined;
}

/** A button that opens a menu. */
export function MenuButton({ label, icon = 'more', items, side, align, tabIndex, ...rest }: MenuButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <IconButton
      icon={icon}
      label={label}
      popup="menu"
      expanded={open}
      class={rest.class}
      tabIndex={tabIndex}
      onClick={(event) => {
        setOpen(true);
        toggleMenu(event.currentTarget, { label, items: items(), side, align, onClose: () => setOpen(false) });
      }}
    />
  );
}
