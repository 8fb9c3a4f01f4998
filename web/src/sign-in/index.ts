/**
 * The view of a visitor who has no session: the organization's name and icon, e-mail address and password, single
 * sign-on (a link to the server), a one-time link (`#sign-in/TOKEN`), or reading without an account where the
 * organization has streams that are public on the web.
 *
 *     GET /server_settings → form → core.session.signIn → the core registers, and the shell shows the client instead
 *
 * A one-time link is also opened here if the reader has a session: the page then asks before the account changes.
 *
 * - `form.tsx`: the form and its errors, which appear at their field or above the button.
 * - `failure.ts`: from a refusal of the server to a text.
 *
 * The password is in the signal of the form and in one request, and in no storage.
 */
export { SignInView } from './view.js';
