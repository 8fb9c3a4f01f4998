import type { TextCatalog } from '../catalogue.js';
import type { emojiAndSchedulingTexts as source } from '../en/writing.js';

export const emojiAndSchedulingTexts: TextCatalog<typeof source> = {
  'emoji.title': 'Emoji',
  'emoji.search': 'Emoji suchen',
  'emoji.found': 'Gefunden',
  'emoji.recent': 'Zuletzt benutzt',
  'emoji.custom': 'Aus dieser Organisation',
  'emoji.smileys': 'Smileys',
  'emoji.people': 'Menschen',
  'emoji.nature': 'Tiere und Natur',
  'emoji.food': 'Essen und Trinken',
  'emoji.travel': 'Reisen und Orte',
  'emoji.activities': 'Aktivitäten',
  'emoji.objects': 'Gegenstände',
  'emoji.symbols': 'Symbole',
  'emoji.flags': 'Flaggen',
  'schedule.hour': 'In einer Stunde',
  'schedule.evening': 'Heute Abend',
  'schedule.morning': 'Morgen früh',
  'schedule.monday': 'Am Montag',
  'schedule.time': 'Tag und Uhrzeit',
  'schedule.zone': 'Zeitzone: {zone}',
  'schedule.send': 'Planen',
  'schedule.past': 'Wähle eine Zeit, die noch kommt.',
  'schedule.done': 'Deine Nachricht wird gesendet: {time}.',
  'schedule.list': 'Geplante Nachrichten zeigen',
};
