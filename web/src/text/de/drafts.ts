import type { TextCatalog } from '../catalogue.js';
import type { draftTexts as source } from '../en/drafts.js';

export const draftTexts: TextCatalog<typeof source> = {
  'overviews.drafts-empty': 'Keine Entwürfe. Was du schreibst und nicht sendest, bleibt hier.',
  'overviews.no-address': 'Ohne Empfänger',
  'overviews.resume': 'Weiterschreiben',
  'overviews.delete-draft': 'Entwurf löschen',
  'overviews.draft-deleted': 'Der Entwurf ist gelöscht.',
  'overviews.scheduled-empty': 'Keine geplanten Nachrichten.',
  'overviews.scheduled-gone': 'Inzwischen gesendet oder gelöscht.',
  'overviews.edit-scheduled': 'Geplante Nachricht bearbeiten',
  'overviews.text': 'Text',
  'overviews.time': 'Zeit des Sendens',
  'overviews.time-past': 'Wähle eine Zeit in der Zukunft.',
  'overviews.send-now': 'Jetzt senden',
  'overviews.delete-scheduled': 'Geplante Nachricht löschen',
  'overviews.failed': 'Konnte nicht gesendet werden',
};
