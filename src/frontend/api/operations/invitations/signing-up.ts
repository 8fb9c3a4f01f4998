/** Pages for joining an organization that needs no invitation: no part of the API, opened in a browser. */
import type { JsonObject } from '#base';
import { readSignUp, type SignUp } from '#domain/invitations';
import {
  expiredLink,
  invitationGone,
  invitationNeeded,
  joined,
  joinForm,
  signUpForm,
  signUpMailSent,
} from '#domain/pages';
import { realmKey } from '#model';
import { type Call, operation, type RawAnswer } from '../../operation.js';
import { maybeText, pathText } from '../../parameters.js';
import { NEWCOMER } from './newcomer.js';
import { orPage, type Problem } from './refused-pages.js';

/** The name of the organization, while it is open. @throws ActorRefused */
async function peek(call: Call<unknown>, realm: Call<unknown>['realm']): Promise<string> {
  const { organization } = await call.send({ to: realmKey(realm), command: 'peek-sign-up', args: {} });
  return String(organization);
}

const whileItIsOpen = (answer: () => Promise<RawAnswer>, again?: (problem: Problem) => Promise<RawAnswer>) =>
  orPage(invitationNeeded, answer, again);

const showSignUp = operation({
  id: 'show-signup',
  method: 'GET',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody asks to join an organization that needs no invitation.',
  parameters: {},
  run: (call) => whileItIsOpen(async () => signUpForm(await peek(call, call.realm), '')),
});

const askSignUp = operation({
  id: 'ask-signup',
  method: 'POST',
  path: '/signup',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Have a letter sent with which the account can be made.',
  parameters: { email: maybeText('form', 'Address of the account.') },
  run(call) {
    const email = (call.params.email ?? '').trim();
    const args = { email, by: null, origin: call.site };
    return whileItIsOpen(
      async () => {
        call.countLetter();
        await call.send({ to: realmKey(call.realm), command: 'ask-sign-up', args });
        return signUpMailSent(email);
      },
      async (problem) => signUpForm(await peek(call, call.realm), email, problem),
    );
  },
});

const token = { token: pathText('From the letter.') } as const;

/** What the letter is good for stands no more. */
const over = ({ by }: SignUp) => (by ? invitationGone : invitationNeeded);

async function form(call: Call<unknown>, of: SignUp, fullName = '', problem?: Problem): Promise<RawAnswer> {
  const { realm, email, by } = of;
  const args: JsonObject = by ? { kind: 'link', ...by } : {};
  const command = by ? 'peek-invitation' : 'peek-sign-up';
  const { organization, inviter = null } = await call.send({ to: realmKey(realm), command, args });
  return joinForm({ organization: String(organization), inviter: inviter as string | null, email }, fullName, problem);
}

const showConfirmed = operation({
  id: 'show-confirmed-signup',
  method: 'GET',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'A page with which somebody whose address is confirmed makes an account.',
  parameters: token,
  run(call) {
    const of = readSignUp(call.secrets, call.params.token, call.now);
    return of ? orPage(over(of), () => form(call, of)) : expiredLink();
  },
});

const signUp = operation({
  id: 'confirmed-signup',
  method: 'POST',
  path: '/signup/{token}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...token,
    ...NEWCOMER,
  },
  run(call) {
    const of = readSignUp(call.secrets, call.params.token, call.now);
    if (!of) return expiredLink();
    const { full_name = '', password = '' } = call.params;
    return orPage(
      over(of),
      async () => {
        const origin = await call.siteOf(of.realm);
        const account: JsonObject = { email: of.email, full_name, password, origin };
        const command = of.by ? 'join' : 'sign-up';
        const args = of.by ? { kind: 'link', ...of.by, ...account } : account;
        const { organization } = await call.send({ to: realmKey(of.realm), command, args });
        return joined(String(organization), origin, of.email);
      },
      (problem) => form(call, of, full_name, problem),
    );
  },
});

export const SIGN_UP_OPERATIONS = [showSignUp, askSignUp, showConfirmed, signUp] as const;
