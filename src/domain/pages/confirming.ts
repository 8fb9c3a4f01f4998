/** Pages of the link that confirms a new e-mail address. */

import type { RawHttpAnswer } from '#model';
import { htmlTemplate, makeHtmlPageAnswer } from './page.js';

export const makeConfirmNewEmailPage = (): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'Confirm your e-mail address',
    htmlTemplate`<p>Make the address that this link was sent to the one of your account?</p>
<form method="post">
<button type="submit">Confirm</button>
</form>`,
  );

export const makeNewEmailConfirmedPage = (email: string): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'Your e-mail address is changed',
    htmlTemplate`<p>The e-mail address of your account is now <strong>${email}</strong>.</p>`,
  );

/** Page of an address that could not be confirmed. @param problem reason in the words of the API */
export const makeNewEmailNotConfirmedPage = (status: number, problem: string): RawHttpAnswer =>
  makeHtmlPageAnswer(
    status,
    'Your e-mail address is not changed',
    htmlTemplate`<p class="problem" role="alert">${problem}</p>`,
  );
