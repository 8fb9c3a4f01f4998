/** Pages for joining an organization that needs no invitation, opened in a browser; not part of the API. */

import { readSignUpToken, type SignUpToken } from '#domain/invitations';
import {
  expiredLinkPage,
  invitationGonePage,
  invitationNeededPage,
  joinedPage,
  joinPage,
  signUpMailSentPage,
  signUpPage,
} from '#domain/pages';
import { type RawAnswer, realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { optionalTextParameter, pathTextParameter } from '../../parameters.js';
import { answerOrRefusalPage, type JoinFormProblem, NEW_ACCOUNT_PARAMETERS } from './join-pages.js';

/** Returns the name of the organization. @throws ActorRefused if the organization needs invitations */
async function peek(call: ApiCall<unknown>, realm: ApiCall<unknown>['realm']): Promise<string> {
  const { organization } = await call.send(
    forwardCommand({ to: realmKey(realm), command: realmCommands.peekSignUp, args: {} }),
  );
  return String(organization);
}

const whileItIsOpen = (answer: () => Promise<RawAnswer>, again?: (problem: JoinFormProblem) => Promise<RawAnswer>) =>
  answerOrRefusalPage(invitationNeededPage, answer, again);

const showSignUp = defineOperation({
  id: 'show-signup',
  method: 'GET',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody asks to join an organization that needs no invitation.',
  parameters: {},
  run: (call) => whileItIsOpen(async () => signUpPage(await peek(call, call.realm), '')),
});

const askSignUp = defineOperation({
  id: 'ask-signup',
  method: 'POST',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Have a letter sent with which the account can be made.',
  parameters: { email: optionalTextParameter('form', 'Address of the account.') },
  run(call) {
    const email = (call.params.email ?? '').trim();
    const args = { email, by: null, origin: call.site };
    return whileItIsOpen(
      async () => {
        call.countMail();
        await call.send(forwardCommand({ to: realmKey(call.realm), command: realmCommands.askSignUp, args }));
        return signUpMailSentPage(email);
      },
      async (problem) => signUpPage(await peek(call, call.realm), email, problem),
    );
  },
});

const token = { token: pathTextParameter('From the letter.') } as const;

/** Makes the page for a confirmed address whose invitation was revoked, or whose organization now needs invitations. */
const closedPage = ({ by }: SignUpToken) => (by ? invitationGonePage : invitationNeededPage);

async function form(
  call: ApiCall<unknown>,
  of: SignUpToken,
  fullName = '',
  problem?: JoinFormProblem,
): Promise<RawAnswer> {
  const { realm, email, by } = of;
  const to = realmKey(realm);
  if (!by) {
    const { organization } = await call.send(forwardCommand({ to, command: realmCommands.peekSignUp, args: {} }));
    return joinPage({ organization, inviter: null, email }, fullName, problem);
  }
  const command = realmCommands.peekInvitation;
  const { organization, inviter } = await call.send(forwardCommand({ to, command, args: { kind: 'link', ...by } }));
  return joinPage({ organization, inviter, email }, fullName, problem);
}

const showConfirmed = defineOperation({
  id: 'show-confirmed-signup',
  method: 'GET',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody whose address is confirmed makes an account.',
  parameters: token,
  run(call) {
    const of = readSignUpToken(call.secrets, call.params.token, call.now);
    return of ? answerOrRefusalPage(closedPage(of), () => form(call, of)) : expiredLinkPage();
  },
});

const signUp = defineOperation({
  id: 'confirmed-signup',
  method: 'POST',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...token,
    ...NEW_ACCOUNT_PARAMETERS,
  },
  run(call) {
    const of = readSignUpToken(call.secrets, call.params.token, call.now);
    if (!of) return expiredLinkPage();
    const { full_name = '', password = '' } = call.params;
    return answerOrRefusalPage(
      closedPage(of),
      async () => {
        const origin = await call.siteOf(of.realm);
        const account = { email: of.email, full_name, password, origin };
        const to = realmKey(of.realm);
        const { organization } = await call.send(
          of.by
            ? forwardCommand({ to, command: realmCommands.join, args: { kind: 'link', ...of.by, ...account } })
            : forwardCommand({ to, command: realmCommands.signUp, args: account }),
        );
        return joinedPage(organization, origin, of.email);
      },
      (problem) => form(call, of, full_name, problem),
    );
  },
});

export const SIGN_UP_OPERATIONS = [showSignUp, askSignUp, showConfirmed, signUp] as const;
