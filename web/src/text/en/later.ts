/**
 * English texts of the lazy chunks: sign-in, messages, compose box, search, settings, shortcuts, menus of the sidebar,
 * emoji picker, scheduling.
 */
import { compose } from './compose.js';
import { message } from './message.js';
import { messages } from './messages.js';
import { search } from './search.js';
import { settings } from './settings.js';
import { settingsOrganization } from './settings-organization.js';
import { settingsOwn } from './settings-own.js';
import { settingsStreams } from './settings-streams.js';
import { shortcuts } from './shortcuts.js';
import { sidebarMenus } from './sidebar-menus.js';
import { signIn } from './sign-in.js';
import { writing } from './writing.js';

export const later = {
  ...compose,
  ...message,
  ...messages,
  ...search,
  ...settings,
  ...settingsOrganization,
  ...settingsOwn,
  ...settingsStreams,
  ...shortcuts,
  ...sidebarMenus,
  ...signIn,
  ...writing,
} as const;
