/** English texts of the lazy chunks: settings and the list of shortcuts. */
import { settings } from './settings.js';
import { shortcuts } from './shortcuts.js';

export const later = { ...settings, ...shortcuts } as const;
