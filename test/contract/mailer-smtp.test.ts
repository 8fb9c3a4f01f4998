import t from 'tap';
import { MailerUnavailableError, MailRefusedError, SmtpMailer } from '#domain/mail';
import { startSmtp } from '../support/smtp.js';
import { FROM, mailerContract, mailTo } from './mailer.js';

mailerContract(t, 'SmtpMailer', async (t) => {
  const smtp = await startSmtp();
  const mailer = new SmtpMailer(smtp.url, FROM);
  t.teardown(async () => {
    await mailer.close();
    await smtp.away();
  });
  return {
    mailer,
    received() {
      t.ok(
        smtp.received.every(({ to }) => to.length === 1),
        'each mail has one recipient',
      );
      return smtp.received.map(({ raw }) => raw);
    },
  };
});

t.test('an unreachable server is a temporary failure; when the server is back, the mail is sent', async (t) => {
  const smtp = await startSmtp();
  t.teardown(() => smtp.away());
  const mailer = new SmtpMailer(smtp.url, FROM);
  await smtp.away();
  await t.rejects(mailer.send(mailTo('one@example.com')), MailerUnavailableError);
  await smtp.back();
  await mailer.send(mailTo('one@example.com'));
  t.equal(smtp.received.length, 1);
});

t.test('5xx for a recipient is permanent, 4xx temporary', async (t) => {
  const smtp = await startSmtp();
  t.teardown(() => smtp.away());
  const mailer = new SmtpMailer(smtp.url, FROM);
  smtp.refuse = (address) => (address.startsWith('gone') ? 550 : address.startsWith('busy') ? 451 : undefined);
  await t.rejects(mailer.send(mailTo('gone@example.com')), MailRefusedError);
  const busy = await mailer.send(mailTo('busy@example.com')).then(
    () => undefined,
    (error: unknown) => error,
  );
  t.ok(
    busy instanceof Error && !(busy instanceof MailRefusedError) && !(busy instanceof MailerUnavailableError),
    String(busy),
  );
  await mailer.send(mailTo('here@example.com'));
  t.same(
    smtp.received.map(({ to }) => to),
    [['here@example.com']],
  );
});

t.test("the server's URL has the login; a wrong login is a failure of the mailer, not of the mail", async (t) => {
  const smtp = await startSmtp({ user: 'conclave', pass: 's3cret' });
  t.teardown(() => smtp.away());
  await new SmtpMailer(smtp.url, FROM).send(mailTo('one@example.com'));
  t.equal(smtp.received.length, 1);
  await t.rejects(
    new SmtpMailer(smtp.url.replace('s3cret', 'wrong'), FROM).send(mailTo('a@example.com')),
    MailerUnavailableError,
  );
  t.equal(smtp.received.length, 1);
});
