import type { Catalogue } from '../catalogue.js';
import type { compose as source } from '../en/compose.js';

export const compose: Catalogue<typeof source> = {
  'compose.send': 'Senden',
};
