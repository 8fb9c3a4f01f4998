/**
 * System bots: accounts of the server itself in every organization. They can't log in, and lists of users leave them
 * out. They are the same in every organization, except for the time of their creation.
 */
import { toUserId, type UserId } from '#model';
import type { DirectoryUser } from '#model/records';
import { FAKE_EMAIL_DOMAIN } from './addresses/names.js';
import { NEW_HUMAN_MEMBER_DEFAULTS } from './fresh-account.js';

/** Id of the bot that sends notices about changes of streams, topics and groups. */
export const NOTIFICATION_BOT_ID = toUserId(1);
/** Id of the bot that greets newcomers. */
export const WELCOME_BOT_ID = toUserId(2);
/** Id of the bot that posts messages which came by e-mail. */
const EMAIL_GATEWAY_BOT_ID = toUserId(3);

type SystemBotName = 'notification' | 'welcome' | 'email-gateway';

/** User ids up to this one are reserved for system bots. */
export const LAST_RESERVED_USER_ID = 7;

const makeSystemBot = (id: UserId, local: string, fullName: string): DirectoryUser => ({
  id,
  // The first recipient ids of an organization are reserved for system bots too.
  recipient: id,
  deliveryEmail: `${local}@${FAKE_EMAIL_DOMAIN}`,
  email: `${local}@${FAKE_EMAIL_DOMAIN}`,
  fullName,
  ...NEW_HUMAN_MEMBER_DEFAULTS,
  botType: 1,
});

const SYSTEM_BOT_TEMPLATES: Readonly<Record<SystemBotName, DirectoryUser>> = {
  notification: makeSystemBot(NOTIFICATION_BOT_ID, 'notification-bot', 'Notification Bot'),
  welcome: makeSystemBot(WELCOME_BOT_ID, 'welcome-bot', 'Welcome Bot'),
  'email-gateway': makeSystemBot(EMAIL_GATEWAY_BOT_ID, 'emailgateway', 'Email Gateway'),
};

/** Ids of the system bots by their e-mail addresses, which no account may have. */
export const SYSTEM_BOT_IDS_BY_EMAIL: ReadonlyMap<string, UserId> = new Map(
  Object.values(SYSTEM_BOT_TEMPLATES).map(({ email, id }) => [email, id]),
);

export const isSystemBot = ({ id }: { readonly id: number }): boolean => id <= LAST_RESERVED_USER_ID;

/**
 * Records of an organization's system bots, by id. They are the same everywhere, so none is stored. @param since
 * creation time of the organization, ms
 */
export const makeSystemBotRecords = (since: number): readonly DirectoryUser[] =>
  Object.values(SYSTEM_BOT_TEMPLATES).map((one) => ({ ...one, joined: since }));

/** A system bot, as the organization's directory knows it. */
export function findSystemBotOrTemplate(
  directory: { user(id: UserId): DirectoryUser | undefined },
  name: SystemBotName,
): DirectoryUser {
  return directory.user(SYSTEM_BOT_TEMPLATES[name].id) ?? SYSTEM_BOT_TEMPLATES[name];
}
