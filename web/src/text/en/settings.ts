/** Texts of the settings and of profiles; part of the lazy texts. A file for each of the parts. */
import { settingsOrganization } from './settings-organization.js';
import { settingsOwn } from './settings-own.js';
import { settingsShared } from './settings-shared.js';
import { settingsStreams } from './settings-streams.js';

export const settings = { ...settingsOrganization, ...settingsOwn, ...settingsShared, ...settingsStreams } as const;
