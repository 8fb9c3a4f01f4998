import type { Catalogue } from '../catalogue.js';
import type { search as source } from '../en/search.js';

export const search: Catalogue<typeof source> = {
  'search.label': 'Nachrichten durchsuchen',
};
