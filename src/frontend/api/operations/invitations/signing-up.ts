/** Pages for joining an organization that needs no invitation, opened in a browser; not part of the API. */

import { openSignUpToken, type SignUpTokenContent } from '#domain/invitations';
import {
  makeAccountCreatedPage,
  makeExpiredSignUpLinkPage,
  makeInvitationGonePage,
  makeNewAccountFormPage,
  makeSignUpAddressPage,
  makeSignUpMailSentPage,
  makeSignUpNeedsInvitationPage,
} from '#domain/pages';
import { type RawHttpAnswer, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declareOptionalTextParameter, declarePathTextParameter } from '../../parameters.js';
import {
  answerWithPageOnRefusal,
  languageOfNewcomer,
  NEW_ACCOUNT_FORM_PARAMETERS,
  type NewAccountFormProblem,
} from './join-pages.js';

/** Returns the name of the organization. @throws ActorRefusedError if the organization needs invitations */
async function fetchRealmNameIfOpenToSignUp(call: ApiCall<unknown>, realm: ApiCall<unknown>['realm']): Promise<string> {
  const { organization } = await call.send(
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.peekSignUp, args: {} }),
  );
  return String(organization);
}

const answerOrInvitationNeededPage = (
  { pageLanguage, servesWebClient }: ApiCall<unknown>,
  answer: () => Promise<RawHttpAnswer>,
  again?: (problem: NewAccountFormProblem) => Promise<RawHttpAnswer>,
) => answerWithPageOnRefusal(() => makeSignUpNeedsInvitationPage(pageLanguage, servesWebClient), answer, again);

const showSignUpPageOperation = defineOperation({
  id: 'show-signup',
  method: 'GET',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody asks to join an organization that needs no invitation.',
  parameters: {},
  run: (call) =>
    answerOrInvitationNeededPage(call, async () =>
      makeSignUpAddressPage(call.pageLanguage, await fetchRealmNameIfOpenToSignUp(call, call.realm), ''),
    ),
});

const requestSignUpMailOperation = defineOperation({
  id: 'ask-signup',
  method: 'POST',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Have a mail sent with a link that creates the account.',
  parameters: { email: declareOptionalTextParameter('form', 'Address of the account.') },
  run(call) {
    const email = (call.params.email ?? '').trim();
    const args = { email, by: null, origin: call.site };
    return answerOrInvitationNeededPage(
      call,
      async () => {
        call.countMailOfAnonymousCaller();
        await call.send(forwardCommand({ to: realmActorKey(call.realm), command: realmActorCommands.askSignUp, args }));
        return makeSignUpMailSentPage(call.pageLanguage, email);
      },
      async (problem) =>
        makeSignUpAddressPage(call.pageLanguage, await fetchRealmNameIfOpenToSignUp(call, call.realm), email, problem),
    );
  },
});

const signUpTokenParameter = { token: declarePathTextParameter('From the mail.') } as const;

/** Makes the page for a confirmed address whose invitation was revoked, or whose organization now needs invitations. */
const makeClosedPage = (
  { by }: SignUpTokenContent,
  { pageLanguage, servesWebClient }: ApiCall<unknown>,
): RawHttpAnswer => (by ? makeInvitationGonePage : makeSignUpNeedsInvitationPage)(pageLanguage, servesWebClient);

async function makeConfirmedSignUpFormPage(
  call: ApiCall<unknown>,
  of: SignUpTokenContent,
  fullName = '',
  problem?: NewAccountFormProblem,
): Promise<RawHttpAnswer> {
  const { realm, email, by } = of;
  const to = realmActorKey(realm);
  if (!by) {
    const shown = await call.send(forwardCommand({ to, command: realmActorCommands.peekSignUp, args: {} }));
    return makeNewAccountFormPage(call.pageLanguage, { ...shown, inviter: null, email }, fullName, problem);
  }
  const command = realmActorCommands.peekInvitation;
  const shown = await call.send(forwardCommand({ to, command, args: { kind: 'link', ...by } }));
  return makeNewAccountFormPage(call.pageLanguage, { ...shown, email }, fullName, problem);
}

const showConfirmedSignUpFormOperation = defineOperation({
  id: 'show-confirmed-signup',
  method: 'GET',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody whose address is confirmed makes an account.',
  parameters: signUpTokenParameter,
  run(call) {
    const of = openSignUpToken(call.secrets, call.params.token, call.now);
    return of
      ? answerWithPageOnRefusal(
          () => makeClosedPage(of, call),
          () => makeConfirmedSignUpFormPage(call, of),
        )
      : makeExpiredSignUpLinkPage(call.pageLanguage, call.servesWebClient);
  },
});

const signUpWithConfirmedEmailOperation = defineOperation({
  id: 'confirmed-signup',
  method: 'POST',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...signUpTokenParameter,
    ...NEW_ACCOUNT_FORM_PARAMETERS,
  },
  run(call) {
    const of = openSignUpToken(call.secrets, call.params.token, call.now);
    if (!of) return makeExpiredSignUpLinkPage(call.pageLanguage, call.servesWebClient);
    const { full_name = '', password = '' } = call.params;
    return answerWithPageOnRefusal(
      () => makeClosedPage(of, call),
      async () => {
        const origin = await call.baseUrlOfRealm(of.realm);
        const account = { email: of.email, full_name, password, origin, ...languageOfNewcomer(call) };
        const to = realmActorKey(of.realm);
        const made = await call.send(
          of.by
            ? forwardCommand({ to, command: realmActorCommands.join, args: { kind: 'link', ...of.by, ...account } })
            : forwardCommand({ to, command: realmActorCommands.signUp, args: account }),
        );
        return makeAccountCreatedPage(call.pageLanguage, made, origin, call.servesWebClient);
      },
      (problem) => makeConfirmedSignUpFormPage(call, of, full_name, problem),
    );
  },
});

export const SIGN_UP_OPERATIONS = [
  showSignUpPageOperation,
  requestSignUpMailOperation,
  showConfirmedSignUpFormOperation,
  signUpWithConfirmedEmailOperation,
] as const;
