/** German texts of the lazy chunks. */
import type { LaterTexts, TextCatalog } from '../catalogue.js';
import { commonLaterTexts } from './common-later.js';
import { composeTexts } from './compose.js';
import { draftTexts } from './drafts.js';
import { messageTexts } from './message.js';
import { messageListTexts } from './messages.js';
import { notifyTexts } from './notify.js';
import { searchTexts } from './search.js';
import { settingsTexts } from './settings.js';
import { organizationSettingsTexts } from './settings-organization.js';
import { ownSettingsTexts } from './settings-own.js';
import { streamSettingsTexts } from './settings-streams.js';
import { shellMenuTexts } from './shell-menus.js';
import { shortcutTexts } from './shortcuts.js';
import { sidebarMenuTexts } from './sidebar-menus.js';
import { signInTexts } from './sign-in.js';
import { topicTexts } from './topics.js';
import { emojiAndSchedulingTexts } from './writing.js';

export { refusalTexts } from './refusals.js';

export const laterTexts: TextCatalog<LaterTexts> = {
  ...commonLaterTexts,
  ...composeTexts,
  ...draftTexts,
  ...messageTexts,
  ...messageListTexts,
  ...notifyTexts,
  ...searchTexts,
  ...settingsTexts,
  ...organizationSettingsTexts,
  ...ownSettingsTexts,
  ...streamSettingsTexts,
  ...shellMenuTexts,
  ...shortcutTexts,
  ...sidebarMenuTexts,
  ...signInTexts,
  ...topicTexts,
  ...emojiAndSchedulingTexts,
};
