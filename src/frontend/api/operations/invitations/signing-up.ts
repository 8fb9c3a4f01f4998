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
import { answerWithPageOnRefusal, NEW_ACCOUNT_FORM_PARAMETERS, type NewAccountFormProblem } from './join-pages.js';

/** Returns the name of the organization. @throws ActorRefusedError if the organization needs invitations */
async function fetchRealmNameIfOpenToSignUp(call: ApiCall<unknown>, realm: ApiCall<unknown>['realm']): Promise<string> {
  const { organization } = await call.send(
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.peekSignUp, args: {} }),
  );
  return String(organization);
}

const answerOrInvitationNeededPage = (
  answer: () => Promise<RawHttpAnswer>,
  again?: (problem: NewAccountFormProblem) => Promise<RawHttpAnswer>,
) => answerWithPageOnRefusal(makeSignUpNeedsInvitationPage, answer, again);

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
    answerOrInvitationNeededPage(async () =>
      makeSignUpAddressPage(await fetchRealmNameIfOpenToSignUp(call, call.realm), ''),
    ),
});

const requestSignUpMailOperation = defineOperation({
  id: 'ask-signup',
  method: 'POST',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Have a letter sent with which the account can be made.',
  parameters: { email: declareOptionalTextParameter('form', 'Address of the account.') },
  run(call) {
    const email = (call.params.email ?? '').trim();
    const args = { email, by: null, origin: call.site };
    return answerOrInvitationNeededPage(
      async () => {
        call.countMailOfAnonymousCaller();
        await call.send(forwardCommand({ to: realmActorKey(call.realm), command: realmActorCommands.askSignUp, args }));
        return makeSignUpMailSentPage(email);
      },
      async (problem) => makeSignUpAddressPage(await fetchRealmNameIfOpenToSignUp(call, call.realm), email, problem),
    );
  },
});

const signUpTokenParameter = { token: declarePathTextParameter('From the letter.') } as const;

/** Makes the page for a confirmed address whose invitation was revoked, or whose organization now needs invitations. */
const selectClosedPageMaker = ({ by }: SignUpTokenContent) =>
  by ? makeInvitationGonePage : makeSignUpNeedsInvitationPage;

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
    return makeNewAccountFormPage({ ...shown, inviter: null, email }, fullName, problem);
  }
  const command = realmActorCommands.peekInvitation;
  const shown = await call.send(forwardCommand({ to, command, args: { kind: 'link', ...by } }));
  return makeNewAccountFormPage({ ...shown, email }, fullName, problem);
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
      ? answerWithPageOnRefusal(selectClosedPageMaker(of), () => makeConfirmedSignUpFormPage(call, of))
      : makeExpiredSignUpLinkPage();
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
    if (!of) return makeExpiredSignUpLinkPage();
    const { full_name = '', password = '' } = call.params;
    return answerWithPageOnRefusal(
      selectClosedPageMaker(of),
      async () => {
        const origin = await call.baseUrlOfRealm(of.realm);
        const account = { email: of.email, full_name, password, origin };
        const to = realmActorKey(of.realm);
        const made = await call.send(
          of.by
            ? forwardCommand({ to, command: realmActorCommands.join, args: { kind: 'link', ...of.by, ...account } })
            : forwardCommand({ to, command: realmActorCommands.signUp, args: account }),
        );
        return makeAccountCreatedPage(made, origin, call.servesWebClient);
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
