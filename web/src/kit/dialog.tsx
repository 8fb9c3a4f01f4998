import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../text/index.js';
import { IconButton } from './button.js';
import { rememberFocusForRestore } from './focus.js';
import { closeWithAddress, moveOverlayToLayerHost } from './layers.js';
import { pageShortcuts, ShortcutScopeContext } from './shortcut.js';
import { useUniqueId } from './unique-id.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** Called in place of `onClose` when the address changes: keeps what the reader has typed. */
  readonly onLeave?: (() => void) | undefined;
  /** Buttons at the bottom, the main one last. */
  readonly footer?: ComponentChildren;
  readonly size?: 'small' | 'medium' | 'large' | undefined;
  /** A panel from an edge of the screen, without a visible title. */
  readonly drawerSide?: 'left' | 'right' | undefined;
  /** Leaves out title and close button: the content brings its own (search, picture viewer). */
  readonly withoutHeader?: boolean | undefined;
  readonly class?: string | undefined;
}

/**
 * Modal dialog. The page below is inert, Escape and a change of the address close it, and the focus returns to where it
 * was. The focus begins at the element marked `data-autofocus`, or at the title. A press on the backdrop closes only
 * dialogs without a footer: a dialog with a footer may contain typed text.
 */
export function Dialog(props: DialogProps) {
  const { title, children, onClose, footer, size, drawerSide, withoutHeader } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const scope = useRef(Symbol(title));
  const id = useUniqueId();
  const leave = useRef(onClose);
  leave.current = props.onLeave ?? onClose;
  useLayoutEffect(() => {
    const dialog = ref.current!;
    const restore = rememberFocusForRestore();
    dialog.showModal();
    const first = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector<HTMLElement>('h2');
    first?.focus({ preventScroll: true });
    moveOverlayToLayerHost();
    const leaveScope = pageShortcuts.enterScope(scope.current);
    const stayOpen = closeWithAddress(() => leave.current());
    return () => {
      stayOpen();
      leaveScope();
      if (dialog.open) dialog.close();
      moveOverlayToLayerHost();
      restore();
    };
  }, []);
  const hidden = withoutHeader || drawerSide !== undefined;
  return (
    <ShortcutScopeContext.Provider value={scope.current}>
      <dialog
        ref={ref}
        class={`${drawerSide ? `drawer ${drawerSide}` : `dialog ${size ?? 'medium'}`} ${withoutHeader ? 'bare' : ''} ${props.class ?? ''}`}
        aria-labelledby={id}
        onCancel={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          onClose();
        }}
        // The event of a dialog that was removed comes later, and would close the next one.
        onClose={() => ref.current && onClose()}
        onPointerDown={(event) => {
          if (!footer && event.target === event.currentTarget) onClose();
        }}
      >
        <div class="dialog-panel">
          <div class={hidden ? 'hidden' : 'dialog-head'}>
            <h2 id={id} tabIndex={-1}>
              {title}
            </h2>
            {!hidden && <IconButton icon="close" label={t('common.close')} onClick={onClose} />}
          </div>
          <div class="dialog-body">{children}</div>
          {footer && <div class="dialog-foot">{footer}</div>}
        </div>
      </dialog>
    </ShortcutScopeContext.Provider>
  );
}
