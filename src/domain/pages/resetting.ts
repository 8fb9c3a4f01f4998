/** Pages for a forgotten password: one asks for a mail, another sets a new password by the link in the mail. */

import { type PageTexts, pageTextsIn, type ServerLanguage } from '#domain/texts';
import type { RawHttpAnswer } from '#model';
import { type FormRefusal, renderFormProblemIfAny } from './form-problem.js';
import { htmlTemplate, makeHtmlPageAnswer, makeSignInLine, type SafeHtml } from './page.js';

export interface PasswordResetRequestPageContent {
  readonly email: string;
  readonly hasWebClient: boolean;
  /** True if only owners can sign in with a password, because single sign-on is required. */
  readonly requiresSingleSignOn: boolean;
}

const renderSingleSignOnHint = ({ onlyOwnersHavePasswords }: PageTexts): SafeHtml =>
  htmlTemplate`<p>${onlyOwnersHavePasswords}</p>`;

/** Makes the page with the form for the address of an account. @param problem absent on the first view */
export function makeRequestPasswordResetPage(
  language: ServerLanguage,
  { email, hasWebClient, requiresSingleSignOn }: PasswordResetRequestPageContent,
  problem?: FormRefusal,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const body = htmlTemplate`${requiresSingleSignOn ? renderSingleSignOnHint(texts) : ''}
<p>${texts.resetMailFollows}</p>
${renderFormProblemIfAny(problem, texts)}
<form method="post">
<label for="email">${texts.emailOfAccount}</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<button type="submit">${texts.sendLink}</button>
</form>
${makeSignInLine(texts.backToSignIn, texts, hasWebClient)}`;
  return makeHtmlPageAnswer(language, problem?.status ?? 200, texts.forgottenPassword, body);
}

/** Makes the page after a request for a mail; it is the same whether or not the address has an account. */
export function makePasswordResetMailSentPage(
  language: ServerLanguage,
  { email, hasWebClient, requiresSingleSignOn }: PasswordResetRequestPageContent,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const [before, after] = texts.resetMailSent;
  return makeHtmlPageAnswer(
    language,
    200,
    texts.checkYourMail,
    htmlTemplate`<p>${before}<strong>${email}</strong>${after}</p>
${requiresSingleSignOn ? renderSingleSignOnHint(texts) : ''}
<p>${texts.resetMailMissing}</p>
${makeSignInLine(texts.backToSignIn, texts, hasWebClient)}`,
  );
}

export interface NewPasswordPageContent {
  readonly organization: string;
  readonly email: string;
}

/** Makes the page with the form for a new password. @param problem absent on the first view */
export function makeSetNewPasswordPage(
  language: ServerLanguage,
  { organization, email }: NewPasswordPageContent,
  problem?: FormRefusal,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const body = htmlTemplate`<p>${texts.setNewPassword(organization)}</p>
${renderFormProblemIfAny(problem, texts)}
<form method="post">
<p>${texts.yourEmailAddress} <strong>${email}</strong></p>
<input name="username" type="hidden" autocomplete="username" value="${email}">
<label for="password">${texts.newPassword}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="6" aria-describedby="hint">
<p id="hint">${texts.passwordHint}</p>
<label class="choice"><input name="new_key" type="checkbox" value="true"> ${texts.replaceApiKey}</label>
<button type="submit">${texts.setPassword}</button>
</form>`;
  return makeHtmlPageAnswer(language, problem?.status ?? 200, texts.newPassword, body);
}

export function makePasswordChangedPage(
  language: ServerLanguage,
  { organization, email }: NewPasswordPageContent,
  hasWebClient: boolean,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const [before, after] = texts.passwordIsSet(organization);
  return makeHtmlPageAnswer(
    language,
    200,
    texts.passwordChanged,
    htmlTemplate`<p>${before}<strong>${email}</strong>${after}</p>
${makeSignInLine(texts.signIn, texts, hasWebClient)}`,
  );
}

/** Makes the page of a link that was used, was replaced or has expired. The page doesn't say which. */
export function makePasswordResetLinkGonePage(language: ServerLanguage): RawHttpAnswer {
  const { resetLinkGone, requestNewLink } = pageTextsIn(language);
  return makeHtmlPageAnswer(
    language,
    404,
    resetLinkGone.title,
    htmlTemplate`<p>${resetLinkGone.text}</p>
<p class="way"><a href="/accounts/password/reset">${requestNewLink}</a></p>`,
  );
}
