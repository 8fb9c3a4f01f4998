import type { ComponentChildren, Ref, TargetedMouseEvent } from 'preact';
import type { ShortcutId } from '../keyboard/index.js';
import { Icon, type IconName } from './icons.js';
import { Spinner } from './spinner.js';

interface ButtonProps {
  readonly children: ComponentChildren;
  /** primary: the one thing to do here; danger: what cannot be undone; quiet: without a frame. */
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined;
  readonly type?: 'button' | 'submit';
  readonly icon?: IconName | undefined;
  /** Shows a spinner and refuses presses, without losing the focus. */
  readonly busy?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly wide?: boolean | undefined;
  readonly autofocus?: boolean | undefined;
  readonly onClick?: ((event: TargetedMouseEvent<HTMLButtonElement>) => void) | undefined;
}

export function Button({
  children,
  kind,
  type = 'button',
  icon,
  busy,
  disabled,
  wide,
  autofocus,
  onClick,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind ?? ''} ${wide ? 'wide' : ''}`}
      disabled={disabled ?? false}
      aria-disabled={busy ? 'true' : undefined}
      data-autofocus={autofocus ? '' : undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy ? <Spinner small /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** Name for screen readers, shown as a tooltip. */
  readonly label: string;
  /** Shortcut that the tooltip shows beside the name. */
  readonly shortcut?: ShortcutId | undefined;
  readonly pressed?: boolean | undefined;
  readonly expanded?: boolean | undefined;
  readonly popup?: 'menu' | 'dialog' | undefined;
  readonly disabled?: boolean | undefined;
  readonly class?: string | undefined;
  readonly tabIndex?: number | undefined;
  readonly size?: number;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly onClick?: ((event: TargetedMouseEvent<HTMLButtonElement>) => void) | undefined;
}

export function IconButton(props: IconButtonProps) {
  const { icon, label, shortcut, pressed, expanded, popup, disabled, tabIndex, size, ref, onClick } = props;
  return (
    <button
      {...(ref ? { ref } : {})}
      type="button"
      class={`icon-button ${props.class ?? ''}`}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-haspopup={popup}
      data-tip={label}
      data-shortcut={shortcut}
      disabled={disabled ?? false}
      tabIndex={tabIndex}
      onClick={onClick}
    >
      <Icon name={icon} {...(size ? { size } : {})} />
    </button>
  );
}
