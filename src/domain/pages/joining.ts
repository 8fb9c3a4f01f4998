/** Pages of invitation links and of sign-up. */

import { type PageTexts, pageTextsIn, type ServerLanguage } from '#domain/texts';
import type { RawHttpAnswer } from '#model';
import { type FormRefusal, renderFormProblemIfAny } from './form-problem.js';
import { htmlTemplate, makeHtmlPageAnswer, makeSignInLine, type SafeHtml } from './page.js';

export interface NewAccountPageContent {
  readonly organization: string;
  /** Name of the inviting user; null: none. */
  readonly inviter: string | null;
  /** The invited or confirmed e-mail address. */
  readonly email: string;
  /** True if the account may sign in with a password; false where single sign-on is required. */
  readonly hasPassword: boolean;
}

/** Page with the form for an address to sign up. @param problem absent on the first view */
export function makeSignUpAddressPage(
  language: ServerLanguage,
  organization: string,
  email: string,
  problem?: FormRefusal,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const body = htmlTemplate`<p>${texts.mailWithLinkFollows}</p>
${renderFormProblemIfAny(problem, texts)}
<form method="post">
<label for="email">${texts.emailAddress}</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${email}">
<button type="submit">${texts.sendLink}</button>
</form>`;
  return makeHtmlPageAnswer(language, problem?.status ?? 200, texts.joinOrganization(organization), body);
}

export function makeSignUpMailSentPage(language: ServerLanguage, email: string): RawHttpAnswer {
  const { checkYourMail, mailSentTo } = pageTextsIn(language);
  const body = htmlTemplate`<p>${mailSentTo[0]}<strong>${email}</strong>${mailSentTo[1]}</p>`;
  return makeHtmlPageAnswer(language, 200, checkYourMail, body);
}

/** Makes a page for somebody who can't join by a link, but may have an account already. */
function makeRefusedJoinPage(
  language: ServerLanguage,
  status: number,
  reason: 'invitationNeeded' | 'invitationGone' | 'signUpLinkExpired',
  hasWebClient: boolean,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const { title, text } = texts[reason];
  const body = htmlTemplate`<p>${text}</p>
${makeSignInLine(texts.signInToAccount, texts, hasWebClient)}`;
  return makeHtmlPageAnswer(language, status, title, body);
}

export const makeSignUpNeedsInvitationPage = (language: ServerLanguage, hasWebClient: boolean): RawHttpAnswer =>
  makeRefusedJoinPage(language, 403, 'invitationNeeded', hasWebClient);

/** Page of a sign-up link that has expired or was never valid. */
export const makeExpiredSignUpLinkPage = (language: ServerLanguage, hasWebClient: boolean): RawHttpAnswer =>
  makeRefusedJoinPage(language, 404, 'signUpLinkExpired', hasWebClient);

/** Page of an invitation that was used, revoked, expired or never existed. The page doesn't say which. */
export const makeInvitationGonePage = (language: ServerLanguage, hasWebClient: boolean): RawHttpAnswer =>
  makeRefusedJoinPage(language, 404, 'invitationGone', hasWebClient);

const renderNewPasswordField = ({ password, passwordHint }: PageTexts): SafeHtml =>
  htmlTemplate`<label for="password">${password}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="6" aria-describedby="hint">
<p id="hint">${passwordHint}</p>`;

/**
 * Page with the form of a new account. @param fullName name that was typed before @param problem absent on the first
 * view
 */
export function makeNewAccountFormPage(
  language: ServerLanguage,
  of: NewAccountPageContent,
  fullName: string,
  problem?: FormRefusal,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const body = htmlTemplate`<p>${of.inviter === null ? '' : `${texts.invitedBy(of.inviter)} `}${texts.createYourAccount}</p>
${renderFormProblemIfAny(problem, texts)}
<form method="post">
<p>${texts.yourEmailAddress} <strong>${of.email}</strong></p>
<label for="full_name">${texts.fullName}</label>
<input id="full_name" name="full_name" autocomplete="name" required maxlength="100" value="${fullName}">
${of.hasPassword ? renderNewPasswordField(texts) : ''}
<button type="submit">${texts.join}</button>
</form>`;
  return makeHtmlPageAnswer(language, problem?.status ?? 200, texts.joinOrganization(of.organization), body);
}

export function makeAccountCreatedPage(
  language: ServerLanguage,
  { organization, email, hasPassword }: Omit<NewAccountPageContent, 'inviter'>,
  origin: string,
  hasWebClient: boolean,
): RawHttpAnswer {
  const texts = pageTextsIn(language);
  const waysToSignIn = hasWebClient
    ? htmlTemplate`<a href="/">${texts.signInWithBrowser}</a>${texts.orWithApp}`
    : texts.signInWithAnApp;
  const body = htmlTemplate`<p>${texts.accountCreated} ${waysToSignIn}</p>
<dl>
<dt>${texts.serverAddress}</dt><dd><code>${origin}</code></dd>
<dt>${texts.emailAddress}</dt><dd><code>${email}</code></dd>
${hasPassword ? htmlTemplate`<dt>${texts.password}</dt><dd>${texts.chosenPassword}</dd>` : ''}
</dl>
${hasPassword ? '' : htmlTemplate`<p>${texts.hasNoPasswords}</p>`}`;
  return makeHtmlPageAnswer(language, 200, texts.welcome(organization), body);
}
