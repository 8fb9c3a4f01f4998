/** Pages of invitation links and of sign-up. */

import type { RawHttpAnswer } from '#model';
import { type FormRefusal, renderFormProblemIfAny } from './form-problem.js';
import { htmlTemplate, makeHtmlPageAnswer } from './page.js';

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
export function makeSignUpAddressPage(organization: string, email: string, problem?: FormRefusal): RawHttpAnswer {
  const body = htmlTemplate`<p>You will get a letter with a link.</p>
${renderFormProblemIfAny(problem)}
<form method="post">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${email}">
<button type="submit">Send it</button>
</form>`;
  return makeHtmlPageAnswer(problem?.status ?? 200, `Join ${organization}`, body);
}

export const makeSignUpMailSentPage = (email: string): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'Look into your mail',
    htmlTemplate`<p>A letter is on its way to <strong>${email}</strong>.</p>`,
  );

export const makeSignUpNeedsInvitationPage = (): RawHttpAnswer =>
  makeHtmlPageAnswer(
    403,
    'An invitation is needed',
    htmlTemplate`<p>Who wants to join this organization asks a member for an invitation.</p>`,
  );

/** Page of a sign-up link that has expired or was never valid. */
export const makeExpiredSignUpLinkPage = (): RawHttpAnswer =>
  makeHtmlPageAnswer(
    404,
    'This link is not good any more',
    htmlTemplate`<p>It may be more than a day old. Have a new one sent.</p>`,
  );

const NEW_PASSWORD_FIELD = htmlTemplate`<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="6" aria-describedby="hint">
<p id="hint">At least 6 characters, and hard to guess.</p>`;

/**
 * Page with the form of a new account. @param fullName name that was typed before @param problem absent on the first
 * view
 */
export function makeNewAccountFormPage(
  of: NewAccountPageContent,
  fullName: string,
  problem?: FormRefusal,
): RawHttpAnswer {
  const body = htmlTemplate`<p>${of.inviter === null ? '' : `${of.inviter} invites you. `}Make your account:</p>
${renderFormProblemIfAny(problem)}
<form method="post">
<p>Your e-mail address: <strong>${of.email}</strong></p>
<label for="full_name">Full name</label>
<input id="full_name" name="full_name" autocomplete="name" required maxlength="100" value="${fullName}">
${of.hasPassword ? NEW_PASSWORD_FIELD : ''}
<button type="submit">Join</button>
</form>`;
  return makeHtmlPageAnswer(problem?.status ?? 200, `Join ${of.organization}`, body);
}

export const makeAccountCreatedPage = (
  { organization, email, hasPassword }: Omit<NewAccountPageContent, 'inviter'>,
  origin: string,
  hasWebClient: boolean,
): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    `Welcome to ${organization}`,
    htmlTemplate`<p>Your account is made. ${
      hasWebClient ? htmlTemplate`<a href="/">Sign in with this browser</a>, or` : 'Sign in'
    } with an app of your choice:</p>
<dl>
<dt>Server address</dt><dd><code>${origin}</code></dd>
<dt>E-mail address</dt><dd><code>${email}</code></dd>
${hasPassword ? htmlTemplate`<dt>Password</dt><dd>the one that you chose</dd>` : ''}
</dl>
${hasPassword ? '' : htmlTemplate`<p>This organization has no passwords: choose its single sign-on.</p>`}`,
  );

/** Page of an invitation that was used, revoked, expired or never existed. The page doesn't say which. */
export const makeInvitationGonePage = (): RawHttpAnswer =>
  makeHtmlPageAnswer(
    404,
    'This invitation does not stand any more',
    htmlTemplate`<p>It may have been used, taken back, or expired. Ask whoever invited you for a new one.</p>`,
  );
