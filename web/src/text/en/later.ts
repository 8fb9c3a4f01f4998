/** English texts of the lazy chunks: settings, shortcuts, menus of the sidebar, emoji picker, scheduling. */
import { message } from './message.js';
import { settings } from './settings.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';

export const later = { ...message, ...settings, ...shortcuts, ...sidebarMenus } as const;
