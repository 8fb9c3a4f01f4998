/**
 * Pages for a forgotten password, without scripts, not part of the API. Any visitor may ask for a mail; the link in the
 * mail opens a page that sets the password. Opening a page changes nothing, because mail scanners open links too.
 */

import {
  makePasswordChangedPage,
  makePasswordResetLinkGonePage,
  makePasswordResetMailSentPage,
  makeRequestPasswordResetPage,
  makeSetNewPasswordPage,
  type PasswordResetRequestPageContent,
} from '#domain/pages';
import { openValidMailLinkToken } from '#domain/secrets';
import { isLoginMethodOn, PASSWORD_LOGIN_METHOD, type RealmId, realmActorKey } from '#model';
import { type OpenedPasswordResetLink, realmActorCommands } from '#model/commands';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declareOptionalTextParameter, declarePathIdParameter, declarePathTextParameter } from '../../parameters.js';
import { answerWithPageOnRefusal } from '../invitations/join-pages.js';

const describePasswordResetRequest = (
  { servesWebClient, directory }: ApiCall<unknown>,
  email: string,
): PasswordResetRequestPageContent => ({
  email,
  hasWebClient: servesWebClient,
  requiresSingleSignOn: !isLoginMethodOn(directory.settings.authentication_methods, PASSWORD_LOGIN_METHOD),
});

const showPasswordResetRequestPageOperation = defineOperation({
  id: 'show-password-reset-request',
  method: 'GET',
  path: '/accounts/password/reset',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody who forgot the password has a mail sent.',
  parameters: {},
  run: (call) => makeRequestPasswordResetPage(call.pageLanguage, describePasswordResetRequest(call, '')),
});

const requestPasswordResetMailOperation = defineOperation({
  id: 'request-password-reset',
  method: 'POST',
  path: '/accounts/password/reset',
  root: true,
  page: true,
  guard: 'none',
  summary:
    'Have a mail sent with which a new password can be set; the answer does not tell whether there is an account.',
  parameters: { email: declareOptionalTextParameter('form', 'Address of the account.') },
  run(call) {
    const email = (call.params.email ?? '').trim();
    const args = { email, origin: call.site };
    const content = describePasswordResetRequest(call, email);
    return answerWithPageOnRefusal(
      () => makePasswordResetLinkGonePage(call.pageLanguage),
      async () => {
        call.countMailOfAnonymousCaller();
        await call.send(
          forwardCommand({ to: realmActorKey(call.realm), command: realmActorCommands.askPasswordReset, args }),
        );
        return makePasswordResetMailSentPage(call.pageLanguage, content);
      },
      async (problem) => makeRequestPasswordResetPage(call.pageLanguage, content, problem),
    );
  },
});

const resetTokenParameter = { token: declarePathTextParameter('From the mail.') } as const;

/** Returns the content of the reset link; undefined if this server didn't make the link, or the link has expired. */
function openPasswordResetLink({
  params,
  secrets,
  now,
}: ApiCall<{ readonly token: string }>):
  | { readonly realm: RealmId; readonly link: OpenedPasswordResetLink }
  | undefined {
  const opened = openValidMailLinkToken(secrets, 'reset-password', params.token, now);
  return opened && { realm: opened.realm, link: { user: opened.user, hash: secrets.hashApiKeyOrToken(params.token) } };
}

const showNewPasswordPageOperation = defineOperation({
  id: 'show-password-reset',
  method: 'GET',
  path: '/accounts/password/reset/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page that sets a new password.',
  parameters: resetTokenParameter,
  run(call) {
    const opened = openPasswordResetLink(call);
    const gone = () => makePasswordResetLinkGonePage(call.pageLanguage);
    if (!opened) return gone();
    const command = realmActorCommands.peekPasswordReset;
    return answerWithPageOnRefusal(gone, async () =>
      makeSetNewPasswordPage(
        call.pageLanguage,
        await call.send(forwardCommand({ to: realmActorKey(opened.realm), command, args: opened.link })),
      ),
    );
  },
});

const setNewPasswordOperation = defineOperation({
  id: 'reset-password',
  method: 'POST',
  path: '/accounts/password/reset/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Set a new password; ends the sessions of the account.',
  parameters: {
    ...resetTokenParameter,
    password: declareOptionalTextParameter('form', 'At least 6 characters and hard enough to guess.'),
    new_key: declareOptionalTextParameter('form', "'true': the API key is replaced, too."),
    username: declareOptionalTextParameter('form', 'Ignored; for password managers.'),
  },
  run(call) {
    const opened = openPasswordResetLink(call);
    const gone = () => makePasswordResetLinkGonePage(call.pageLanguage);
    if (!opened) return gone();
    const { realm, link } = opened;
    const to = realmActorKey(realm);
    const { password = '', new_key } = call.params;
    return answerWithPageOnRefusal(
      gone,
      async () => {
        const args = { ...link, password, newKey: new_key === 'true', shown: realm === call.realm };
        return makePasswordChangedPage(
          call.pageLanguage,
          await call.send(forwardCommand({ to, command: realmActorCommands.resetPassword, args })),
          call.servesWebClient,
        );
      },
      async (problem) =>
        makeSetNewPasswordPage(
          call.pageLanguage,
          await call.send(forwardCommand({ to, command: realmActorCommands.peekPasswordReset, args: link })),
          problem,
        ),
    );
  },
});

/** Operation by which administrators have a reset link mailed to a user, because they must not learn the password. */
export const sendPasswordResetAsAdminOperation = defineOperation({
  id: 'web-send-password-reset',
  method: 'POST',
  path: '/web/users/{user_id}/password_reset',
  root: true,
  guard: 'admin',
  webClient: true,
  summary: 'Have a mail sent to a user with which a new password can be set; administrators only.',
  parameters: { user_id: declarePathIdParameter('The user.') },
  run: ({ params, realm, site }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.sendPasswordReset,
      args: { user_id: params.user_id, origin: site },
    }),
});

export const PASSWORD_RESET_OPERATIONS = [
  showPasswordResetRequestPageOperation,
  requestPasswordResetMailOperation,
  showNewPasswordPageOperation,
  setNewPasswordOperation,
  sendPasswordResetAsAdminOperation,
] as unknown as readonly ApiOperation[];
