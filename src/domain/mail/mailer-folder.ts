import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '#base/clock';
import { makeNodemailerOptions } from './compose.js';
import { type Mailer, MailerUnavailableError, type OutgoingMail } from './mailer.js';

/** Time for which a mail stays in the folder, ms: as long as a mail waits for a mail server in a cluster. */
const FILE_LIFETIME_MS = 3 * 24 * 3_600_000;
const REMOVAL_INTERVAL_MS = 3_600_000;

/**
 * Writes each mail to a file `<time>-<id>.eml` (RFC 822), for installations without a mail server. A file appears only
 * when it is complete. Files that were written three days ago are removed when the mailer is opened, and then with a
 * mail at most once an hour: they have texts of messages, also of those that were deleted since.
 */
export class FolderMailer implements Mailer {
  /** Wall time of the last removal of old files, ms. */
  #removedAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly folder: string,
    private readonly from: string,
    private readonly clock: Clock,
  ) {}

  /** Opens a mailer that writes into this folder, which is made if it is missing. */
  static async open(folder: string, from: string, clock: Clock): Promise<FolderMailer> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const mailer = new FolderMailer(folder, from, clock);
    await mailer.#removeOldFilesIfDue();
    return mailer;
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
      await this.#removeOldFilesIfDue();
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw new MailerUnavailableError(`the mail folder can't be written: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  async close(): Promise<void> {}

  async #removeOldFilesIfDue(): Promise<void> {
    const now = this.clock.now();
    if (now - this.#removedAt < REMOVAL_INTERVAL_MS) return;
    this.#removedAt = now;
    for (const name of await readdir(this.folder)) {
      // Other files are not the mailer's, except unfinished ones that a crash left.
      if (!name.endsWith('.eml') && !name.startsWith('.')) continue;
      const file = join(this.folder, name);
      const found = await stat(file).catch(() => undefined);
      if (found?.isFile() && found.mtimeMs < now - FILE_LIFETIME_MS) await rm(file, { force: true });
    }
  }
}
