import type { Catalogue } from '../catalogue.js';
import type { settings as source } from '../en/settings.js';
import { settingsOrganization } from './settings-organization.js';
import { settingsOwn } from './settings-own.js';
import { settingsShared } from './settings-shared.js';
import { settingsStreams } from './settings-streams.js';

export const settings: Catalogue<typeof source> = {
  ...settingsOrganization,
  ...settingsOwn,
  ...settingsShared,
  ...settingsStreams,
};
