import { commandOf } from './command.js';

const command = commandOf<'mail'>();

/** Commands of the mail actor of an organization. */
export const mailCommands = {
  /** Store a mail, to be sent soon. Never refused. */
  send: command<{ readonly to: string; readonly subject: string; readonly text: string }>('send'),
  /** Timer: send the mails whose time has come. */
  due: command('due'),
};
