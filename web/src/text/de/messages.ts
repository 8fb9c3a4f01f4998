import type { Catalogue } from '../catalogue.js';
import type { messages as source } from '../en/messages.js';

export const messages: Catalogue<typeof source> = {
  'messages.list': 'Nachrichten',
};
