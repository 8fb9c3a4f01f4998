/** German texts of the lazy chunks. */
import type { Catalogue, LaterTexts } from '../catalogue.js';
import { settings } from './settings.js';
import { settingsOrganization } from './settings-organization.js';
import { settingsOwn } from './settings-own.js';
import { settingsStreams } from './settings-streams.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';

export const later: Catalogue<LaterTexts> = {
  ...settings,
  ...settingsOrganization,
  ...settingsOwn,
  ...settingsStreams,
  ...shortcuts,
  ...sidebarMenus,
};
