/** Pages of the link that ends a kind of mail. */

import type { RawAnswer } from '#model';
import { html, makePageAnswer } from './page.js';

const KINDS = {
  missed: 'about messages that you missed',
  login: 'about new log-ins to your account',
  digest: 'with a summary of the week',
} as const;

export type UnsubscribePageKind = keyof typeof KINDS;

export const unsubscribePage = (kind: UnsubscribePageKind): RawAnswer =>
  makePageAnswer(
    200,
    'Unsubscribe',
    html`<p>Get no more mails ${KINDS[kind]}?</p>
<form method="post">
<button type="submit">Unsubscribe</button>
</form>`,
  );

export const unsubscribedPage = (kind: UnsubscribePageKind): RawAnswer =>
  makePageAnswer(
    200,
    'You are unsubscribed',
    html`<p>You get no more mails ${KINDS[kind]}. You can turn them on again in your settings.</p>`,
  );

/** Page of a link that this server did not make, or whose account is gone. */
export const unsubscribeLinkGonePage = (): RawAnswer =>
  makePageAnswer(
    404,
    'This link does not work',
    html`<p>Copy the whole link of the mail, or change your settings.</p>`,
  );
