import type { TextCatalog } from '../catalogue.js';
import type { notifyTexts as source } from '../en/notify.js';

export const notifyTexts: TextCatalog<typeof source> = {
  'notify.offer': 'Möchtest du Benachrichtigungen über neue Nachrichten, wenn du woanders bist?',
  'notify.turn-on': 'Einschalten',
  'notify.group': { one: '{name} an dich und {n} weitere Person', other: '{name} an dich und {n} weitere Personen' },
  'notify.hidden': 'Neue Direktnachricht',
  'notify.hidden-stream': 'Neue Nachricht',
};
