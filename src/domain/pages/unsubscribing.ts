/** Pages of the link that unsubscribes from a kind of mail. */

import type { RawHttpAnswer } from '#model';
import { htmlTemplate, makeHtmlPageAnswer } from './page.js';

const MAIL_DESCRIPTION_BY_KIND = {
  missed: 'about messages that you missed',
  login: 'about new log-ins to your account',
  digest: 'with a summary of the week',
} as const;

export type UnsubscribePageMailKind = keyof typeof MAIL_DESCRIPTION_BY_KIND;

export const makeUnsubscribeConfirmationPage = (kind: UnsubscribePageMailKind): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'Unsubscribe',
    htmlTemplate`<p>Get no more mails ${MAIL_DESCRIPTION_BY_KIND[kind]}?</p>
<form method="post">
<button type="submit">Unsubscribe</button>
</form>`,
  );

export const makeUnsubscribedPage = (kind: UnsubscribePageMailKind): RawHttpAnswer =>
  makeHtmlPageAnswer(
    200,
    'You are unsubscribed',
    htmlTemplate`<p>You get no more mails ${MAIL_DESCRIPTION_BY_KIND[kind]}. You can turn them on again in your settings.</p>`,
  );

/** Makes the page of a link that this server did not make, or whose account no longer exists. */
export const makeUnsubscribeLinkGonePage = (): RawHttpAnswer =>
  makeHtmlPageAnswer(
    404,
    'This link does not work',
    htmlTemplate`<p>Copy the whole link of the mail, or change your settings.</p>`,
  );
