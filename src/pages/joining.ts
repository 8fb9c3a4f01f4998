/** What somebody sees who opens the link of an invitation. */
import type { RawAnswer } from '../api/operation.js';
import { type Html, html, pageAnswer } from './page.js';

export interface JoinPage {
  readonly organization: string;
  /** null: nobody did. */
  readonly inviter: string | null;
  /** Invited; null: the newcomer types one in. */
  readonly email: string | null;
}

/** What was typed in before, but for the password. */
export interface Typed {
  readonly fullName: string;
  readonly email: string;
}

const NOTHING: Html = html``;

const problemText = (problem: string): Html =>
  html`<p class="problem" role="alert" id="problem"><strong>That did not work:</strong> ${problem}</p>`;

const emailField = ({ email }: JoinPage, typed: Typed): Html =>
  email === null
    ? html`<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${typed.email}">`
    : html`<p>Your e-mail address: <strong>${email}</strong></p>`;

/** @param problem why it was refused before; '' = this is the first time */
export function signUpForm(organization: string, email: string, problem = ''): RawAnswer {
  const body = html`<p>You will get a letter with a link.</p>
${problem === '' ? NOTHING : problemText(problem)}
<form method="post">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${email}">
<button type="submit">Send it</button>
</form>`;
  return pageAnswer(problem === '' ? 200 : 400, `Join ${organization}`, body);
}

export const letterSent = (email: string): RawAnswer =>
  pageAnswer(200, 'Look into your mail', html`<p>A letter is on its way to <strong>${email}</strong>.</p>`);

export const noSignUp = (): RawAnswer =>
  pageAnswer(
    403,
    'An invitation is needed',
    html`<p>Who wants to join this organization asks a member for an invitation.</p>`,
  );

/** Its time is over, or it never was one. */
export const oldLetter = (): RawAnswer =>
  pageAnswer(404, 'This link is not good any more', html`<p>It may be more than a day old. Have a new one sent.</p>`);

/** @param problem why it was refused before; '' = this is the first time */
export function joinForm(of: JoinPage, typed: Typed, problem = ''): RawAnswer {
  const body = html`<p>${of.inviter === null ? '' : `${of.inviter} invites you. `}Make your account:</p>
${problem === '' ? NOTHING : problemText(problem)}
<form method="post">
${emailField(of, typed)}
<label for="full_name">Full name</label>
<input id="full_name" name="full_name" autocomplete="name" required maxlength="100" value="${typed.fullName}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="6" aria-describedby="hint">
<p id="hint">At least 6 characters, and hard to guess.</p>
<button type="submit">Join</button>
</form>`;
  return pageAnswer(problem === '' ? 200 : 400, `Join ${of.organization}`, body);
}

export const joined = (organization: string, origin: string, email: string): RawAnswer =>
  pageAnswer(
    200,
    `Welcome to ${organization}`,
    html`<p>Your account is made. Log in with an app of your choice:</p>
<dl>
<dt>Server address</dt><dd><code>${origin}</code></dd>
<dt>E-mail address</dt><dd><code>${email}</code></dd>
<dt>Password</dt><dd>the one that you chose</dd>
</dl>`,
  );

/** Used, taken back, expired, or never there: which of them is nobody's business. */
export const noInvitation = (): RawAnswer =>
  pageAnswer(
    404,
    'This invitation does not stand any more',
    html`<p>It may have been used, taken back, or expired. Ask whoever invited you for a new one.</p>`,
  );
