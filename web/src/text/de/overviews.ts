import type { TextCatalog } from '../catalogue.js';
import type { overviewTexts as source } from '../en/overviews.js';

export const overviewTexts: TextCatalog<typeof source> = {
  'overviews.inbox-empty': 'Du hast alles gelesen.',
  'overviews.unread-sum': { one: '{n} ungelesen', other: '{n} ungelesen' },
  'overviews.read-all': 'Alles als gelesen markieren',
  'overviews.read-all-question': {
    one: '{n} Nachricht gilt dann als gelesen, auch in Streams, die hier nicht stehen.',
    other: '{n} Nachrichten gelten dann als gelesen, auch in Streams, die hier nicht stehen.',
  },
  'overviews.mark-read-of': '{name} als gelesen markieren',
  'overviews.recent-empty': 'Keine Unterhaltung zu zeigen.',
  'overviews.filter': 'Unterhaltungen filtern',
  'overviews.only-unread': 'Ungelesen',
  'overviews.only-participated': 'Mit mir',
  'overviews.only-muted': 'Auch Stummgeschaltete',
  'overviews.participants': 'Mit {names}',
  'overviews.older': 'Ältere Unterhaltungen zeigen',
};
