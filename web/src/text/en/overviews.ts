/** Texts of inbox and recent conversations. */
export const overviewTexts = {
  'overviews.inbox-empty': 'You have read everything.',
  'overviews.unread-sum': { one: '{n} unread message', other: '{n} unread messages' },
  'overviews.read-all': 'Mark all as read',
  'overviews.read-all-question': {
    one: '{n} message will count as read, also in streams that are not listed here.',
    other: '{n} messages will count as read, also in streams that are not listed here.',
  },
  'overviews.mark-read-of': 'Mark {name} as read',
  'overviews.recent-empty': 'No conversation to show.',
  'overviews.filter': 'Filter conversations',
  'overviews.only-unread': 'Unread',
  'overviews.only-participated': 'With me',
  'overviews.only-muted': 'Muted, too',
  'overviews.participants': 'With {names}',
  'overviews.older': 'Show older conversations',
} as const;
