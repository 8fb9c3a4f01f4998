/** English texts of the lazy chunks: settings and the list of shortcuts. */
import { message } from './message.js';
import { settings } from './settings.js';
import { shortcuts } from './shortcuts.js';

export const later = { ...message, ...settings, ...shortcuts } as const;
