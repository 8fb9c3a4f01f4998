/** Texts that several lazy chunks use. */
export const commonLaterTexts = {
  'common.save': 'Save',
  'common.delete': 'Delete',
  'common.edit': 'Edit',
  'common.undo': 'Undo',
  'common.and-more': { one: 'and {n} more', other: 'and {n} more' },
  'common.show': 'Show',
  'common.remove-name': 'Remove {name}',
  'common.choose-stream': 'Choose a stream.',
  'common.stream': 'Stream',
  'common.topic': 'Topic',
  'common.email': 'E-mail address',
  'common.password': 'Password',
  'common.or': 'or',
} as const;
