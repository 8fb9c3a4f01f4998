/** English texts of the lazy chunks: settings, shortcuts, menus of the sidebar. */
import { settings } from './settings.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';

export const later = { ...settings, ...shortcuts, ...sidebarMenus } as const;
