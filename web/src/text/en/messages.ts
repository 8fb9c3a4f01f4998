/** Texts of the message list and of messages. */
export const messages = {
  'messages.list': 'Messages',
} as const;
