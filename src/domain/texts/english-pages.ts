/** English texts of the pages that work without scripts. */

/** Texts of a page that has only a heading and a sentence. */
interface SimplePageTexts {
  readonly title: string;
  readonly text: string;
}

/** The parts of a sentence before and behind a value that the page emphasizes. */
type SentenceAroundValue = readonly [before: string, after: string];

export const englishPageTexts = {
  emailAddress: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  passwordHint: 'At least 6 characters, and hard to guess.',
  yourEmailAddress: 'Your e-mail address:',
  sendLink: 'Send the link',
  signIn: 'Sign in',
  backToSignIn: 'Back to sign-in',
  signInToAccount: 'Sign in, if you have an account',
  signInWithApp: 'To sign in, go back to your app.',
  formFailed: 'That did not work:',
  tooManyMails: 'Too many mails were sent. Try again later.',
  checkYourMail: 'Check your mail',

  joinOrganization: (organization: string): string => `Join ${organization}`,
  mailWithLinkFollows: 'We will send you a mail with a link.',
  /** The value is the address. */
  mailSentTo: ['A mail is on its way to ', '.'] as SentenceAroundValue,
  invitationNeeded: {
    title: 'You need an invitation',
    text: 'To join this organization, ask one of its members for an invitation.',
  } satisfies SimplePageTexts,
  signUpLinkExpired: {
    title: 'This link has expired',
    text: 'Links are valid for one day. Request a new one.',
  } satisfies SimplePageTexts,
  invitationGone: {
    title: 'This invitation is no longer valid',
    text: 'It may have been used or revoked, or it has expired. Ask the person who invited you for a new one.',
  } satisfies SimplePageTexts,
  invitedBy: (inviter: string): string => `${inviter} invites you.`,
  createYourAccount: 'Create your account:',
  fullName: 'Full name',
  join: 'Join',
  welcome: (organization: string): string => `Welcome to ${organization}`,
  accountCreated: 'Your account is ready.',
  signInWithBrowser: 'Sign in with this browser',
  orWithApp: ', or with an app of your choice:',
  signInWithAnApp: 'Sign in with an app of your choice:',
  serverAddress: 'Server address',
  chosenPassword: 'the one that you chose',
  hasNoPasswords: 'This organization has no passwords: sign in through its single sign-on.',

  confirmEmail: {
    title: 'Confirm your e-mail address',
    text: 'Make the address to which this link was sent the address of your account?',
  } satisfies SimplePageTexts,
  confirm: 'Confirm',
  emailChanged: 'Your e-mail address was changed',
  emailIsNow: ['The e-mail address of your account is now ', '.'] as SentenceAroundValue,
  emailNotChanged: 'Your e-mail address was not changed',

  forgottenPassword: 'Forgot your password?',
  resetMailFollows: 'We will send you a mail with a link that sets a new password.',
  emailOfAccount: 'E-mail address of your account',
  resetMailSent: [
    'If ',
    ' is the address of an account here, a mail is on its way to it. The link in it is valid for one hour.',
  ] as SentenceAroundValue,
  resetMailMissing: 'No mail? Check your spam folder, or ask an administrator of the organization.',
  onlyOwnersHavePasswords:
    'In this organization only owners have passwords: everyone else signs in through its single sign-on.',
  setNewPassword: (organization: string): string =>
    `Set a new password for your account at ${organization}. All browsers will be signed out.`,
  replaceApiKey: 'Sign out apps, too: replace the API key',
  setPassword: 'Set the password',
  passwordChanged: 'Your password was changed',
  passwordIsSet: (organization: string): SentenceAroundValue => [
    'The account ',
    ` at ${organization} has its new password.`,
  ],
  resetLinkGone: {
    title: 'This link is no longer valid',
    text: 'It may have been used, or it has expired, or a newer one was sent.',
  } satisfies SimplePageTexts,
  requestNewLink: 'Request a new link',

  notSignedIn: 'You are not signed in',
  providerUnavailable: 'The service that knows your account does not answer. Try again in a few minutes.',
  providerRefused: 'The service that knows your account did not confirm who you are. Sign in again.',
  signInCancelled: 'The sign-in was cancelled.',
  noBrowserClient: 'This server has no client for browsers.',
  alreadySignedIn: 'You are already signed in. Sign out first.',
  backToApp: {
    title: 'Go back to the app',
    text: 'You are signed in. Copy this text; the app takes it from the clipboard.',
  } satisfies SimplePageTexts,
  textForApp: 'Text for the app',

  unsubscribe: 'Unsubscribe',
  stopMails: {
    missed: 'Stop getting mails about messages that you missed?',
    login: 'Stop getting mails about new sign-ins to your account?',
    digest: 'Stop getting mails with a summary of the week?',
  },
  unsubscribed: 'You are unsubscribed',
  mailsStopped: {
    missed: 'You will get no more mails about messages that you missed. You can turn them on again in your settings.',
    login:
      'You will get no more mails about new sign-ins to your account. You can turn them on again in your settings.',
    digest: 'You will get no more mails with a summary of the week. You can turn them on again in your settings.',
  },
  unsubscribeLinkGone: {
    title: 'This link does not work',
    text: 'Copy the whole link from the mail, or change your settings.',
  } satisfies SimplePageTexts,

  /**
   * Translations of the API's refusals that pages show, by their English text with `{names}` in place of values. Other
   * refusals are shown in English.
   */
  refusals: {} as Readonly<Record<string, string>>,
};

/** The texts of pages in one language. */
export type PageTexts = typeof englishPageTexts;
