/** Pages of the link that confirms a new e-mail address. */

import type { RawAnswer } from '#model';
import { html, makePageAnswer } from './page.js';

export const confirmAddressPage = (): RawAnswer =>
  makePageAnswer(
    200,
    'Confirm your e-mail address',
    html`<p>Make the address that this link was sent to the one of your account?</p>
<form method="post">
<button type="submit">Confirm</button>
</form>`,
  );

export const addressConfirmedPage = (email: string): RawAnswer =>
  makePageAnswer(
    200,
    'Your e-mail address is changed',
    html`<p>The e-mail address of your account is now <strong>${email}</strong>.</p>`,
  );

/** Page of an address that could not be confirmed. @param problem reason in the words of the API */
export const addressNotConfirmedPage = (status: number, problem: string): RawAnswer =>
  makePageAnswer(status, 'Your e-mail address is not changed', html`<p class="problem" role="alert">${problem}</p>`);
