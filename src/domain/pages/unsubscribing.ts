/** Pages of the link that unsubscribes from a kind of mail. */

import type { UnsubscribableMailKind } from '#domain/notifications';
import { pageTextsIn, type ServerLanguage } from '#domain/texts';
import type { RawHttpAnswer } from '#model';
import { htmlTemplate, makeHtmlPageAnswer, makeSimplePageAnswer } from './page.js';

export function makeUnsubscribeConfirmationPage(language: ServerLanguage, kind: UnsubscribableMailKind): RawHttpAnswer {
  const { unsubscribe, stopMails } = pageTextsIn(language);
  return makeHtmlPageAnswer(
    language,
    200,
    unsubscribe,
    htmlTemplate`<p>${stopMails[kind]}</p>
<form method="post">
<button type="submit">${unsubscribe}</button>
</form>`,
  );
}

export function makeUnsubscribedPage(language: ServerLanguage, kind: UnsubscribableMailKind): RawHttpAnswer {
  const { unsubscribed, mailsStopped } = pageTextsIn(language);
  return makeSimplePageAnswer(language, 200, { title: unsubscribed, text: mailsStopped[kind] });
}

/** Makes the page of a link that this server did not make, or whose account no longer exists. */
export const makeUnsubscribeLinkGonePage = (language: ServerLanguage): RawHttpAnswer =>
  makeSimplePageAnswer(language, 404, pageTextsIn(language).unsubscribeLinkGone);
