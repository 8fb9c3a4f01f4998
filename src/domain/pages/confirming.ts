/** Pages of the link that confirms a new e-mail address. */

import type { RawAnswer } from '#model';
import { html, pageAnswer } from './page.js';

export const confirmForm = (): RawAnswer =>
  pageAnswer(
    200,
    'Confirm your e-mail address',
    html`<p>Make the address that this link was sent to the one of your account?</p>
<form method="post">
<button type="submit">Confirm</button>
</form>`,
  );

export const confirmed = (email: string): RawAnswer =>
  pageAnswer(
    200,
    'Your e-mail address is changed',
    html`<p>The e-mail address of your account is now <strong>${email}</strong>.</p>`,
  );

/** @param problem in the words of the API */
export const notConfirmed = (status: number, problem: string): RawAnswer =>
  pageAnswer(status, 'Your e-mail address is not changed', html`<p class="problem" role="alert">${problem}</p>`);
