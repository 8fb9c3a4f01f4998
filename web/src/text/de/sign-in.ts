import type { TextCatalog } from '../catalogue.js';
import type { signInTexts as source } from '../en/sign-in.js';

export const signInTexts: TextCatalog<typeof source> = {
  'sign-in.title': 'Anmelden bei {name}',
  'sign-in.with': 'Anmelden mit {name}',
  'sign-in.show-password': 'Passwort zeigen',
  'sign-in.hide-password': 'Passwort verbergen',
  'sign-in.forgotten': 'Passwort vergessen?',
  'sign-in.owners': 'Eigentümer melden sich mit Passwort an',
  'sign-in.browse': 'Ohne Konto umsehen',
  'sign-in.wrong': 'E-Mail-Adresse oder Passwort stimmt nicht.',
  'sign-in.deactivated': 'Dieses Konto ist deaktiviert. Wende dich an die Administration deiner Organisation.',
  'sign-in.realm-deactivated': 'Diese Organisation ist geschlossen.',
  'sign-in.no-password': 'In dieser Organisation ist die Anmeldung mit Passwort ausgeschaltet.',
  'sign-in.missing-email': 'Gib deine E-Mail-Adresse ein.',
  'sign-in.missing-password': 'Gib dein Passwort ein.',
  'sign-in.link-working': 'Du wirst angemeldet …',
  'sign-in.other-account': 'Du bist als {own} angemeldet. Stattdessen als {name} anmelden?',
  'sign-in.link-used':
    'Dieser Link ist schon benutzt oder abgelaufen. Melde dich mit deinem Passwort an oder bitte um einen neuen Link.',
  'sign-in.no-realm': 'Unter dieser Adresse gibt es keine Organisation.',
  'sign-in.expired':
    'Du wurdest abgemeldet. Melde dich wieder an, um weiterzumachen; nichts Geschriebenes ist verloren.',
};
