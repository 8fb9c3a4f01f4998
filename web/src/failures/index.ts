/** Toasts about failed actions. They are not part of client/, because unit tests import client/ without the kit. */
import { formatFailureText } from '../client/index.js';
import { showToast } from '../kit/index.js';

/** Shows why an action failed. */
export function showFailureToast(error: unknown): void {
  showToast({ text: formatFailureText(error), kind: 'error' });
}

/** Awaits an action and passes its result to `run`, or shows why it failed. @returns whether it succeeded */
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
