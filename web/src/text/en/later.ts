/** English texts of the lazy chunks: settings and the list of shortcuts. */
import { settings } from './settings.js';
import { shortcuts } from './shortcuts.js';
import { writing } from './writing.js';

export const later = { ...settings, ...shortcuts, ...writing } as const;
