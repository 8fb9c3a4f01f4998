export { invitees } from './addresses.js';
export { type InvitationName, invitationLink, invitationToken, LINK_PATH, readToken } from './token.js';
