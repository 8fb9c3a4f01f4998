import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../text/index.js';
import { Button, IconButton } from './button.js';
import { focusLater } from './focus.js';
import { moveGuest, openLayer } from './layers.js';
import { keyboard, ScopeContext } from './shortcut.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** Buttons at the bottom, the main one last. */
  readonly footer?: ComponentChildren;
  readonly size?: 'small' | 'medium' | 'large' | undefined;
  /** A panel from an edge of the screen, without a visible title. */
  readonly drawer?: 'left' | 'right' | undefined;
  /** Leaves out title and close button: the content brings its own (search, picture viewer). */
  readonly bare?: boolean | undefined;
  readonly class?: string | undefined;
}

/**
 * Modal dialog. The page below is inert, Escape and a press on the backdrop close it, and the focus returns to where it
 * was. The focus begins at the element marked `data-autofocus`, or at the title.
 */
export function Dialog({ title, children, onClose, footer, size, drawer, bare, ...rest }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const scope = useRef(Symbol(title));
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current!;
    const restore = focusLater();
    dialog.showModal();
    const first = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector<HTMLElement>('h2');
    first?.focus({ preventScroll: true });
    moveGuest();
    const leave = keyboard.enter(scope.current);
    return () => {
      leave();
      if (dialog.open) dialog.close();
      moveGuest();
      restore();
    };
  }, []);
  const hidden = bare || drawer !== undefined;
  return (
    <ScopeContext.Provider value={scope.current}>
      <dialog
        ref={ref}
        class={`${drawer ? `drawer ${drawer}` : `dialog ${size ?? 'medium'}`} ${bare ? 'bare' : ''} ${rest.class ?? ''}`}
        aria-labelledby={id}
        onCancel={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          onClose();
        }}
        onClose={onClose}
        onPointerDown={(event) => {
          if (event.target === event.currentTarget) onClose();
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
    </ScopeContext.Provider>
  );
}

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** Text of the button that agrees. */
  readonly action: string;
  readonly danger?: boolean;
}

/** Asks a question. @returns whether the reader agreed */
export function confirm({ title, text, action, danger }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    openLayer((done) => {
      const answer = (value: boolean) => {
        resolve(value);
        done();
      };
      return (
        <Dialog
          title={title}
          size="small"
          onClose={() => answer(false)}
          footer={
            <>
              <Button kind="quiet" onClick={() => answer(false)}>
                {t('common.cancel')}
              </Button>
              <Button kind={danger ? 'danger' : 'primary'} autofocus onClick={() => answer(true)}>
                {action}
              </Button>
            </>
          }
        >
          <p>{text}</p>
        </Dialog>
      );
    });
  });
}
