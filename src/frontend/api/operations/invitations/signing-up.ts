/** Pages for joining an organization that needs no invitation, opened in a browser; not part of the API. */

import { type SignUpToken, verifySignUpToken } from '#domain/invitations';
import {
  makeAccountCreatedPage,
  makeExpiredSignUpLinkPage,
  makeInvitationGonePage,
  makeInvitationNeededPage,
  makeNewAccountFormPage,
  makeSignUpMailSentPage,
  makeSignUpPage,
} from '#domain/pages';
import { type RawHttpAnswer, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declareOptionalTextParameter, declarePathTextParameter } from '../../parameters.js';
import { answerWithPageOnRefusal, NEW_ACCOUNT_FORM_PARAMETERS, type NewAccountFormProblem } from './join-pages.js';

/** Returns the name of the organization. @throws ActorRefusedError if the organization needs invitations */
async function peek(call: ApiCall<unknown>, realm: ApiCall<unknown>['realm']): Promise<string> {
  const { organization } = await call.send(
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.peekSignUp, args: {} }),
  );
  return String(organization);
}

const whileItIsOpen = (
  answer: () => Promise<RawHttpAnswer>,
  again?: (problem: NewAccountFormProblem) => Promise<RawHttpAnswer>,
) => answerWithPageOnRefusal(makeInvitationNeededPage, answer, again);

const showSignUpOperation = defineOperation({
  id: 'show-signup',
  method: 'GET',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody asks to join an organization that needs no invitation.',
  parameters: {},
  run: (call) => whileItIsOpen(async () => makeSignUpPage(await peek(call, call.realm), '')),
});

const askSignUpOperation = defineOperation({
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
    return whileItIsOpen(
      async () => {
        call.countMail();
        await call.send(forwardCommand({ to: realmActorKey(call.realm), command: realmActorCommands.askSignUp, args }));
        return makeSignUpMailSentPage(email);
      },
      async (problem) => makeSignUpPage(await peek(call, call.realm), email, problem),
    );
  },
});

const token = { token: declarePathTextParameter('From the letter.') } as const;

/** Makes the page for a confirmed address whose invitation was revoked, or whose organization now needs invitations. */
const closedPage = ({ by }: SignUpToken) => (by ? makeInvitationGonePage : makeInvitationNeededPage);

async function form(
  call: ApiCall<unknown>,
  of: SignUpToken,
  fullName = '',
  problem?: NewAccountFormProblem,
): Promise<RawHttpAnswer> {
  const { realm, email, by } = of;
  const to = realmActorKey(realm);
  if (!by) {
    const { organization } = await call.send(forwardCommand({ to, command: realmActorCommands.peekSignUp, args: {} }));
    return makeNewAccountFormPage({ organization, inviter: null, email }, fullName, problem);
  }
  const command = realmActorCommands.peekInvitation;
  const { organization, inviter } = await call.send(forwardCommand({ to, command, args: { kind: 'link', ...by } }));
  return makeNewAccountFormPage({ organization, inviter, email }, fullName, problem);
}

const showConfirmedOperation = defineOperation({
  id: 'show-confirmed-signup',
  method: 'GET',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody whose address is confirmed makes an account.',
  parameters: token,
  run(call) {
    const of = verifySignUpToken(call.secrets, call.params.token, call.now);
    return of ? answerWithPageOnRefusal(closedPage(of), () => form(call, of)) : makeExpiredSignUpLinkPage();
  },
});

const signUpOperation = defineOperation({
  id: 'confirmed-signup',
  method: 'POST',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...token,
    ...NEW_ACCOUNT_FORM_PARAMETERS,
  },
  run(call) {
    const of = verifySignUpToken(call.secrets, call.params.token, call.now);
    if (!of) return makeExpiredSignUpLinkPage();
    const { full_name = '', password = '' } = call.params;
    return answerWithPageOnRefusal(
      closedPage(of),
      async () => {
        const origin = await call.siteOf(of.realm);
        const account = { email: of.email, full_name, password, origin };
        const to = realmActorKey(of.realm);
        const { organization } = await call.send(
          of.by
            ? forwardCommand({ to, command: realmActorCommands.join, args: { kind: 'link', ...of.by, ...account } })
            : forwardCommand({ to, command: realmActorCommands.signUp, args: account }),
        );
        return makeAccountCreatedPage(organization, origin, of.email, call.servesWebClient);
      },
      (problem) => form(call, of, full_name, problem),
    );
  },
});

export const SIGN_UP_OPERATIONS = [
  showSignUpOperation,
  askSignUpOperation,
  showConfirmedOperation,
  signUpOperation,
] as const;
