/** Contract test of Mailer implementations. */
import type { Test } from 'tap';
import { type Mailer, MailRefusedError, type OutgoingMail } from '#domain/mail';

export interface Place {
  readonly mailer: Mailer;
  /** Raw texts (RFC 822) of the received mails, in any order. */
  received(): readonly string[];
}

export const FROM = 'Conclave <noreply@chat.example.com>';

let made = 0;

export const mailTo = (to: string, more: Partial<OutgoingMail> = {}): OutgoingMail => ({
  id: `1-${++made}-x`,
  to,
  subject: 'Hello',
  text: 'A text.\n',
  date: Date.UTC(2026, 0, 2, 3, 4, 5),
  ...more,
});

/** Unfolded header values by name. */
export function headersOf(raw: string): Map<string, string[]> {
  const head = raw.slice(0, raw.search(/\r?\n\r?\n/)).replace(/\r?\n[ \t]+/g, ' ');
  const headers = new Map<string, string[]>();
  for (const line of head.split(/\r?\n/)) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(line.indexOf(':') + 1).trim()]);
  }
  return headers;
}

/** Text of a mail with a single part. */
export function textOf(raw: string): string {
  const body = raw.slice(raw.search(/\r?\n\r?\n/)).replace(/^\r?\n\r?\n/, '');
  const encoding = headersOf(raw).get('content-transfer-encoding')?.[0]?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Decoded words of a header (RFC 2047). */
export const decoded = (header: string): string =>
  header.replace(/\?=\s+=\?/g, '?==?').replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, how: string, text: string) => {
    if (how.toLowerCase() === 'b') return Buffer.from(text, 'base64').toString('utf8');
    const bytes = text
      .replaceAll('_', ' ')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  });

export function mailerContract(t: Test, name: string, open: (t: Test) => Promise<Place>): void {
  t.test(`${name}: a mail arrives complete, with its sender and recipient`, async (t) => {
    const { mailer, received } = await open(t);
    const mail = mailTo('somebody@example.com', {
      subject: 'Grüße, and a long subject that goes on for more than one line of a header must have 😀',
      text: `Ein Text mit Umlauten: äöü.\n.\n.a line with a dot\n${'x'.repeat(2_000)}\nFrom here on\n`,
    });
    await mailer.send(mail);
    const [raw, ...others] = received();
    t.same(others, []);
    const headers = headersOf(raw!);
    t.same(headers.get('from'), [FROM]);
    t.same(headers.get('to'), ['somebody@example.com']);
    t.equal(decoded(headers.get('subject')![0]!), mail.subject);
    t.same(headers.get('message-id'), [`<${mail.id}@chat.example.com>`]);
    t.same(headers.get('auto-submitted'), ['auto-generated']);
    t.equal(Date.parse(headers.get('date')![0]!), mail.date);
    t.equal(textOf(raw!).replaceAll('\r\n', '\n').trimEnd(), mail.text.trimEnd());
    t.ok(raw!.split(/\r?\n/).every((line) => line.length <= 998));
  });

  t.test(`${name}: a mail can have HTML, a thread and an unsubscribe link`, async (t) => {
    const { mailer, received } = await open(t);
    const unsubscribe = 'https://chat.example.com/unsubscribe/1-2';
    await mailer.send(mailTo('one@example.com', { html: '<p>A <b>text</b>.</p>', thread: 't-1.2', unsubscribe }));
    const headers = headersOf(received()[0]!);
    t.match(headers.get('content-type')![0], /^multipart\/alternative/);
    t.match(received()[0], /<p>A <b>text<\/b>\.<\/p>/);
    t.same(headers.get('in-reply-to'), ['<t-1.2@chat.example.com>']);
    t.same(headers.get('references'), ['<t-1.2@chat.example.com>']);
    t.same(headers.get('list-unsubscribe'), [`<${unsubscribe}>`]);
    t.same(headers.get('list-unsubscribe-post'), ['List-Unsubscribe=One-Click']);
  });

  t.test(`${name}: no text can add a header or a recipient`, async (t) => {
    const { mailer, received } = await open(t);
    const evil = [
      '\r\nBcc: other@example.com',
      '\nX-Evil: 1',
      '\rX-Evil: 1',
      '\u2028X-Evil: 1',
      '\0\u0085X-Evil: 1\ud800',
    ];
    for (const text of evil) await mailer.send(mailTo('one@example.com', { subject: `a${text}\r\n\r\nbody`, text }));
    t.equal(received().length, evil.length);
    for (const raw of received()) {
      const headers = headersOf(raw);
      t.same([headers.get('bcc'), headers.get('x-evil')], [undefined, undefined]);
      t.same(headers.get('to'), ['one@example.com']);
      t.match(decoded(headers.get('subject')![0]!), /^a (Bcc|X-Evil): .* body$/);
    }
  });

  t.test(`${name}: an invalid address is a permanent failure, and nothing is sent`, async (t) => {
    const { mailer, received } = await open(t);
    const wrong = [
      '',
      'nobody',
      'a@example.com, b@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'A <a@example.com>',
      'a@example.com\n',
      'a@exämple.com',
      '"a b"@example.com',
      `${'a'.repeat(300)}@example.com`,
    ];
    for (const to of wrong) await t.rejects(mailer.send(mailTo(to)), MailRefusedError, JSON.stringify(to));
    t.same(received(), []);
  });

  t.test(`${name}: many mails are sent concurrently`, async (t) => {
    const { mailer, received } = await open(t);
    const names = Array.from({ length: 30 }, (_, i) => `user${i}@example.com`);
    await Promise.all(names.map((to) => mailer.send(mailTo(to))));
    t.same(
      received()
        .map((raw) => headersOf(raw).get('to')![0])
        .sort(),
      names.sort(),
    );
  });
}
