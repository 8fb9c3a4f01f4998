import { commandOf } from './command.js';

const command = commandOf<'mail'>();

/** Commands of the mail actor of an organization. */
export const mailCommands = {
  /** Stores a mail for sending. Never refused. */
  send: command<{ readonly to: string; readonly subject: string; readonly text: string }>('send'),
  /** Timer: sends the stored mails that are due. */
  due: command('due'),
};
