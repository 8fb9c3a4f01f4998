/** Pages of single sign-on: one shows why a sign-in failed, another the text that a desktop client waits for. */

import { pageTextsIn, type ServerLanguage, translatePageRefusal } from '#domain/texts';
import type { RawHttpAnswer } from '#model';
import { htmlTemplate, makeHtmlPageAnswer, makeSignInLine } from './page.js';

/** Makes the page of a failed sign-in. @param text what people can do about the failure, or a refusal of the API */
export function makeSingleSignOnFailedPage(
  language: ServerLanguage,
  status: number,
  text: string,
  hasWebClient: boolean,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  return makeHtmlPageAnswer(
    language,
    status,
    texts.notSignedIn,
    htmlTemplate`<p class="problem" role="alert">${translatePageRefusal(text, texts)}</p>
${makeSignInLine(texts.backToSignIn, texts, hasWebClient)}`,
  );
}

/** Makes the page with the token for the desktop client, which reads the text from the clipboard. */
export function makeDesktopSignInTokenPage(language: ServerLanguage, text: string): RawHttpAnswer {
  const { backToApp, textForApp } = pageTextsIn(language);
  return makeHtmlPageAnswer(
    language,
    200,
    backToApp.title,
    htmlTemplate`<p>${backToApp.text}</p>
<label for="token">${textForApp}</label>
<input id="token" readonly value="${text}">`,
  );
}
