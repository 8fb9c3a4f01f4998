/** German texts of mails. */
import { PRODUCT_NAME } from '#model/errors';
import { countOf, type MailTexts } from './english-mails.js';

export const germanMailTexts: MailTexts = {
  locale: 'de-DE',

  welcome: ({ fullName, email, organization }, { url, hasPassword }) => ({
    subject: `Willkommen bei ${organization}`,
    paragraphs: [
      `Hallo ${fullName},`,
      `du hast jetzt ein Konto bei ${organization}:`,
      url,
      hasPassword
        ? `Melde dich dort mit der Adresse ${email} und deinem Passwort an.`
        : `Melde dich dort per Single Sign-on an, mit dem Konto deiner Adresse ${email}.`,
    ],
  }),

  confirmNewEmail: ({ fullName, email, organization }, { newEmail, link }) => ({
    subject: `Bestätige deine neue E-Mail-Adresse für ${organization}`,
    paragraphs: [
      `Hallo ${fullName},`,
      `jemand, wahrscheinlich du, möchte die E-Mail-Adresse deines Kontos bei ${organization} (${PRODUCT_NAME}) von ${email} in ${newEmail} ändern. Öffne zur Bestätigung innerhalb eines Tages diesen Link:`,
      link,
      'Wenn du das nicht warst, ignoriere diese E-Mail: Dann ändert sich nichts.',
    ],
  }),

  emailChanged: ({ fullName, email, organization }) => ({
    subject: `Deine E-Mail-Adresse für ${organization} wurde geändert`,
    paragraphs: [
      `Hallo ${fullName},`,
      `die E-Mail-Adresse deines Kontos bei ${organization} (${PRODUCT_NAME}) ist jetzt ${email}. Wenn du das nicht warst, wende dich sofort an die Administration der Organisation.`,
    ],
  }),

  accountDeactivated: ({ fullName, email, organization }, { comment }) => ({
    subject: `Dein Konto bei ${organization} wurde deaktiviert`,
    paragraphs: [
      `Hallo ${fullName},`,
      `dein ${PRODUCT_NAME}-Konto ${email} bei ${organization} wurde deaktiviert. Du kannst dich nicht mehr anmelden.`,
      ...(comment === '' ? [] : ['Die Administration schreibt dazu:', comment]),
    ],
  }),

  organizationMoved: ({ fullName, organization }, { link, resetUrl }) => ({
    subject: `${organization} ist umgezogen: Lege dein Passwort fest`,
    paragraphs: [
      `Hallo ${fullName},`,
      `${organization} ist zu ${PRODUCT_NAME} umgezogen, mit deinem Konto und deinen Nachrichten. Öffne innerhalb von sieben Tagen diesen Link, um ein Passwort festzulegen:`,
      link,
      `Danach bekommst du hier einen neuen Link: ${resetUrl}`,
    ],
  }),

  passwordChanged: ({ fullName, organization }, { endedSessions }) => ({
    subject: `Dein Passwort für ${organization} wurde geändert`,
    paragraphs: [
      `Hallo ${fullName},`,
      `das Passwort deines Kontos bei ${organization} (${PRODUCT_NAME}) wurde geändert, und ${endedSessions === 'all' ? 'alle Browser' : 'alle anderen Browser'} wurden abgemeldet.`,
      'Wenn du das warst, brauchst du nichts zu tun. Wenn nicht, lege sofort ein neues Passwort fest, auf der Seite /accounts/password/reset der Organisation, und wende dich an die Administration der Organisation.',
    ],
  }),

  passwordReset: ({ fullName, organization }, { admin, link }) => ({
    subject: `Ein neues Passwort für ${organization}`,
    paragraphs: [
      `Hallo ${fullName},`,
      admin === null
        ? `jemand, wahrscheinlich du, möchte ein neues Passwort für dein Konto bei ${organization} (${PRODUCT_NAME}). Öffne innerhalb einer Stunde diesen Link, um es festzulegen:`
        : `${admin} bittet dich, ein neues Passwort für dein Konto bei ${organization} (${PRODUCT_NAME}) festzulegen. Öffne dazu innerhalb einer Stunde diesen Link:`,
      link,
      'Wenn du kein neues Passwort möchtest, ignoriere diese E-Mail. Dein jetziges Passwort gilt weiter.',
    ],
  }),

  invitation: ({ inviter, inviterEmail, organization, link, until }) => ({
    subject: `${inviter} lädt dich zu ${organization} ein`,
    paragraphs: [
      'Hallo,',
      `${inviter} (${inviterEmail}) lädt dich zu ${organization} auf ${PRODUCT_NAME} ein. Öffne diesen Link, um dein Konto anzulegen:`,
      link,
      until === null ? 'Der Link gilt unbegrenzt.' : `Der Link gilt bis ${until}.`,
      'Wenn du diese Einladung nicht erwartet hast, ignoriere diese E-Mail.',
    ],
  }),

  signUp: ({ organization, account, link }) => ({
    subject: `Tritt ${organization} bei`,
    paragraphs: [
      'Hallo,',
      `jemand, wahrscheinlich du, möchte ${organization} auf ${PRODUCT_NAME} beitreten.`,
      ...{
        none: ['Öffne innerhalb eines Tages diesen Link, um dein Konto anzulegen:', link],
        active: ['Es gibt schon ein Konto mit dieser Adresse: Melde dich damit an.'],
        deactivated: [
          'Es gibt schon ein Konto mit dieser Adresse, aber es ist deaktiviert: Bitte die Administration, es wieder zu aktivieren.',
        ],
      }[account],
      'Wenn du das nicht warst, ignoriere diese E-Mail.',
    ],
  }),

  newDeviceLogin: {
    subject: (device, organization) => `Neue Anmeldung mit ${device} [${organization}]`,
    intro: ({ fullName, email, organization }) =>
      `Hallo ${fullName}, mit deinem Konto ${email} bei ${organization} hat sich jemand auf einem neuen Gerät angemeldet.`,
    device: 'Gerät',
    time: 'Zeit',
    server: 'Server',
    advice:
      'Wenn du das warst, brauchst du nichts zu tun. Wenn nicht, ändere dein Passwort und beende die Sitzungen, die du nicht kennst:',
    settings: 'Einstellungen',
  },

  missed: {
    subjectWithoutContent: 'Neue Nachrichten',
    subjectOfDirectMessages: (names) => `Direktnachrichten mit ${names}`,
    subjectOfGroup: (names) => `Gruppe mit ${names}`,
    subjectOfOwnMessages: 'Nachrichten an dich selbst',
    greetingWithoutContent: (fullName, organization) =>
      `Hallo ${fullName}, du hast neue Nachrichten bei ${organization}.`,
    more: (n) => countOf(n, 'weitere Nachricht', 'weitere Nachrichten'),
    replyInConversation: 'Antworten auf diese E-Mail werden nicht gelesen. Antworte in der Unterhaltung:',
    reasons: {
      direct: 'Du bekommst diese E-Mail, weil dir jemand eine Direktnachricht geschickt hat, während du weg warst.',
      mention: 'Du bekommst diese E-Mail, weil dich eine Nachricht mit Namen erwähnt.',
      wildcard_mention: 'Du bekommst diese E-Mail, weil eine Nachricht alle in der Unterhaltung erwähnt.',
      alert_word: 'Du bekommst diese E-Mail, weil eine Nachricht eines deiner Stichwörter enthält.',
      followed_topic: 'Du bekommst diese E-Mail, weil du dem Thema folgst.',
      stream: 'Du bekommst diese E-Mail, weil für diesen Stream E-Mail-Benachrichtigungen eingeschaltet sind.',
    },
  },

  withheld: {
    user: 'Diese E-Mail zeigt keine Nachrichten, weil deine Einstellungen das so vorsehen.',
    organization: 'Diese E-Mail zeigt keine Nachrichten, weil die Einstellungen der Organisation das so vorsehen.',
  },

  digest: {
    subject: (organization) => `Deine Woche bei ${organization}`,
    greeting: (fullName, organization) => `Hallo ${fullName}, das war bei ${organization} los, während du weg warst.`,
    topicFacts: (messages, senders) =>
      `${countOf(messages, 'Nachricht', 'Nachrichten')} von ${countOf(senders, 'Person', 'Personen')}`,
    moreMessages: (n) => `und ${countOf(n, 'weitere Nachricht', 'weitere Nachrichten')}`,
    newStreams: 'Neue Streams',
    moreNewStreams: (n) => `und ${countOf(n, 'weiterer neuer Stream', 'weitere neue Streams')}`,
    messagesInTopics: (messages, topics) =>
      `${countOf(messages, 'Nachricht', 'Nachrichten')} in ${countOf(topics, 'lebhaften Thema', 'lebhaften Themen')}`,
    streamCount: (n) => countOf(n, 'neuer Stream', 'neue Streams'),
    reason: 'Du bekommst diese E-Mail, weil in deinen Einstellungen Zusammenfassungen eingeschaltet sind.',
  },

  repliesNotRead: 'Antworten auf diese E-Mail werden nicht gelesen.',
  openOrganization: (organization) => `${organization} öffnen`,
  openInOrganization: (organization) => `In ${organization} öffnen`,
  unsubscribe: 'Abbestellen',
  toUnsubscribe: {
    missed: 'Um solche E-Mails nicht mehr zu bekommen, öffne:',
    login: 'Um keine E-Mails über Anmeldungen mehr zu bekommen, öffne:',
    digest: 'Um solche E-Mails nicht mehr zu bekommen, öffne:',
  },
  hiddenSpoiler: '(Verborgener Text. Öffne die Unterhaltung, um ihn zu lesen.)',
};
