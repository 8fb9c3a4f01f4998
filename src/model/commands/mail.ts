import { commandOf } from './command.js';

const command = commandOf<'mail'>();

/** Commands of the mail actor of an organization. */
export const mailCommands = {
  /** Stores a mail, which is sent soon. Never refused. */
  send: command<{ readonly to: string; readonly subject: string; readonly text: string }>('send'),
  /** Timer: sends the mails that are due. */
  due: command('due'),
};
