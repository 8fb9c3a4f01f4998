/** English texts of the lazy chunks: settings and the list of shortcuts. */
import { settings } from './settings.js';
import { settingsOrganization } from './settings-organization.js';
import { settingsOwn } from './settings-own.js';
import { settingsStreams } from './settings-streams.js';
import { shortcuts } from './shortcuts.js';

export const later = {
  ...settings,
  ...settingsOrganization,
  ...settingsOwn,
  ...settingsStreams,
  ...shortcuts,
} as const;
