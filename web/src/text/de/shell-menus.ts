import type { TextCatalog } from '../catalogue.js';
import type { shellMenuTexts as source } from '../en/shell-menus.js';

export const shellMenuTexts: TextCatalog<typeof source> = {
  'shell.organization-settings': 'Einstellungen der Organisation',
  'shell.invite': 'Personen einladen',
  'shell.own-profile': 'Dein Profil',
  'shell.own-status': 'Status setzen',
  'shell.help': 'Tastenkürzel',
  'shell.sign-out': 'Abmelden',
  'shell.theme-auto': 'Hell oder dunkel wie das System',
  'shell.theme-light': 'Hell',
  'shell.theme-dark': 'Dunkel',
  'shell.theme-contrast': 'Hoher Kontrast',
};
