/**
 * Accounts of every organization that belong to the server itself: nobody can log in as them, and no list of users
 * shows them. Pure facts, the same in every organization but for the time since which it exists.
 */
import { type UserId, userId } from '#model';
import type { DirectoryUser } from '#model/records';
import { FAKE_EMAIL_DOMAIN } from './addresses/names.js';
import { FRESH_ACCOUNT } from './fresh-account.js';

/** Tells people what happened to their streams, topics and groups. */
export const NOTIFICATION_BOT = userId(1);
/** Greets newcomers. */
export const WELCOME_BOT = userId(2);
/** Says what came by e-mail. */
export const EMAIL_GATEWAY = userId(3);

export type SystemBot = 'notification' | 'welcome' | 'email-gateway';

/** Ids up to this one are kept for the server's own accounts. */
export const LAST_RESERVED_USER = 7;

const bot = (id: UserId, local: string, fullName: string): DirectoryUser => ({
  id,
  // The first recipients of an organization are kept for them too.
  recipient: id,
  deliveryEmail: `${local}@${FAKE_EMAIL_DOMAIN}`,
  email: `${local}@${FAKE_EMAIL_DOMAIN}`,
  fullName,
  ...FRESH_ACCOUNT,
  botType: 1,
});

const BOTS: Readonly<Record<SystemBot, DirectoryUser>> = {
  notification: bot(NOTIFICATION_BOT, 'notification-bot', 'Notification Bot'),
  welcome: bot(WELCOME_BOT, 'welcome-bot', 'Welcome Bot'),
  'email-gateway': bot(EMAIL_GATEWAY, 'emailgateway', 'Email Gateway'),
};

/** Addresses that no account may have. */
export const SYSTEM_BOT_EMAILS: ReadonlyMap<string, UserId> = new Map(
  Object.values(BOTS).map(({ email, id }) => [email, id]),
);

export const isSystemBot = ({ id }: { readonly id: number }): boolean => id <= LAST_RESERVED_USER;

/** The bots of an organization, by id. @param since when the organization was made, ms */
export const makeSystemBots = (since: number): readonly DirectoryUser[] =>
  Object.values(BOTS).map((one) => ({ ...one, joined: since }));

/** One of them, as the organization's directory knows it. */
export function systemBot(directory: { user(id: UserId): DirectoryUser | undefined }, name: SystemBot): DirectoryUser {
  return directory.user(BOTS[name].id) ?? BOTS[name];
}
