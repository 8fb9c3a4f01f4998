/**
 * Page behind the link of a mail that confirms a new e-mail address. Opening the page changes nothing, because mail
 * scanners open links too; its button makes the change.
 */

import { makeConfirmEmailPage, makeEmailConfirmedPage, makeEmailNotConfirmedPage } from '#domain/pages';
import { openMailLinkToken } from '#domain/secrets';
import { type RawHttpAnswer, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { ActorRefusedError, ApiError, apiError } from '#model/errors';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter } from '../../parameters.js';

type LinkCall = ApiCall<{ readonly token: string }>;

/** Decrypts the token in the link of the mail. @throws ApiError if the token is invalid or has expired */
function linkOf({ params, secrets, now }: LinkCall) {
  const link = openMailLinkToken(secrets, 'change-email', params.token, now);
  if (!link) throw apiError('MAIL_LINK');
  return link;
}

/** Runs `answer` and turns a refusal into an HTML page with the reason. */
async function asPage(answer: () => RawHttpAnswer | Promise<RawHttpAnswer>): Promise<RawHttpAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ApiError) return makeEmailNotConfirmedPage(error.status, error.message);
    if (error instanceof ActorRefusedError) return makeEmailNotConfirmedPage(error.reply.status, error.reply.msg);
    throw error;
  }
}

const parameters = { token: declarePathTextParameter('From the mail.') } as const;

export const showEmailConfirmationOperation = defineOperation({
  id: 'show-email-confirmation',
  method: 'GET',
  path: '/accounts/confirm_email/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Page with the button that confirms a new e-mail address.',
  parameters,
  run: (call) =>
    asPage(() => {
      linkOf(call);
      return makeConfirmEmailPage();
    }),
});

export const confirmEmailOperation = defineOperation({
  id: 'confirm-email',
  method: 'POST',
  path: '/accounts/confirm_email/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Confirm a new e-mail address.',
  parameters,
  run: (call) =>
    asPage(async () => {
      const { realm, user } = linkOf(call);
      const args = { user, hash: call.secrets.apiKeyHash(call.params.token), shown: realm === call.realm };
      const { email } = await call.send(
        forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.confirmEmail, args }),
      );
      return makeEmailConfirmedPage(String(email));
    }),
});
