import { commandOf } from './command.js';

const command = commandOf<'mail'>();

/** Commands of the mail actor of an organization. */
export const mailCommands = {
  /** Stores a mail for sending. The command is never refused. */
  send: command<{ readonly to: string; readonly subject: string; readonly text: string }>('send'),
  /** Sent by the actor's timer: sends the stored mails that are due. */
  due: command('due'),
};
