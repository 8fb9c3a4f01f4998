/** Toasts that say why an action failed. They are not in client/, which tests of Node import without the kit. */
import { formatFailureText } from '../client/index.js';
import { showToast } from '../kit/index.js';

/** Says why an action failed. */
export function showFailureToast(error: unknown): void {
  showToast({ text: formatFailureText(error), kind: 'error' });
}

/** Waits for an action and does something with its result, or says why it failed. @returns whether it succeeded */
export async function awaitOrToastError<T>(action: Promise<T>, run?: (result: T) => unknown): Promise<boolean> {
  try {
    const result = await action;
    run?.(result);
    return true;
  } catch (error) {
    showFailureToast(error);
    return false;
  }
}
