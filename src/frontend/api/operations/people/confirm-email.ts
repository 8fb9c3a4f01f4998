/**
 * Page behind the link of a mail that confirms a new e-mail address. Opening the page changes nothing, because mail
 * scanners open links too; its button makes the change.
 */

import { makeConfirmNewEmailPage, makeNewEmailConfirmedPage, makeNewEmailNotConfirmedPage } from '#domain/pages';
import { openValidMailLinkToken } from '#domain/secrets';
import { type RawHttpAnswer, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { ActorRefusedError, ApiError, apiError } from '#model/errors';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter } from '../../parameters.js';

type EmailConfirmationCall = ApiCall<{ readonly token: string }>;

/** Decrypts the token in the link of the mail. @throws ApiError if the token is invalid or has expired */
function openEmailConfirmationLinkOrThrow({ params, secrets, now }: EmailConfirmationCall) {
  const link = openValidMailLinkToken(secrets, 'change-email', params.token, now);
  if (!link) throw apiError('MAIL_LINK');
  return link;
}

/** Runs `answer` and turns a refusal into an HTML page with the reason. */
async function answerWithRefusalAsPage(
  { pageLanguage }: EmailConfirmationCall,
  answer: () => RawHttpAnswer | Promise<RawHttpAnswer>,
): Promise<RawHttpAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ApiError) return makeNewEmailNotConfirmedPage(pageLanguage, error.status, error.message);
    if (error instanceof ActorRefusedError)
      return makeNewEmailNotConfirmedPage(pageLanguage, error.reply.status, error.reply.msg);
    throw error;
  }
}

const confirmationTokenParameter = { token: declarePathTextParameter('From the mail.') } as const;

export const showEmailConfirmationPageOperation = defineOperation({
  id: 'show-email-confirmation',
  method: 'GET',
  path: '/accounts/confirm_email/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Page with the button that confirms a new e-mail address.',
  parameters: confirmationTokenParameter,
  run: (call) =>
    answerWithRefusalAsPage(call, () => {
      openEmailConfirmationLinkOrThrow(call);
      return makeConfirmNewEmailPage(call.pageLanguage);
    }),
});

export const confirmNewEmailOperation = defineOperation({
  id: 'confirm-email',
  method: 'POST',
  path: '/accounts/confirm_email/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Confirm a new e-mail address.',
  parameters: confirmationTokenParameter,
  run: (call) =>
    answerWithRefusalAsPage(call, async () => {
      const { realm, user } = openEmailConfirmationLinkOrThrow(call);
      const args = { user, hash: call.secrets.hashApiKeyOrToken(call.params.token), shown: realm === call.realm };
      const { email } = await call.send(
        forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.confirmEmail, args }),
      );
      return makeNewEmailConfirmedPage(call.pageLanguage, String(email));
    }),
});
