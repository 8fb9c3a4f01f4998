import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '#base/clock';
import { makeNodemailerOptions } from './compose.js';
import { type Mailer, MailerUnavailableError, type OutgoingMail } from './mailer.js';

/** Time for which a mail stays in the folder, ms: as long as mails wait for a mail server. */
const FILE_LIFETIME_MS = 3 * 24 * 3_600_000;
const REMOVAL_INTERVAL_MS = 3_600_000;
const FILE_NAME = /^(\d{4}-\d\d-\d\dT\d\d)\.(\d\d)\.(\d\d\.\d{3}Z)-([\w-]+)\.eml$/;
const UNFINISHED_FILE_NAME = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** @param writtenAt wall time, ms */
const makeFileName = (id: string, writtenAt: number): string =>
  `${new Date(writtenAt).toISOString().replaceAll(':', '.')}-${id}.eml`;

/**
 * Writes each mail to a file `<time>-<id>.eml` (RFC 822), for installations without a mail server. A file appears only
 * when it is complete. A mail that is sent again replaces its file.
 *
 * Files contain texts of messages, also of deleted ones, and links that grant access. So a file is removed three days
 * after the time in its name, with a mail, at most once an hour, or when the mailer is opened. The time is that of
 * writing: a mail may have waited for longer, for example in a backup. Other files in the folder are left alone.
 */
export class FolderMailer implements Mailer {
  /** Times in the names of the files, by id of the mail. */
  readonly #writtenAt = new Map<string, number>();
  /** Monotonic time of the next removal, ms. */
  #nextRemovalAt = Number.NEGATIVE_INFINITY;
  #removal: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(
    private readonly folder: string,
    private readonly from: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a mailer that writes into this folder, which is made if it is missing. Only one mailer at a time may have the
   * folder open, because the unfinished files in it are removed.
   */
  static async open(folder: string, from: string, clock: Clock): Promise<FolderMailer> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const mailer = new FolderMailer(folder, from, clock);
    const unfinished: string[] = [];
    for (const name of await readdir(folder)) {
      const [, hour, minute, second, id] = FILE_NAME.exec(name) ?? [];
      const writtenAt = Date.parse(`${hour}:${minute}:${second}`);
      if (id !== undefined && !Number.isNaN(writtenAt)) mailer.#writtenAt.set(id, writtenAt);
      else if (UNFINISHED_FILE_NAME.test(name)) unfinished.push(name);
    }
    mailer.#removeOldFilesIfDue(unfinished);
    return mailer;
  }

  async send(mail: OutgoingMail): Promise<void> {
    // Made here, because the package is loaded with its first use.
    const mimeOnlyTransport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const { message } = await mimeOnlyTransport.sendMail(makeNodemailerOptions(mail, this.from));
    const writtenAt = this.#writtenAt.get(mail.id) ?? this.clock.now();
    const unfinished = join(this.folder, `.${randomUUID()}`);
    try {
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        await handle.writeFile(message as Buffer);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, join(this.folder, makeFileName(mail.id, writtenAt)));
      this.#writtenAt.set(mail.id, writtenAt);
      const folder = await open(this.folder, 'r');
      await folder.sync().finally(() => folder.close());
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw new MailerUnavailableError(`the mail folder can't be written: ${(error as Error).message}`, {
        cause: error,
      });
    }
    this.#removeOldFilesIfDue();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#removal;
  }

  /** Begins to remove old files, unless the last removal began within an hour. @param others further files to remove */
  #removeOldFilesIfDue(others: readonly string[] = []): void {
    const now = this.clock.monotonic();
    if (now < this.#nextRemovalAt) return;
    this.#nextRemovalAt = now + REMOVAL_INTERVAL_MS;
    const names = [...others];
    const end = this.clock.now() - FILE_LIFETIME_MS;
    for (const [id, writtenAt] of this.#writtenAt) {
      if (writtenAt > end) continue;
      this.#writtenAt.delete(id);
      names.push(makeFileName(id, writtenAt));
    }
    // Mails don't wait for the removal: there may be thousands of files.
    this.#removal = this.#removal.then(() => this.#removeFiles(names));
  }

  /** Removes files one by one. A failure is ignored: the file is tried again when a mailer opens the folder. */
  async #removeFiles(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.#isClosed) return;
      await rm(join(this.folder, name), { force: true }).catch(() => undefined);
    }
  }
}
