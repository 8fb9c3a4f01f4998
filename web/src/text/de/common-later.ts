import type { TextCatalog } from '../catalogue.js';
import type { commonLaterTexts as source } from '../en/common-later.js';

export const commonLaterTexts: TextCatalog<typeof source> = {
  'common.save': 'Speichern',
  'common.delete': 'Löschen',
  'common.edit': 'Bearbeiten',
  'common.undo': 'Rückgängig',
  'common.and-more': { one: 'und {n} weiteres', other: 'und {n} weitere' },
  'common.show': 'Anzeigen',
  'common.remove-name': '{name} entfernen',
  'common.choose-stream': 'Wähle einen Stream.',
  'common.stream': 'Stream',
  'common.topic': 'Thema',
  'common.email': 'E-Mail-Adresse',
  'common.password': 'Passwort',
  'common.or': 'oder',
};
