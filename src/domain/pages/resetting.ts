/** Pages for a forgotten password: one asks for a mail, another sets a new password by the link in the mail. */

import type { RawHttpAnswer } from '#model';
import { type FormRefusal, renderFormProblemIfAny } from './form-problem.js';
import { htmlTemplate, makeHtmlPageAnswer, makeSignInLine } from './page.js';

export interface PasswordResetRequestPageContent {
  readonly email: string;
  readonly hasWebClient: boolean;
  /** True if only owners can sign in with a password, because single sign-on is required. */
  readonly requiresSingleSignOn: boolean;
}

const SINGLE_SIGN_ON_HINT = htmlTemplate`<p>This organization has no passwords, except for its owners: choose its single sign-on.</p>`;

/** Makes the page with the form for the address of an account. @param problem absent on the first view */
export function makeRequestPasswordResetPage(
  { email, hasWebClient, requiresSingleSignOn }: PasswordResetRequestPageContent,
  problem?: FormRefusal,
): RawHttpAnswer {
  const body = htmlTemplate`${requiresSingleSignOn ? SINGLE_SIGN_ON_HINT : ''}
<p>You will get a mail with a link that sets a new password.</p>
${renderFormProblemIfAny(problem)}
<form method="post">
<label for="email">E-mail address of your account</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<button type="submit">Send it</button>
</form>
${makeSignInLine('Back to signing in', hasWebClient)}`;
  return makeHtmlPageAnswer(problem?.status ?? 200, 'Forgotten password', body);
}

/** Makes the page after a request for a mail; it is the same whether or not the address has an account. */
export const makePasswordResetMailSentPage = ({
  email,
  hasWebClient,
  requiresSingleSignOn,
}: PasswordResetRequestPageContent): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'Look into your mail',
    htmlTemplate`<p>If <strong>${email}</strong> is the address of an account here, a mail is on its way. Its link holds for an hour.</p>
${requiresSingleSignOn ? SINGLE_SIGN_ON_HINT : ''}
<p>Nothing came? Look into the spam folder, or ask an administrator of the organization.</p>
${makeSignInLine('Back to signing in', hasWebClient)}`,
  );

export interface NewPasswordPageContent {
  readonly organization: string;
  readonly email: string;
}

/** Makes the page with the form for a new password. @param problem absent on the first view */
export function makeSetNewPasswordPage(
  { organization, email }: NewPasswordPageContent,
  problem?: FormRefusal,
): RawHttpAnswer {
  const body = htmlTemplate`<p>Set a new password for your account at ${organization}. All browsers will be signed out.</p>
${renderFormProblemIfAny(problem)}
<form method="post">
<p>Your e-mail address: <strong>${email}</strong></p>
<input name="username" type="hidden" autocomplete="username" value="${email}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="6" aria-describedby="hint">
<p id="hint">At least 6 characters, and hard to guess.</p>
<label class="choice"><input name="new_key" type="checkbox" value="true"> Sign out apps, too: replace the API key</label>
<button type="submit">Set the password</button>
</form>`;
  return makeHtmlPageAnswer(problem?.status ?? 200, 'New password', body);
}

export const makePasswordChangedPage = (
  { organization, email }: NewPasswordPageContent,
  hasWebClient: boolean,
): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'Your password is changed',
    htmlTemplate`<p>The account <strong>${email}</strong> at ${organization} has its new password.</p>
${makeSignInLine('Sign in', hasWebClient)}`,
  );

/** Makes the page of a link that was used, was replaced or has expired. The page doesn't say which. */
export const makePasswordResetLinkGonePage = (): RawHttpAnswer =>
  makeHtmlPageAnswer(
    404,
    'This link does not hold any more',
    htmlTemplate`<p>It may have been used or have expired, or a newer one was sent in its place.</p>
<p class="way"><a href="/accounts/password/reset">Have a new one sent</a></p>`,
  );
