import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { FolderMailer, MailerUnavailableError } from '#domain/mail';
import { FROM, mailerContract, mailTo } from './mailer.js';

const read = (folder: string): string[] => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));

mailerContract(t, 'FolderMailer', async (t) => {
  const folder = join(t.testdir(), 'mail');
  return { mailer: await FolderMailer.open(folder, FROM), received: () => read(folder) };
});

t.test(
  "a mail sent twice is stored once, in a file that only the server's user can read, named by its time",
  async (t) => {
    const folder = t.testdir();
    const mailer = await FolderMailer.open(folder, FROM);
    const mail = mailTo('one@example.com', { id: '1-7-abc' });
    await mailer.send(mail);
    await mailer.send(mail);
    t.same(readdirSync(folder), ['2026-01-02T03.04.05.000Z-1-7-abc.eml']);
    t.equal(statSync(join(folder, readdirSync(folder)[0]!)).mode & 0o077, 0);
  },
);

t.test('a missing folder is a failure of the mailer, not of the mail', async (t) => {
  const folder = join(t.testdir(), 'mail');
  const mailer = await FolderMailer.open(folder, FROM);
  rmSync(folder, { recursive: true });
  await t.rejects(mailer.send(mailTo('one@example.com')), MailerUnavailableError);
});
