import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { makeNodemailerOptions } from './compose.js';
import { type Mailer, MailerUnavailableError, type OutgoingMail } from './mailer.js';

/**
 * Writes each mail to a file `<time>-<id>.eml` (RFC 822), for installations without a mail server. A file appears only
 * when it is complete, and is never removed.
 */
export class FolderMailer implements Mailer {
  private constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {}

  /** Opens a mailer that writes into this folder, which is made if it is missing. */
  static async open(folder: string, from: string): Promise<FolderMailer> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new FolderMailer(folder, from);
  }

  async send(mail: OutgoingMail): Promise<void> {
    // Made here, because the package is loaded with its first use.
    const mimeOnlyTransport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const { message } = await mimeOnlyTransport.sendMail(makeNodemailerOptions(mail, this.from));
    const time = new Date(mail.date).toISOString().replaceAll(':', '.');
    const unfinished = join(this.folder, `.${randomUUID()}`);
    try {
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        await handle.writeFile(message as Buffer);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, join(this.folder, `${time}-${mail.id}.eml`));
      const folder = await open(this.folder, 'r');
      await folder.sync().finally(() => folder.close());
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw new MailerUnavailableError(`the mail folder can't be written: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  async close(): Promise<void> {}
}
