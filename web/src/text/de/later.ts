/** German texts of the lazy chunks. */
import type { Catalogue, LaterTexts } from '../catalogue.js';
import { message } from './message.js';
import { settings } from './settings.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';

export const later: Catalogue<LaterTexts> = { ...message, ...settings, ...shortcuts, ...sidebarMenus };
