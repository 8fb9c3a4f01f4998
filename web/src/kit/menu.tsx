import type { ShortcutId } from '../keyboard/index.js';
import { moveFocusByArrowKey } from './focus.js';
import { Icon, type IconName } from './icons.js';
import { openLayer } from './layers.js';
import { Popover, type PopoverAnchor, type PopoverPlacement } from './popover.js';
import { KeyCaps, pageShortcuts } from './shortcut.js';

interface MenuAction {
  readonly label: string;
  readonly icon?: IconName | undefined;
  readonly shortcut?: ShortcutId | undefined;
  readonly danger?: boolean | undefined;
  /** A choice among others, or a switch: shown with a check mark when true. */
  readonly checked?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly run: () => void;
}

/** An action, or a line between groups. `false` and `undefined` are skipped, so that an item can have a condition. */
export type MenuItem = MenuAction | 'line' | false | undefined;

interface MenuOptions extends PopoverPlacement {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onClose?: (() => void) | undefined;
}

const findMenuItemElements = (menu: Element): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role^=menuitem]'),
];

/** Moves by arrows, or to the next item that begins with the typed letter. */
function onMenuKeyDown(event: KeyboardEvent, close: () => void): void {
  const items = findMenuItemElements(event.currentTarget as Element);
  if (moveFocusByArrowKey(event, items)) return;
  if (event.key === 'Tab') {
    event.preventDefault();
    close();
  } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) {
    const at = items.indexOf(document.activeElement as HTMLElement);
    const letter = event.key.toLowerCase();
    const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    order.find((item) => item.textContent?.trim().toLowerCase().startsWith(letter))?.focus();
    event.preventDefault();
  }
  event.stopPropagation();
}

function MenuItemButton({ item, close }: { readonly item: MenuAction; readonly close: () => void }) {
  const chord = item.shortcut && pageShortcuts.getChords(item.shortcut)[0];
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role with aria-checked is menuitemcheckbox
    <button
      type="button"
      role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={item.checked}
      tabIndex={-1}
      class={`menu-item ${item.danger ? 'danger' : ''}`}
      disabled={item.disabled ?? false}
      onClick={() => {
        close();
        item.run();
      }}
    >
      {item.checked ? <Icon name="check" /> : item.icon ? <Icon name={item.icon} /> : <span class="icon" />}
      <span class="menu-label">{item.label}</span>
      {chord && <KeyCaps chord={chord} />}
    </button>
  );
}

/** The open menu. */
let openedMenu: { readonly anchor: PopoverAnchor; readonly close: () => void } | undefined;

/**
 * Opens a menu beside an element or at a point, or closes the one that is open there. Escape, Tab, a choice and a press
 * elsewhere close it.
 */
export function toggleMenu(anchor: PopoverAnchor, { label, items, onClose, side, align }: MenuOptions): void {
  const before = openedMenu;
  before?.close();
  if (before?.anchor === anchor) return;
  openLayer((done) => {
    const close = () => {
      openedMenu = undefined;
      done();
      onClose?.();
    };
    openedMenu = { anchor, close };
    return (
      <Popover anchor={anchor} label={label} role="menu" class="menu" side={side} align={align} onClose={close}>
        <div role="none" onKeyDown={(event) => onMenuKeyDown(event, close)}>
          {items.map((item, index) =>
            item === 'line' ? (
              <hr key={index} />
            ) : (
              item && <MenuItemButton key={item.label} item={item} close={close} />
            ),
          )}
        </div>
      </Popover>
    );
  });
}
