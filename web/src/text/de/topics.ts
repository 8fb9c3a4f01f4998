import type { TextCatalog } from '../catalogue.js';
import type { topicTexts as source } from '../en/topics.js';

export const topicTexts: TextCatalog<typeof source> = {
  'topics.menu': 'Aktionen zu {name}',
  'topics.inherit': 'Wie der Stream',
  'topics.muted': 'Stummgeschaltet',
  'topics.unmuted': 'Nicht stummgeschaltet',
  'topics.followed': 'Folge ich',
  'topics.move': 'Nachricht oder Thema verschieben',
  'topics.move-action': 'Verschieben',
  'topics.move-which': 'Verschoben wird',
  'topics.move-one': 'nur diese Nachricht',
  'topics.move-later': 'diese Nachricht und alle danach',
  'topics.move-all': 'alle Nachrichten des Themas',
  'topics.move-notify-old': 'Im alten Thema darauf hinweisen',
  'topics.move-notify-new': 'Im neuen Thema darauf hinweisen',
  'topics.resolve': 'Thema als erledigt markieren',
  'topics.reopen': 'Thema als offen markieren',
  'topics.resolved': 'Das Thema ist erledigt.',
  'topics.reopened': 'Das Thema ist wieder offen.',
  'topics.rename': 'Thema umbenennen oder verschieben',
  'topics.delete': 'Thema löschen',
  'topics.delete-title': 'Dieses Thema löschen?',
  'topics.delete-text': 'Alle Nachrichten in „{topic}“ verschwinden für alle. Das lässt sich nicht rückgängig machen.',
  'topics.deleted': 'Das Thema ist gelöscht.',
};
