/** Pages of single sign-on: one shows why a sign-in failed, another the text that a desktop client waits for. */

import type { RawHttpAnswer } from '#model';
import { htmlTemplate, makeHtmlPageAnswer, makeSignInLine } from './page.js';

/** Makes the page of a failed sign-in. @param text what people can do about the failure */
export const makeSingleSignOnFailedPage = (status: number, text: string, hasWebClient: boolean): RawHttpAnswer =>
  makeHtmlPageAnswer(
    status,
    'You are not signed in',
    htmlTemplate`<p class="problem" role="alert">${text}</p>
${makeSignInLine('Back to signing in', hasWebClient)}`,
  );

/** Makes the page with the token for the desktop client, which reads the text from the clipboard. */
export const makeDesktopSignInTokenPage = (text: string): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'Go back to the app',
    htmlTemplate`<p>You are signed in. Copy this text; the app takes it from the clipboard.</p>
<label for="token">Text for the app</label>
<input id="token" readonly value="${text}">`,
  );
