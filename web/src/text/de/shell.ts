import type { TextCatalog } from '../catalogue.js';
import type { shellTexts as source } from '../en/shell.js';

export const shellTexts: TextCatalog<typeof source> = {
  'shell.skip': 'Zu den Nachrichten springen',
  'shell.open-sidebar': 'Streams und Unterhaltungen zeigen',
  'shell.open-people': 'Personen zeigen',
  'shell.hide-people': 'Personen ausblenden',
  'shell.search': 'Suchen',
  'shell.search-for': 'Suche nach „{words}“',
  'shell.home': 'Erste Ansicht von {name}',
  'shell.menu': 'Menü von {name}',
  'shell.own-menu': 'Dein Profil und deine Einstellungen',
  'shell.settings': 'Einstellungen',
  'shell.sign-in': 'Anmelden',
  'shell.connecting': 'Verbindung wird wieder aufgebaut …',
  'shell.offline': 'Du bist offline. Was du schreibst, wird gesendet, sobald du wieder verbunden bist.',
  'shell.spectator': 'Du liest ohne Konto mit.',
  'shell.session-ended': 'Du bist abgemeldet worden.',
  'shell.not-found': 'Unter dieser Adresse ist nichts.',
  'shell.unknown-stream': 'unbekannter Stream',
  'shell.unknown-person': 'unbekannte Person',
  'shell.go-home': 'Zur ersten Ansicht',
  'shell.title-unread': '({n}) {title}',
  'shell.organization': 'Organisation',
  'shell.groups': 'Gruppen',
  'shell.no-unread-topic': 'Kein anderes Thema hat ungelesene Nachrichten.',
  'shell.no-unread-direct': 'Keine anderen Direktnachrichten sind ungelesen.',
};
