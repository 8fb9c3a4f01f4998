import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { REAL_CLOCK } from '#base/clock';
import { FolderMailer, MailerUnavailableError } from '#domain/mail';
import { FakeClock } from '../support/fake-clock.js';
import { FROM, mailerContract, mailTo } from './mailer.js';

const read = (folder: string): string[] => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));

mailerContract(t, 'FolderMailer', async (t) => {
  const folder = join(t.testdir(), 'mail');
  return { mailer: await FolderMailer.open(folder, FROM, REAL_CLOCK), received: () => read(folder) };
});

t.test(
  "a mail sent twice is stored once, in a file that only the server's user can read, named by its time",
  async (t) => {
    const folder = t.testdir();
    const mailer = await FolderMailer.open(folder, FROM, REAL_CLOCK);
    const mail = mailTo('one@example.com', { id: '1-7-abc' });
    await mailer.send(mail);
    await mailer.send(mail);
    t.same(readdirSync(folder), ['2026-01-02T03.04.05.000Z-1-7-abc.eml']);
    t.equal(statSync(join(folder, readdirSync(folder)[0]!)).mode & 0o077, 0);
  },
);

t.test('a missing folder is a failure of the mailer, not of the mail', async (t) => {
  const folder = join(t.testdir(), 'mail');
  const mailer = await FolderMailer.open(folder, FROM, REAL_CLOCK);
  rmSync(folder, { recursive: true });
  await t.rejects(mailer.send(mailTo('one@example.com')), MailerUnavailableError);
});

t.test('files of mails are removed three days after they were written, at the start and once an hour', async (t) => {
  const folder = t.testdir();
  const clock = new FakeClock();
  const write = (name: string, hoursAgo: number): void => {
    writeFileSync(join(folder, name), '');
    const seconds = clock.now() / 1_000 - hoursAgo * 3_600;
    utimesSync(join(folder, name), seconds, seconds);
  };
  write('old.eml', 73);
  write('.unfinished', 73);
  write('notes.txt', 73);
  write('recent.eml', 71);
  const mailer = await FolderMailer.open(folder, FROM, clock);
  t.strictSame(readdirSync(folder).sort(), ['notes.txt', 'recent.eml']);
  write('old.eml', 73);
  await mailer.send(mailTo('one@example.com', { id: '1-7-abc' }));
  t.ok(readdirSync(folder).includes('old.eml'), 'within an hour the folder is not read again');
  clock.advance(3_600_000);
  await mailer.send(mailTo('one@example.com', { id: '1-7-abc' }));
  t.notOk(readdirSync(folder).includes('old.eml'));
  t.equal(readdirSync(folder).filter((name) => name.endsWith('-1-7-abc.eml')).length, 1, 'the new mail stays');
});
