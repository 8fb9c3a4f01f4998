/** Pages of single sign-on: what went wrong, and the text that a desktop client waits for. */

import type { RawAnswer } from '#model';
import { html, makePageAnswer } from './page.js';

/** @param text what people can do about it */
export const signInFailedPage = (status: number, text: string): RawAnswer =>
  makePageAnswer(
    status,
    'You are not signed in',
    html`<p class="problem" role="alert">${text}</p>
<p><a href="/">Back to signing in</a></p>`,
  );

/** The desktop client reads the text from the clipboard. */
export const desktopTokenPage = (text: string): RawAnswer =>
  makePageAnswer(
    200,
    'Go back to the app',
    html`<p>You are signed in. Copy this text; the app takes it from the clipboard.</p>
<label for="token">Text for the app</label>
<input id="token" readonly value="${text}">`,
  );
