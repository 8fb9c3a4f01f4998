import { core, formatFailureText } from '../client/index.js';
import type { Composer } from './composer.js';

/** Commands of the server by the text of a message; the older names of the themes are the server's own. */
const SERVER_COMMAND_BY_TEXT: Readonly<Record<string, string>> = {
  '/dark': '/night',
  '/night': '/night',
  '/light': '/day',
  '/day': '/day',
  '/fluid-width': '/fluid-width',
  '/fixed-width': '/fixed-width',
};

/** Carries a slash command out, in place of sending it. @returns false if the text is none */
export async function runSlashCommandInText(composer: Composer): Promise<boolean> {
  const text = composer.text.peek().trim();
  const command = Object.hasOwn(SERVER_COMMAND_BY_TEXT, text) ? SERVER_COMMAND_BY_TEXT[text] : undefined;
  if (command === undefined) return false;
  try {
    await core.api.post('/zcommand', { command });
    if (composer.text.peek().trim() === text) composer.clearAfterSending();
  } catch (error) {
    composer.error.value = formatFailureText(error);
  }
  composer.focusNowOrWhenMounted();
  return true;
}
