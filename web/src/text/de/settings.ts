import type { Catalogue } from '../catalogue.js';
import type { settings as source } from '../en/settings.js';

export const settings: Catalogue<typeof source> = {
  'settings.title': 'Einstellungen',
};
