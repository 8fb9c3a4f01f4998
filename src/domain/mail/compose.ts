/** The message for nodemailer, made of checked parts only, so that no text becomes a header or a recipient. */
import type { SendMailOptions } from 'nodemailer';
import { isEmail } from '#domain/people';
import { MailRefused, type OutgoingMail } from './mailer.js';

/** Maximum length of a mail's subject, code points; longer ones are cut. */
const MAX_SUBJECT_LENGTH = 200;

/**
 * Splits the sender's address into name and address. @param from `Name <address>` or an address; the configuration has
 * checked it
 */
function parseSender(from: string): { readonly name: string; readonly address: string } {
  const [, name = '', address = from] = /^(.*)<([^<>]*)>$/.exec(from.trim()) ?? [];
  return { name: name.trim(), address: address.trim() };
}

/** Makes nodemailer's options for a mail. @throws MailRefused if the recipient is not an address */
export function composeMail({ id, to, subject, text, date }: OutgoingMail, from: string): SendMailOptions {
  if (!isEmail(to)) throw new MailRefused('this is not an address');
  const by = parseSender(from);
  const line = subject.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return {
    from: by,
    to: { name: '', address: to },
    subject: [...line].slice(0, MAX_SUBJECT_LENGTH).join(''),
    text: text.replace(/[\p{Cs}\0]/gu, '\ufffd'),
    date: new Date(date),
    messageId: `<${id}@${by.address.slice(by.address.lastIndexOf('@') + 1)}>`,
    // Keeps automatic replies, such as holiday notices, from answering (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
