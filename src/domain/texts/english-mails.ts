/** English texts of mails. A function gives the subject and the paragraphs of a mail, or a phrase of a longer one. */
import { PRODUCT_NAME } from '#model/errors';

/** Facts about the account that a mail is about. */
export interface MailedAccount {
  readonly fullName: string;
  /** Address of the account. */
  readonly email: string;
  /** Name of the organization, in one line. */
  readonly organization: string;
}

/** A mail without HTML. */
export interface PlainMailTexts {
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

/** Returns a number with its noun, for languages whose plural begins at two, as in English and German. */
export const countOf = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

export const englishMailTexts = {
  /** Locale of dates and lists of names. British dates name the month, so that it can't be taken for the day. */
  locale: 'en-GB',

  welcome: (
    { fullName, email, organization }: MailedAccount,
    { url, hasPassword }: { readonly url: string; readonly hasPassword: boolean },
  ): PlainMailTexts => ({
    subject: `Welcome to ${organization}`,
    paragraphs: [
      `Hello ${fullName},`,
      `You now have an account at ${organization}:`,
      url,
      hasPassword
        ? `Sign in there with the address ${email} and your password.`
        : `Sign in there through single sign-on, with the account of your address ${email}.`,
    ],
  }),

  confirmNewEmail: (
    { fullName, email, organization }: MailedAccount,
    { newEmail, link }: { readonly newEmail: string; readonly link: string },
  ): PlainMailTexts => ({
    subject: `Confirm your new e-mail address for ${organization}`,
    paragraphs: [
      `Hello ${fullName},`,
      `Someone, probably you, asked to change the e-mail address of your account at ${organization} (${PRODUCT_NAME}) from ${email} to ${newEmail}. To confirm the change, open this link within one day:`,
      link,
      'If this was not you, ignore this mail and nothing will change.',
    ],
  }),

  emailChanged: ({ fullName, email, organization }: MailedAccount): PlainMailTexts => ({
    subject: `Your e-mail address for ${organization} was changed`,
    paragraphs: [
      `Hello ${fullName},`,
      `The e-mail address of your account at ${organization} (${PRODUCT_NAME}) is now ${email}. If this was not you, tell an administrator of the organization at once.`,
    ],
  }),

  accountDeactivated: (
    { fullName, email, organization }: MailedAccount,
    { comment }: { readonly comment: string },
  ): PlainMailTexts => ({
    subject: `Your account at ${organization} was deactivated`,
    paragraphs: [
      `Hello ${fullName},`,
      `Your ${PRODUCT_NAME} account ${email} at ${organization} was deactivated. You can no longer sign in.`,
      ...(comment === '' ? [] : ['An administrator wrote:', comment]),
    ],
  }),

  /** To people whose organization was imported. @param resetUrl page that sends a new link */
  organizationMoved: (
    { fullName, organization }: MailedAccount,
    { link, resetUrl }: { readonly link: string; readonly resetUrl: string },
  ): PlainMailTexts => ({
    subject: `${organization} has moved: set your password`,
    paragraphs: [
      `Hello ${fullName},`,
      `${organization} has moved to ${PRODUCT_NAME}, along with your account and your messages. To set a password, open this link within seven days:`,
      link,
      `After that, you can request a new link at ${resetUrl}`,
    ],
  }),

  /** @param endedSessions whether the session that made the change goes on */
  passwordChanged: (
    { fullName, organization }: MailedAccount,
    { endedSessions }: { readonly endedSessions: 'all' | 'others' },
  ): PlainMailTexts => ({
    subject: `Your password for ${organization} was changed`,
    paragraphs: [
      `Hello ${fullName},`,
      `The password of your account at ${organization} (${PRODUCT_NAME}) was changed, and ${endedSessions === 'all' ? 'all browsers' : 'all other browsers'} were signed out.`,
      'If this was you, there is nothing to do. If not, set a new password at once, on the page /accounts/password/reset of the organization, and tell an administrator of the organization.',
    ],
  }),

  /** @param admin name of the administrator who sends the link; null: somebody asked for it by the address */
  passwordReset: (
    { fullName, organization }: MailedAccount,
    { admin, link }: { readonly admin: string | null; readonly link: string },
  ): PlainMailTexts => ({
    subject: `A new password for ${organization}`,
    paragraphs: [
      `Hello ${fullName},`,
      admin === null
        ? `Someone, probably you, asked for a new password for your account at ${organization} (${PRODUCT_NAME}). To set one, open this link within one hour:`
        : `${admin} asks you to set a new password for your account at ${organization} (${PRODUCT_NAME}). To set one, open this link within one hour:`,
      link,
      'If you do not want a new password, ignore this mail. Your current password remains valid.',
    ],
  }),

  /** @param until time at which the link expires, ms since 1970; null: never */
  invitation: ({
    inviter,
    inviterEmail,
    organization,
    link,
    until,
  }: {
    readonly inviter: string;
    readonly inviterEmail: string;
    readonly organization: string;
    readonly link: string;
    readonly until: string | null;
  }): PlainMailTexts => ({
    subject: `${inviter} invites you to ${organization}`,
    paragraphs: [
      'Hello,',
      `${inviter} (${inviterEmail}) invites you to join ${organization} on ${PRODUCT_NAME}. To create your account, open this link:`,
      link,
      until === null ? 'The link does not expire.' : `The link is valid until ${until}.`,
      'If you did not expect this invitation, ignore this mail.',
    ],
  }),

  /** @param account what is known about the address: no account, one, or a deactivated one */
  signUp: ({
    organization,
    account,
    link,
  }: {
    readonly organization: string;
    readonly account: 'none' | 'active' | 'deactivated';
    readonly link: string;
  }): PlainMailTexts => ({
    subject: `Join ${organization}`,
    paragraphs: [
      'Hello,',
      `Someone, probably you, wants to join ${organization} on ${PRODUCT_NAME}.`,
      ...{
        none: ['To create your account, open this link within one day:', link],
        active: ['There is already an account with this address: sign in with it.'],
        deactivated: [
          'There is already an account with this address, but it was deactivated: ask an administrator to reactivate it.',
        ],
      }[account],
      'If this was not you, ignore this mail.',
    ],
  }),

  newDeviceLogin: {
    subject: (device: string, organization: string): string => `New sign-in from ${device} [${organization}]`,
    intro: ({ fullName, email, organization }: MailedAccount): string =>
      `Hello ${fullName}, someone signed in to your account ${email} at ${organization} from a new device.`,
    device: 'Device',
    time: 'Time',
    server: 'Server',
    advice:
      'If this was you, there is nothing to do. If not, change your password and end the sessions that you do not recognize:',
    settings: 'settings',
  },

  missed: {
    subjectWithoutContent: 'New messages',
    subjectOfDirectMessages: (names: string): string => `Direct messages with ${names}`,
    subjectOfGroup: (names: string): string => `Group of ${names}`,
    subjectOfOwnMessages: 'Messages to yourself',
    greetingWithoutContent: (fullName: string, organization: string): string =>
      `Hello ${fullName}, you have new messages at ${organization}.`,
    more: (n: number): string => `and ${n} more`,
    replyInConversation: 'Replies to this mail are not read. Reply in the conversation:',
    reasons: {
      direct: 'You get this mail because someone sent you a direct message while you were away.',
      mention: 'You get this mail because a message mentions you by name.',
      wildcard_mention: 'You get this mail because a message mentions everyone in the conversation.',
      alert_word: 'You get this mail because a message contains one of your alert words.',
      followed_topic: 'You get this mail because you follow the topic.',
      stream: 'You get this mail because e-mail notifications are on for this stream.',
    },
  },

  /** Reasons why a mail shows no messages, by the settings that decide it. */
  withheld: {
    user: 'This mail shows no messages because your settings keep them out of mails.',
    organization: 'This mail shows no messages because the settings of the organization keep them out of mails.',
  },

  digest: {
    subject: (organization: string): string => `Your week at ${organization}`,
    greeting: (fullName: string, organization: string): string =>
      `Hello ${fullName}, this happened at ${organization} while you were away.`,
    topicFacts: (messages: number, senders: number): string =>
      `${countOf(messages, 'message', 'messages')} from ${countOf(senders, 'person', 'people')}`,
    moreMessages: (n: number): string => `and ${countOf(n, 'more message', 'more messages')}`,
    newStreams: 'New streams',
    moreNewStreams: (n: number): string => `and ${countOf(n, 'more new stream', 'more new streams')}`,
    messagesInTopics: (messages: number, topics: number): string =>
      `${countOf(messages, 'message', 'messages')} in ${countOf(topics, 'busy topic', 'busy topics')}`,
    streamCount: (n: number): string => countOf(n, 'new stream', 'new streams'),
    reason: 'You get this mail because weekly digests are on in your settings.',
  },

  repliesNotRead: 'Replies to this mail are not read.',
  openOrganization: (organization: string): string => `Open ${organization}`,
  openInOrganization: (organization: string): string => `Open in ${organization}`,
  unsubscribe: 'Unsubscribe',
  /** By the kind of the mail. */
  toUnsubscribe: {
    missed: 'To stop getting these mails, open:',
    login: 'To stop getting mails about sign-ins, open:',
    digest: 'To stop getting these mails, open:',
  },
  hiddenSpoiler: '(Hidden text. Open the conversation to read it.)',
};

/** The texts of mails in one language. */
export type MailTexts = typeof englishMailTexts;
