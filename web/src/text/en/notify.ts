/** Texts of notifications. */
export const notifyTexts = {
  'notify.offer': 'Do you want notifications of messages while you are elsewhere?',
  'notify.turn-on': 'Turn on',
  'notify.group': { one: '{name} to you and {n} other', other: '{name} to you and {n} others' },
  'notify.hidden': 'New direct message',
  'notify.hidden-stream': 'New message',
} as const;
