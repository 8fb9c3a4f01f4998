/** Pages for joining an organization that needs no invitation: no part of the API, opened in a browser. */
import { realmKey } from '../../../core/index.js';
import { readSignUp, type SignUp } from '../../../invitations/index.js';
import { joined, joinForm, letterSent, noSignUp, oldLetter, signUpForm } from '../../../pages/index.js';
import { ActorRefused } from '../../errors.js';
import { type Call, operation, type RawAnswer } from '../../operation.js';
import { maybeText, pathText } from '../../parameters.js';

/** The name of the organization, while it is open. @throws ActorRefused */
async function peek(call: Call<unknown>, realm: Call<unknown>['realm']): Promise<string> {
  const { organization } = await call.send({ to: realmKey(realm), command: 'peek-sign-up', args: {} });
  return String(organization);
}

/** @param again what to show for a request that can be mended */
async function whileItIsOpen(
  answer: () => Promise<RawAnswer>,
  again?: (problem: string) => Promise<RawAnswer>,
): Promise<RawAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof ActorRefused) || error.reply.status >= 500) throw error;
    if (again && error.reply.status === 400) return whileItIsOpen(() => again(error.reply.msg));
    return noSignUp();
  }
}

const showSignUp = operation({
  id: 'show-signup',
  method: 'GET',
  path: '/signup',
  root: true,
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
  guard: 'none',
  summary: 'Have a letter sent with which the account can be made.',
  parameters: { email: maybeText('form', 'Address of the account.') },
  run(call) {
    const email = (call.params.email ?? '').trim();
    const args = { email, origin: call.origin };
    return whileItIsOpen(
      async () => {
        await call.send({ to: realmKey(call.realm), command: 'ask-sign-up', args });
        return letterSent(email);
      },
      async (problem) => signUpForm(await peek(call, call.realm), email, problem),
    );
  },
});

const token = { token: pathText('From the letter.') } as const;
const NOTHING = { fullName: '', email: '' };

async function form(call: Call<unknown>, { realm, email }: SignUp, fullName = '', problem = ''): Promise<RawAnswer> {
  const of = { organization: await peek(call, realm), inviter: null, email };
  return joinForm(of, { ...NOTHING, fullName }, problem);
}

const showConfirmed = operation({
  id: 'show-confirmed-signup',
  method: 'GET',
  path: '/signup/{token}',
  root: true,
  guard: 'none',
  summary: 'A page with which somebody whose address is confirmed makes an account.',
  parameters: token,
  run(call) {
    const of = readSignUp(call.secrets, call.params.token, call.now);
    return of ? whileItIsOpen(() => form(call, of)) : oldLetter();
  },
});

const signUp = operation({
  id: 'confirmed-signup',
  method: 'POST',
  path: '/signup/{token}',
  root: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...token,
    full_name: maybeText('form', 'Name shown to others.'),
    password: maybeText('form', 'At least 6 characters and hard enough to guess.'),
  },
  run(call) {
    const of = readSignUp(call.secrets, call.params.token, call.now);
    if (!of) return oldLetter();
    const { full_name = '', password = '' } = call.params;
    const args = { email: of.email, full_name, password, origin: call.origin };
    return whileItIsOpen(
      async () => {
        const { organization } = await call.send({ to: realmKey(of.realm), command: 'sign-up', args });
        return joined(String(organization), call.origin, of.email);
      },
      (problem) => form(call, of, full_name, problem),
    );
  },
});

export const SIGN_UP_OPERATIONS = [showSignUp, askSignUp, showConfirmed, signUp] as const;
