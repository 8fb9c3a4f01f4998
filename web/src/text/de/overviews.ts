import type { Catalogue } from '../catalogue.js';
import type { overviews as source } from '../en/overviews.js';

export const overviews: Catalogue<typeof source> = {
  'overviews.empty': 'Hier ist noch nichts.',
};
