import { core, formatFailureText } from '../client/index.js';
import type { Composer } from './composer.js';

/** Commands of the server by what the user types. Its themes have older names. */
const SERVER_COMMAND_BY_TEXT: Readonly<Record<string, string>> = {
  '/dark': '/night',
  '/night': '/night',
  '/light': '/day',
  '/day': '/day',
  '/fluid-width': '/fluid-width',
  '/fixed-width': '/fixed-width',
};

/** Runs a slash command in place of sending it. @returns false if the text is not one */
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
