import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { REAL_CLOCK } from '#base/clock';
import { FolderMailer, MailerUnavailableError } from '#domain/mail';
import { FakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';
import { FROM, mailerContract, mailTo } from './mailer.js';

const read = (folder: string): string[] => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));

mailerContract(t, 'FolderMailer', async (t) => {
  const folder = join(t.testdir(), 'mail');
  return { mailer: await FolderMailer.open(folder, FROM, REAL_CLOCK), received: () => read(folder) };
});

t.test(
  "a mail sent twice is stored once, in a file that only the server's user can read, named by the time of writing",
  async (t) => {
    const folder = t.testdir();
    const clock = new FakeClock();
    const mail = mailTo('one@example.com', { id: '1-7-abc' });
    const name = '2023-11-14T22.13.20.000Z-1-7-abc.eml';
    for (let start = 0; start < 2; start++) {
      const mailer = await FolderMailer.open(folder, FROM, clock);
      await mailer.send(mail);
      clock.advance(60_000);
      await mailer.send(mail);
      await mailer.close();
      t.same(readdirSync(folder), [name]);
    }
    t.equal(statSync(join(folder, name)).mode & 0o077, 0);
  },
);

t.test('a missing folder is a failure of the mailer, not of the mail', async (t) => {
  const folder = join(t.testdir(), 'mail');
  const mailer = await FolderMailer.open(folder, FROM, REAL_CLOCK);
  rmSync(folder, { recursive: true });
  await t.rejects(mailer.send(mailTo('one@example.com')), MailerUnavailableError);
});

t.test('a file is removed three days after the time in its name, at a start or with a mail', async (t) => {
  const folder = t.testdir();
  const clock = new FakeClock(Date.UTC(2026, 4, 4, 12));
  const [recent, old] = ['2026-05-01T12.00.00.001Z-1-2-b.eml', '2026-05-01T12.00.00.000Z-1-1-a.eml'];
  const others = ['2026-05-01.eml', '2026-00-01T12.00.00.000Z-1-1-a.eml', 'notes.txt', '.hidden'];
  for (const name of [recent, old, ...others]) writeFileSync(join(folder, name), '');
  const mailer = await FolderMailer.open(folder, FROM, clock);
  const files = (): string[] => readdirSync(folder).filter((name) => !others.includes(name));
  await until('the old file is removed', () => !files().includes(old));
  t.same(files(), [recent]);
  clock.advance(3_599_999);
  await mailer.send(mailTo('one@example.com', { id: '1-3-c' }));
  t.same(files().sort(), [recent, '2026-05-04T12.59.59.999Z-1-3-c.eml'], 'the folder is cleaned once an hour');
  clock.advance(1);
  await mailer.send(mailTo('one@example.com', { id: '1-4-d' }));
  await until('the other file is removed, too', () => !files().includes(recent));
  t.equal(files().length, 2);
  t.same(readdirSync(folder).filter((name) => others.includes(name)).length, others.length, 'other files stay');
});

t.test('a mail that has waited for weeks stays for three days after it was written', async (t) => {
  const folder = t.testdir();
  const clock = new FakeClock();
  const send = async (id: string): Promise<void> => {
    const mailer = await FolderMailer.open(folder, FROM, clock);
    await mailer.send(mailTo('one@example.com', { id, date: clock.now() - 30 * 24 * 3_600_000 }));
    clock.advance(3_600_000);
    await mailer.send(mailTo('one@example.com', { id }));
    await mailer.close();
  };
  await send('1-1-a');
  clock.advance(2 * 24 * 3_600_000);
  await send('1-2-b');
  t.equal(readdirSync(folder).length, 2);
});

t.test('an unfinished file that a crash left is removed at the start', async (t) => {
  const folder = t.testdir({ '.0b7e2a52-8f0f-4a80-9c56-0f3f6f0e2a11': 'From: ', '.profile': '' });
  await FolderMailer.open(folder, FROM, REAL_CLOCK);
  await until('the file is removed', () => readdirSync(folder).length === 1);
  t.same(readdirSync(folder), ['.profile']);
});
