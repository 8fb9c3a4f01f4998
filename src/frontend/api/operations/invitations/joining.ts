/** Pages behind the links of invitations, opened in a browser; not part of the API. */

import {
  INVITATION_LINK_PATH_SEGMENT_BY_KIND,
  type InvitationTokenContent,
  verifyInvitationToken,
} from '#domain/invitations';
import {
  makeAccountCreatedPage,
  makeInvitationGonePage,
  makeNewAccountFormPage,
  makeSignUpAddressPage,
  makeSignUpMailSentPage,
  type NewAccountPageContent,
} from '#domain/pages';
import type { ServerLanguage } from '#domain/texts';
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

type InvitationKind = InvitationTokenContent['kind'];

/**
 * Fetches what the page of an invitation shows. The token names the organization, because a host that is an IP address
 * doesn't.
 */
async function fetchInvitationPageContent(
  call: ApiCall<unknown>,
  { realm, ...named }: InvitationTokenContent,
): Promise<NewAccountPageContent> {
  const shown = await call.send(
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.peekInvitation, args: named }),
  );
  // Invitations by link have no e-mail address; their page has a field for the address.
  return { ...shown, email: shown.email ?? '' };
}

/** Runs `answer`; expired and unknown invitations, and those of deactivated organizations, get the same page. */
const answerOrInvitationGonePage = (
  { pageLanguage, servesWebClient }: ApiCall<unknown>,
  answer: () => Promise<RawHttpAnswer>,
  again?: (problem: NewAccountFormProblem) => Promise<RawHttpAnswer>,
) => answerWithPageOnRefusal(() => makeInvitationGonePage(pageLanguage, servesWebClient), answer, again);

const invitationTokenParameter = { token: declarePathTextParameter('From the link.') } as const;

const defineShowInvitationPageOperation = (
  kind: InvitationKind,
  form: (language: ServerLanguage, of: NewAccountPageContent) => RawHttpAnswer,
) =>
  defineOperation({
    id: `show-${INVITATION_LINK_PATH_SEGMENT_BY_KIND[kind]}`,
    method: 'GET',
    path: `/${INVITATION_LINK_PATH_SEGMENT_BY_KIND[kind]}/{token}`,
    root: true,
    page: true,
    guard: 'none',
    summary: 'A page with which somebody who was invited makes an account.',
    parameters: invitationTokenParameter,
    run(call) {
      const of = verifyInvitationToken(call.secrets, kind, call.params.token);
      return of
        ? answerOrInvitationGonePage(call, async () =>
            form(call.pageLanguage, await fetchInvitationPageContent(call, of)),
          )
        : makeInvitationGonePage(call.pageLanguage, call.servesWebClient);
    },
  });

const showEmailInvitationOperation = defineShowInvitationPageOperation('single', (language, of) =>
  makeNewAccountFormPage(language, of, ''),
);

const acceptEmailInvitationOperation = defineOperation({
  id: 'accept-invitation',
  method: 'POST',
  path: `/${INVITATION_LINK_PATH_SEGMENT_BY_KIND.single}/{token}`,
  root: true,
  page: true,
  guard: 'none',
  summary: 'Make that account.',
  parameters: {
    ...invitationTokenParameter,
    ...NEW_ACCOUNT_FORM_PARAMETERS,
  },
  run(call) {
    const of = verifyInvitationToken(call.secrets, 'single', call.params.token);
    if (!of) return makeInvitationGonePage(call.pageLanguage, call.servesWebClient);
    const { full_name = '', password = '' } = call.params;
    const { realm, ...named } = of;
    return answerOrInvitationGonePage(
      call,
      async () => {
        const origin = await call.baseUrlOfRealm(realm);
        const args = { ...named, full_name, password, email: '', origin, ...languageOfNewcomer(call) };
        const made = await call.send(
          forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.join, args }),
        );
        return makeAccountCreatedPage(call.pageLanguage, made, origin, call.servesWebClient);
      },
      async (problem) =>
        makeNewAccountFormPage(call.pageLanguage, await fetchInvitationPageContent(call, of), full_name, problem),
    );
  },
});

const showInvitationLinkOperation = defineShowInvitationPageOperation('link', (language, { organization }) =>
  makeSignUpAddressPage(language, organization, ''),
);

/** Operation that mails a confirmation link to the address of any person who has an invitation link. */
const requestSignUpMailByLinkOperation = defineOperation({
  id: 'ask-join',
  method: 'POST',
  path: `/${INVITATION_LINK_PATH_SEGMENT_BY_KIND.link}/{token}`,
  root: true,
  page: true,
  guard: 'none',
  summary: 'Have a mail sent with a link that creates the account.',
  parameters: { ...invitationTokenParameter, email: declareOptionalTextParameter('form', 'Address of the account.') },
  run(call) {
    const of = verifyInvitationToken(call.secrets, 'link', call.params.token);
    if (!of) return makeInvitationGonePage(call.pageLanguage, call.servesWebClient);
    const { realm, id, nonce } = of;
    const email = (call.params.email ?? '').trim();
    return answerOrInvitationGonePage(
      call,
      async () => {
        call.countMailOfAnonymousCaller();
        const args = { email, by: { id, nonce }, origin: await call.baseUrlOfRealm(realm) };
        await call.send(forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.askSignUp, args }));
        return makeSignUpMailSentPage(call.pageLanguage, email);
      },
      async (problem) =>
        makeSignUpAddressPage(
          call.pageLanguage,
          (await fetchInvitationPageContent(call, of)).organization,
          email,
          problem,
        ),
    );
  },
});

export const INVITATION_JOIN_OPERATIONS = [
  showEmailInvitationOperation,
  acceptEmailInvitationOperation,
  showInvitationLinkOperation,
  requestSignUpMailByLinkOperation,
] as const;
