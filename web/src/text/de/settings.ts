import type { Catalogue, SettingsTexts } from '../catalogue.js';

export const settings: Catalogue<SettingsTexts> = {
  'settings.title': 'Einstellungen',
};
