/**
 * HTML pages for people who open a link of a mail: joining an organization, signing up, confirming an address,
 * setting a new password, single sign-on, ending a kind of mail.
 *
 * `page.ts` has the frame of a page, its headers and the escaping template `htmlTemplate`. `joining.ts`,
 * `confirming.ts`, `resetting.ts`, `signing-in.ts` and `unsubscribing.ts` have the pages, one function per outcome. An
 * operation of the frontend calls such a function with the language of the browser, and its answer is sent as is. The
 * words are in `#domain/texts`.
 *
 * Invariants: every value in a template is escaped unless it is `SafeHtml`. Pages have no scripts, load nothing, and
 * are neither cached nor indexed nor framed, because their addresses are secrets.
 *
 * Only operations of the frontend may import this folder.
 */
export { makeConfirmNewEmailPage, makeNewEmailConfirmedPage, makeNewEmailNotConfirmedPage } from './confirming.js';
export type { FormRefusal } from './form-problem.js';
export {
  makeAccountCreatedPage,
  makeExpiredSignUpLinkPage,
  makeInvitationGonePage,
  makeNewAccountFormPage,
  makeSignUpAddressPage,
  makeSignUpMailSentPage,
  makeSignUpNeedsInvitationPage,
  type NewAccountPageContent,
} from './joining.js';
export {
  makePasswordChangedPage,
  makePasswordResetLinkGonePage,
  makePasswordResetMailSentPage,
  makeRequestPasswordResetPage,
  makeSetNewPasswordPage,
  type NewPasswordPageContent,
  type PasswordResetRequestPageContent,
} from './resetting.js';
export { makeDesktopSignInTokenPage, makeSingleSignOnFailedPage } from './signing-in.js';
export { makeUnsubscribeConfirmationPage, makeUnsubscribedPage, makeUnsubscribeLinkGonePage } from './unsubscribing.js';
