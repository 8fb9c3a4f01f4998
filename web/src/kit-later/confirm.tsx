import type { ComponentChildren } from 'preact';
import { Button, Dialog, openLayer } from '../kit/index.js';
import { t } from '../text/index.js';

interface ConfirmQuestion {
  readonly title: string;
  readonly text: ComponentChildren;
  /** Text of the button that agrees. */
  readonly confirmLabel: string;
  readonly danger?: boolean;
}

/** Asks a question. @returns whether the reader agreed */
export function confirm({ title, text, confirmLabel, danger }: ConfirmQuestion): Promise<boolean> {
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
                {confirmLabel}
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

/** Asks before a deletion. @returns whether the reader agreed */
export const confirmDeletion = (title: string, text: string): Promise<boolean> =>
  confirm({ title, text, confirmLabel: t('common.delete'), danger: true });
