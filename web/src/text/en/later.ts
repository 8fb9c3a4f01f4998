/** English texts of the lazy chunks. */
import { message } from './message.js';
import { settings } from './settings.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';
import { writing } from './writing.js';

export const later = { ...message, ...settings, ...shortcuts, ...sidebarMenus, ...writing } as const;
