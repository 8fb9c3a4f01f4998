/** English texts of the lazy chunks: settings, shortcuts, menus of the sidebar, emoji picker, scheduling. */
import { message } from './message.js';
import { settings } from './settings.js';
import { settingsOrganization } from './settings-organization.js';
import { settingsOwn } from './settings-own.js';
import { settingsStreams } from './settings-streams.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';
import { writing } from './writing.js';

export const later = {
  ...message,
  ...settings,
  ...settingsOrganization,
  ...settingsOwn,
  ...settingsStreams,
  ...shortcuts,
  ...sidebarMenus,
  ...writing,
} as const;
