import type { Catalogue } from '../catalogue.js';
import type { shell as source } from '../en/shell.js';

export const shell: Catalogue<typeof source> = {
  'shell.skip': 'Zu den Nachrichten springen',
  'shell.open-sidebar': 'Streams und Unterhaltungen zeigen',
  'shell.open-people': 'Personen zeigen',
  'shell.hide-people': 'Personen ausblenden',
  'shell.search': 'Suchen',
  'shell.menu': 'Menü von {name}',
  'shell.settings': 'Einstellungen',
  'shell.help': 'Tastenkürzel',
  'shell.sign-out': 'Abmelden',
  'shell.sign-in': 'Anmelden',
  'shell.theme-auto': 'Hell oder dunkel wie das System',
  'shell.theme-light': 'Hell',
  'shell.theme-dark': 'Dunkel',
  'shell.theme-contrast': 'Hoher Kontrast',
  'shell.connecting': 'Verbindung wird wieder aufgebaut …',
  'shell.offline': 'Du bist offline. Was du schreibst, wird gesendet, sobald du wieder verbunden bist.',
  'shell.live': 'Wieder verbunden',
  'shell.loading': '{name} wird geöffnet …',
  'shell.spectator': 'Du liest ohne Konto mit.',
  'shell.not-found': 'Unter dieser Adresse ist nichts.',
  'shell.go-home': 'Zum Posteingang',
  'shell.title-unread': '({n}) {title}',
};
