/** What somebody who joins fills in. */
import { maybeText } from '../../parameters.js';

export const NEWCOMER = {
  full_name: maybeText('form', 'Name shown to others.'),
  password: maybeText('form', 'At least 6 characters and hard enough to guess.'),
} as const;
