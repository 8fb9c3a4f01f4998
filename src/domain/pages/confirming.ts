/** Pages of the link that confirms a new e-mail address. */

import { pageTextsIn, type ServerLanguage, translatePageRefusal } from '#domain/texts';
import type { RawHttpAnswer } from '#model';
import { htmlTemplate, makeHtmlPageAnswer } from './page.js';

export function makeConfirmNewEmailPage(language: ServerLanguage): RawHttpAnswer {
  const { confirmEmail, confirm } = pageTextsIn(language);
  return makeHtmlPageAnswer(
    language,
    200,
    confirmEmail.title,
    htmlTemplate`<p>${confirmEmail.text}</p>
<form method="post">
<button type="submit">${confirm}</button>
</form>`,
  );
}

export function makeNewEmailConfirmedPage(language: ServerLanguage, email: string): RawHttpAnswer {
  const { emailChanged, emailIsNow } = pageTextsIn(language);
  return makeHtmlPageAnswer(
    language,
    200,
    emailChanged,
    htmlTemplate`<p>${emailIsNow[0]}<strong>${email}</strong>${emailIsNow[1]}</p>`,
  );
}

/** Page of an address that could not be confirmed. @param problem reason in the words of the API */
export function makeNewEmailNotConfirmedPage(language: ServerLanguage, status: number, problem: string): RawHttpAnswer {
  const texts = pageTextsIn(language);
  return makeHtmlPageAnswer(
    language,
    status,
    texts.emailNotChanged,
    htmlTemplate`<p class="problem" role="alert">${translatePageRefusal(problem, texts)}</p>`,
  );
}
