/** Texts of the views of drafts and of scheduled messages. */
export const draftTexts = {
  'overviews.drafts-empty': 'No drafts. What you write and don’t send is kept here.',
  'overviews.no-address': 'Without an address',
  'overviews.resume': 'Continue writing',
  'overviews.delete-draft': 'Delete draft',
  'overviews.draft-deleted': 'The draft is deleted.',
  'overviews.scheduled-empty': 'No scheduled messages.',
  'overviews.scheduled-gone': 'Sent or deleted meanwhile.',
  'overviews.edit-scheduled': 'Edit scheduled message',
  'overviews.text': 'Text',
  'overviews.time': 'Time of sending',
  'overviews.time-past': 'Choose a time in the future.',
  'overviews.send-now': 'Send now',
  'overviews.delete-scheduled': 'Delete scheduled message',
  'overviews.failed': 'Could not be sent',
} as const;
