export { parseInvitees } from './addresses.js';
export { readSignUp, type SignUp, signUpLink } from './sign-up.js';
export { type InvitationName, invitationLink, invitationToken, LINK_PATH, readToken } from './token.js';
