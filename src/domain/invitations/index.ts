/**
 * Links that let people join an organization (realm.md § Invitations).
 *
 * - `addresses.ts`: parses the addresses that a user typed.
 * - `token.ts`: tokens of invitation links. A token names an invitation, which the realm actor stores.
 * - `sign-up.ts`: tokens that confirm the address of a person who signs up. Such a token has all data, so nothing is
 *   stored for it until the person confirms.
 *
 * Invariant: both tokens are signed or sealed under the server secret, so they can't be forged, and the Store alone
 * gives access to nothing. Whether an invitation is still open is for the realm actor to decide.
 *
 * The realm actor and the frontend's operations may import this folder.
 */
export { parseInviteeEmails } from './addresses.js';
export { makeSignUpLink, openSignUpToken, type SignUpTokenContent } from './sign-up.js';
export {
  INVITATION_LINK_PATH_SEGMENT_BY_KIND,
  type InvitationTokenContent,
  makeInvitationLink,
  verifyInvitationToken,
} from './token.js';
