import type { TextCatalog } from '../catalogue.js';
import type { searchTexts as source } from '../en/search.js';

export const searchTexts: TextCatalog<typeof source> = {
  'search.label': 'Nachrichten suchen',
  'search.placeholder': 'Wörter, stream:, sender:, has: …',
  'search.more': 'Gesuchte Wörter',
  'search.everywhere': 'In allen Nachrichten',
  'search.remove': '{term} entfernen',
  'search.hint': 'Ein Minus vor einem Operator schließt aus: -sender:',
  'search.unknown': 'Unbekannt: {terms}',
  'search.stream': 'Nachrichten eines Streams',
  'search.streams': 'Alle öffentlichen Streams, mit ihrem Verlauf',
  'search.topic': 'Nachrichten eines Themas',
  'search.sender': 'Nachrichten einer Person',
  'search.dm': 'Direktnachrichten mit bestimmten Personen',
  'search.dm-including': 'Direktnachrichten, an denen eine Person beteiligt ist',
  'search.is': 'Ungelesen, markiert, Erwähnungen, erledigt …',
  'search.has': 'Mit Link, Bild oder Datei',
  'search.in': 'Ohne oder mit stummgeschalteten Unterhaltungen',
  'search.near': 'Um eine Nachricht herum',
  'search.id': 'Eine Nachricht nach ihrer Nummer',
  'search.switch': 'Zu einer Unterhaltung gehen',
  'search.switch-placeholder': 'Stream, Thema, Person oder Ansicht',
  'search.switch-hint': 'Stream > Thema findet Themen eines Streams',
};
