/** Pages behind the links of invitations, opened in a browser; not part of the API. */

import { type InvitationName, LINK_PATH, readToken } from '#domain/invitations';
import { invitationGone, type JoinPage, joined, joinForm, signUpForm, signUpMailSent } from '#domain/pages';
import { type RawAnswer, realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { optionalTextParameter, pathTextParameter } from '../../parameters.js';
import { answerOrRefusalPage, type JoinFormProblem, NEW_ACCOUNT_PARAMETERS } from './join-pages.js';

type Kind = InvitationName['kind'];

/** Invitation as its page shows it. The link names the organization, because a host that is an IP address doesn't. */
async function peek(call: ApiCall<unknown>, { realm, ...named }: InvitationName): Promise<JoinPage> {
  const shown = await call.send(
    forwardCommand({ to: realmKey(realm), command: realmCommands.peekInvitation, args: named }),
  );
  // Invitations by link have no address; their page has a field for it.
  return { ...shown, email: shown.email ?? '' };
}

/** Expired and unknown invitations, and those of deactivated organizations, get the same page. */
const whileItStands = (answer: () => Promise<RawAnswer>, again?: (problem: JoinFormProblem) => Promise<RawAnswer>) =>
  answerOrRefusalPage(invitationGone, answer, again);

const token = { token: pathTextParameter('From the link.') } as const;

const show = (kind: Kind, form: (of: JoinPage) => RawAnswer) =>
  defineOperation({
    id: `show-${LINK_PATH[kind]}`,
    method: 'GET',
    path: `/${LINK_PATH[kind]}/{token}`,
    root: true,
    page: true,
    guard: 'none',
    summary: 'A page with which somebody who was invited makes an account.',
    parameters: token,
    run(call) {
      const of = readToken(call.secrets, kind, call.params.token);
      return of ? whileItStands(async () => form(await peek(call, of))) : invitationGone();
    },
  });

const showInvitation = show('single', (of) => joinForm(of, ''));

const acceptInvitation = defineOperation({
  id: 'accept-invitation',
  method: 'POST',
  path: `/${LINK_PATH.single}/{token}`,
  root: true,
  page: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...token,
    ...NEW_ACCOUNT_PARAMETERS,
  },
  run(call) {
    const of = readToken(call.secrets, 'single', call.params.token);
    if (!of) return invitationGone();
    const { full_name = '', password = '' } = call.params;
    const { realm, ...named } = of;
    return whileItStands(
      async () => {
        const origin = await call.siteOf(realm);
        const args = { ...named, full_name, password, email: '', origin };
        const made = await call.send(forwardCommand({ to: realmKey(realm), command: realmCommands.join, args }));
        return joined(String(made.organization), origin, String(made.email));
      },
      async (problem) => joinForm(await peek(call, of), full_name, problem),
    );
  },
});

const showLink = show('link', ({ organization }) => signUpForm(organization, ''));

/** Any holder of the link may join, after a mail has confirmed their address. */
const askByLink = defineOperation({
  id: 'ask-join',
  method: 'POST',
  path: `/${LINK_PATH.link}/{token}`,
  root: true,
  page: true,
  guard: 'none',
  summary: 'Have a letter sent with which the account can be made.',
  parameters: { ...token, email: optionalTextParameter('form', 'Address of the account.') },
  run(call) {
    const of = readToken(call.secrets, 'link', call.params.token);
    if (!of) return invitationGone();
    const { realm, id, nonce } = of;
    const email = (call.params.email ?? '').trim();
    return whileItStands(
      async () => {
        call.countMail();
        const args = { email, by: { id, nonce }, origin: await call.siteOf(realm) };
        await call.send(forwardCommand({ to: realmKey(realm), command: realmCommands.askSignUp, args }));
        return signUpMailSent(email);
      },
      async (problem) => signUpForm((await peek(call, of)).organization, email, problem),
    );
  },
});

export const JOINING_OPERATIONS = [showInvitation, acceptInvitation, showLink, askByLink] as const;
