/** Features that follow accounts: their effects become part of the commit that changes one. */
import { withoutInvitationsBy } from '../../invitations.js';
import { botEffect } from '../bots/bot-effects.js';
import type { AccountEffect } from './account-change.js';

/** Nobody joins on the invitation of somebody who is gone. */
const invitationsEnd: AccountEffect = ({ before, after }, { parts }, { version }) =>
  before.isActive && !after.isActive ? withoutInvitationsBy(parts, after.id, version) : {};

/** In the order in which clients hear of them. */
export const ACCOUNT_EFFECTS: readonly AccountEffect[] = [botEffect, invitationsEnd];
