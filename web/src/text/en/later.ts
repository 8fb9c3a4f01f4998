/** English texts of the lazy chunks: settings, shortcuts, menus of the sidebar. */
import { settings } from './settings.js';
import { settingsOrganization } from './settings-organization.js';
import { settingsOwn } from './settings-own.js';
import { settingsStreams } from './settings-streams.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';

export const later = {
  ...settings,
  ...settingsOrganization,
  ...settingsOwn,
  ...settingsStreams,
  ...shortcuts,
  ...sidebarMenus,
} as const;
