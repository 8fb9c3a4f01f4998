import type { ComponentChildren } from 'preact';
import { Button, Dialog, useUniqueId } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { SavingError, useSavingState } from './saving.js';

interface FormDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly children: ComponentChildren;
  readonly danger?: boolean;
  /** The refusal stands at a field already. */
  readonly hasFieldError?: boolean;
  readonly submit: () => Promise<unknown>;
  /** Entries that are kept when the dialog is left: success and the button Cancel forget them, Escape does not. */
  readonly form?: { reset(): void };
  /** Called after success, too. */
  readonly onClose: () => void;
}

/** A form in a dialog: closes when the server has agreed, and says why if it has not. */
export function FormDialog({
  title,
  submitLabel,
  children,
  danger,
  hasFieldError,
  submit,
  form,
  onClose,
}: FormDialogProps) {
  const saving = useSavingState();
  const id = useUniqueId();
  const forgetAndClose = () => {
    form?.reset();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={forgetAndClose}>
            {t('common.cancel')}
          </Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={saving.busy} onClick={() => submitFormById(id)}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={id}
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!saving.busy) void saving.runChange(submit).then((done) => done && forgetAndClose());
        }}
      >
        {children}
        {!hasFieldError && <SavingError saving={saving} />}
        <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" />
      </form>
    </Dialog>
  );
}

const submitFormById = (id: string) => {
  const form = document.getElementById(id);
  if (form instanceof HTMLFormElement) form.requestSubmit();
};
