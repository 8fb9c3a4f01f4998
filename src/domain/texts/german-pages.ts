/** German texts of the pages that work without scripts. */
import type { PageTexts } from './english-pages.js';

export const germanPageTexts: PageTexts = {
  emailAddress: 'E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  passwordHint: 'Mindestens 6 Zeichen und schwer zu erraten.',
  yourEmailAddress: 'Deine E-Mail-Adresse:',
  sendLink: 'Link senden',
  signIn: 'Anmelden',
  backToSignIn: 'Zurück zur Anmeldung',
  signInToAccount: 'Anmelden, wenn du ein Konto hast',
  signInWithApp: 'Melde dich in deiner App an.',
  formFailed: 'Das hat nicht geklappt:',
  tooManyMails: 'Es wurden zu viele E-Mails gesendet. Versuche es später noch einmal.',
  checkYourMail: 'Sieh in deine E-Mails',

  joinOrganization: (organization) => `${organization} beitreten`,
  mailWithLinkFollows: 'Du bekommst eine E-Mail mit einem Link.',
  mailSentTo: ['Eine E-Mail ist unterwegs an ', '.'],
  invitationNeeded: {
    title: 'Du brauchst eine Einladung',
    text: 'Bitte ein Mitglied dieser Organisation um eine Einladung.',
  },
  signUpLinkExpired: {
    title: 'Dieser Link ist abgelaufen',
    text: 'Links gelten einen Tag. Fordere einen neuen an.',
  },
  invitationGone: {
    title: 'Diese Einladung gilt nicht mehr',
    text: 'Sie wurde benutzt oder zurückgezogen oder ist abgelaufen. Bitte um eine neue Einladung.',
  },
  invitedBy: (inviter) => `${inviter} lädt dich ein.`,
  createYourAccount: 'Lege dein Konto an:',
  fullName: 'Voller Name',
  join: 'Beitreten',
  welcome: (organization) => `Willkommen bei ${organization}`,
  accountCreated: 'Dein Konto ist angelegt.',
  signInWithBrowser: 'Melde dich in diesem Browser an',
  orWithApp: ' oder mit einer App deiner Wahl:',
  signInWithAnApp: 'Melde dich mit einer App deiner Wahl an:',
  serverAddress: 'Adresse des Servers',
  chosenPassword: 'das, das du gewählt hast',
  hasNoPasswords: 'Diese Organisation hat keine Passwörter: Melde dich per Single Sign-on an.',

  confirmEmail: {
    title: 'Bestätige deine E-Mail-Adresse',
    text: 'Soll die Adresse, an die dieser Link ging, die Adresse deines Kontos werden?',
  },
  confirm: 'Bestätigen',
  emailChanged: 'Deine E-Mail-Adresse ist geändert',
  emailIsNow: ['Die E-Mail-Adresse deines Kontos ist jetzt ', '.'],
  emailNotChanged: 'Deine E-Mail-Adresse ist nicht geändert',

  forgottenPassword: 'Passwort vergessen?',
  resetMailFollows: 'Du bekommst eine E-Mail mit einem Link, der ein neues Passwort festlegt.',
  emailOfAccount: 'E-Mail-Adresse deines Kontos',
  resetMailSent: [
    'Wenn ',
    ' die Adresse eines Kontos hier ist, ist eine E-Mail dorthin unterwegs. Der Link darin gilt eine Stunde.',
  ],
  resetMailMissing: 'Keine E-Mail bekommen? Sieh im Spam-Ordner nach oder frage die Administration der Organisation.',
  onlyOwnersHavePasswords:
    'In dieser Organisation haben nur Eigentümer Passwörter: Alle anderen melden sich per Single Sign-on an.',
  setNewPassword: (organization) =>
    `Lege ein neues Passwort für dein Konto bei ${organization} fest. Alle Browser werden abgemeldet.`,
  replaceApiKey: 'Auch Apps abmelden: den API-Schlüssel ersetzen',
  setPassword: 'Passwort festlegen',
  passwordChanged: 'Dein Passwort ist geändert',
  passwordIsSet: (organization) => ['Das Konto ', ` bei ${organization} hat sein neues Passwort.`],
  resetLinkGone: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Er wurde benutzt, ist abgelaufen oder wurde durch einen neueren ersetzt.',
  },
  requestNewLink: 'Neuen Link anfordern',

  notSignedIn: 'Du bist nicht angemeldet',
  providerUnavailable:
    'Der Dienst, der dein Konto kennt, antwortet nicht. Versuche es in ein paar Minuten noch einmal.',
  providerRefused: 'Der Dienst, der dein Konto kennt, hat nicht bestätigt, wer du bist. Melde dich noch einmal an.',
  signInCancelled: 'Die Anmeldung wurde abgebrochen.',
  noBrowserClient: 'Auf diesem Server kann man sich nicht mit einem Browser anmelden.',
  alreadySignedIn: 'Du bist schon angemeldet. Melde dich zuerst ab.',
  backToApp: {
    title: 'Geh zurück zur App',
    text: 'Du bist angemeldet. Kopiere diesen Text; die App nimmt ihn aus der Zwischenablage.',
  },
  textForApp: 'Text für die App',

  unsubscribe: 'Abbestellen',
  stopMails: {
    missed: 'Keine E-Mails über verpasste Nachrichten mehr bekommen?',
    login: 'Keine E-Mails über neue Anmeldungen mit deinem Konto mehr bekommen?',
    digest: 'Keine E-Mails mit einer Zusammenfassung der Woche mehr bekommen?',
  },
  unsubscribed: 'Die E-Mails sind abbestellt',
  mailsStopped: {
    missed:
      'Du bekommst keine E-Mails über verpasste Nachrichten mehr. In deinen Einstellungen kannst du sie wieder einschalten.',
    login:
      'Du bekommst keine E-Mails über neue Anmeldungen mehr. In deinen Einstellungen kannst du sie wieder einschalten.',
    digest:
      'Du bekommst keine E-Mails mit einer Zusammenfassung der Woche mehr. In deinen Einstellungen kannst du sie wieder einschalten.',
  },
  unsubscribeLinkGone: {
    title: 'Dieser Link funktioniert nicht',
    text: 'Kopiere den ganzen Link aus der E-Mail oder ändere deine Einstellungen.',
  },

  refusals: {
    'Enter a valid email address.': 'Das ist keine gültige E-Mail-Adresse.',
    'Invalid address.': 'Das ist keine gültige E-Mail-Adresse.',
    'Outside your domain.': 'Adressen dieser Domain sind hier nicht erlaubt.',
    'Please use your real email address.': 'Wegwerf-Adressen sind hier nicht erlaubt.',
    'Disposable email addresses are not allowed in this organization': 'Wegwerf-Adressen sind hier nicht erlaubt.',
    'Email addresses containing + are not allowed.': 'Adressen mit einem + sind hier nicht erlaubt.',
    "Email '{email}' already in use": 'Es gibt schon ein Konto mit der Adresse {email}.',
    "Email '{email}' not allowed in this organization": 'Die Adresse {email} ist in dieser Organisation nicht erlaubt.',
    'Already has an account.': 'Es gibt schon ein Konto mit dieser Adresse.',
    'Account has been deactivated.': 'Das Konto mit dieser Adresse ist deaktiviert.',
    'Account is deactivated': 'Dieses Konto ist deaktiviert.',
    'Reserved for system bots.': 'Diese Adresse ist für Bots des Servers reserviert.',
    'Email address changes are disabled in this organization.':
      'In dieser Organisation lassen sich Adressen nicht ändern.',
    'An invitation is needed': 'Du brauchst eine Einladung.',
    'Name too long!': 'Der Name ist zu lang.',
    'Name too short!': 'Der Name ist zu kurz.',
    'Invalid characters in name!': 'Der Name hat Zeichen, die nicht erlaubt sind.',
    'Invalid format!': 'Der Name darf nicht auf | und eine Zahl enden.',
    'The password is too weak.': 'Das Passwort ist zu leicht zu erraten.',
    'This link is no longer valid.': 'Dieser Link gilt nicht mehr.',
    'This link was used or has expired': 'Dieser Link wurde benutzt oder ist abgelaufen.',
    'This sign-in was used or took too long.': 'Diese Anmeldung wurde schon benutzt oder hat zu lange gedauert.',
    'This way to sign in is disabled in this organization':
      'Diese Art der Anmeldung ist in dieser Organisation ausgeschaltet.',
    'The account there has no verified e-mail address.': 'Das Konto dort hat keine bestätigte E-Mail-Adresse.',
    'An account here can not have the e-mail address {email}.': 'Ein Konto kann hier nicht die Adresse {email} haben.',
    'Another account of the same service signs in with this e-mail address.':
      'Mit dieser E-Mail-Adresse meldet sich schon ein anderes Konto desselben Dienstes an.',
  },
};
