/** Pages behind the links of invitations, opened in a browser; not part of the API. */

import { INVITATION_LINK_SEGMENTS, type InvitationTokenContent, readInvitationToken } from '#domain/invitations';
import {
  invitationGonePage,
  type JoinPageContent,
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

type Kind = InvitationTokenContent['kind'];

/**
 * Fetches what the page of an invitation shows. The token names the organization, because a host that is an IP address
 * doesn't.
 */
async function peek(call: ApiCall<unknown>, { realm, ...named }: InvitationTokenContent): Promise<JoinPageContent> {
  const shown = await call.send(
    forwardCommand({ to: realmKey(realm), command: realmCommands.peekInvitation, args: named }),
  );
  // Invitations by link have no e-mail address; their page has a field for the address.
  return { ...shown, email: shown.email ?? '' };
}

/** Runs `answer`; expired and unknown invitations, and those of deactivated organizations, get the same page. */
const whileItStands = (answer: () => Promise<RawAnswer>, again?: (problem: JoinFormProblem) => Promise<RawAnswer>) =>
  answerOrRefusalPage(invitationGonePage, answer, again);

const token = { token: pathTextParameter('From the link.') } as const;

const show = (kind: Kind, form: (of: JoinPageContent) => RawAnswer) =>
  defineOperation({
    id: `show-${INVITATION_LINK_SEGMENTS[kind]}`,
    method: 'GET',
    path: `/${INVITATION_LINK_SEGMENTS[kind]}/{token}`,
    root: true,
    page: true,
    guard: 'none',
    summary: 'A page with which somebody who was invited makes an account.',
    parameters: token,
    run(call) {
      const of = readInvitationToken(call.secrets, kind, call.params.token);
      return of ? whileItStands(async () => form(await peek(call, of))) : invitationGonePage();
    },
  });

const showInvitation = show('single', (of) => joinPage(of, ''));

const acceptInvitation = defineOperation({
  id: 'accept-invitation',
  method: 'POST',
  path: `/${INVITATION_LINK_SEGMENTS.single}/{token}`,
  root: true,
  page: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...token,
    ...NEW_ACCOUNT_PARAMETERS,
  },
  run(call) {
    const of = readInvitationToken(call.secrets, 'single', call.params.token);
    if (!of) return invitationGonePage();
    const { full_name = '', password = '' } = call.params;
    const { realm, ...named } = of;
    return whileItStands(
      async () => {
        const origin = await call.siteOf(realm);
        const args = { ...named, full_name, password, email: '', origin };
        const made = await call.send(forwardCommand({ to: realmKey(realm), command: realmCommands.join, args }));
        return joinedPage(String(made.organization), origin, String(made.email));
      },
      async (problem) => joinPage(await peek(call, of), full_name, problem),
    );
  },
});

const showLink = show('link', ({ organization }) => signUpPage(organization, ''));

/** Operation that mails a confirmation link to the address of any person who has an invitation link. */
const askByLink = defineOperation({
  id: 'ask-join',
  method: 'POST',
  path: `/${INVITATION_LINK_SEGMENTS.link}/{token}`,
  root: true,
  page: true,
  guard: 'none',
  summary: 'Have a letter sent with which the account can be made.',
  parameters: { ...token, email: optionalTextParameter('form', 'Address of the account.') },
  run(call) {
    const of = readInvitationToken(call.secrets, 'link', call.params.token);
    if (!of) return invitationGonePage();
    const { realm, id, nonce } = of;
    const email = (call.params.email ?? '').trim();
    return whileItStands(
      async () => {
        call.countMail();
        const args = { email, by: { id, nonce }, origin: await call.siteOf(realm) };
        await call.send(forwardCommand({ to: realmKey(realm), command: realmCommands.askSignUp, args }));
        return signUpMailSentPage(email);
      },
      async (problem) => signUpPage((await peek(call, of)).organization, email, problem),
    );
  },
});

export const JOINING_OPERATIONS = [showInvitation, acceptInvitation, showLink, askByLink] as const;
