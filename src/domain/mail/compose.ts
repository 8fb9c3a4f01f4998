/** The message for nodemailer, made of checked parts only, so that no text becomes a header or a recipient. */
import type { SendMailOptions } from 'nodemailer';
import { hasEmailAddressForm } from '#domain/people';
import { MailRefusedError, type OutgoingMail } from './mailer.js';

/** Maximum length of a mail's subject, code points; longer ones are cut. */
const MAX_SUBJECT_CODE_POINTS = 200;

/**
 * Splits the sender's address into name and address. @param from `Name <address>` or an address; the configuration has
 * checked it
 */
function parseSenderMailbox(from: string): { readonly name: string; readonly address: string } {
  const [, name = '', address = from] = /^(.*)<([^<>]*)>$/.exec(from.trim()) ?? [];
  return { name: name.trim(), address: address.trim() };
}

const replaceSurrogatesAndNuls = (text: string): string => text.replace(/[\p{Cs}\0]/gu, '\ufffd');

/** Makes the headers by which mail programs offer to unsubscribe from mails of this kind with one click (RFC 8058). */
function makeOneClickUnsubscribeHeaders({ unsubscribe }: OutgoingMail): Record<string, string> {
  if (unsubscribe === undefined || !/^https?:\/\/[\x21-\x3b\x3d\x3f-\x7e]+$/.test(unsubscribe)) return {};
  return { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** Makes nodemailer's options for a mail. @throws MailRefusedError if the recipient is not an address */
export function makeNodemailerOptions(mail: OutgoingMail, from: string): SendMailOptions {
  const { id, to, subject, text, html, thread, date } = mail;
  if (!hasEmailAddressForm(to)) throw new MailRefusedError('this is not an address');
  const by = parseSenderMailbox(from);
  const domain = by.address.slice(by.address.lastIndexOf('@') + 1);
  const line = subject.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return {
    from: by,
    to: { name: '', address: to },
    subject: [...line].slice(0, MAX_SUBJECT_CODE_POINTS).join(''),
    text: replaceSurrogatesAndNuls(text),
    ...(html === undefined ? {} : { html: replaceSurrogatesAndNuls(html) }),
    // All mails of a thread are replies to one mail that never existed, so the id of the first mail need not be known.
    ...(thread === undefined ? {} : { inReplyTo: `<${thread}@${domain}>`, references: `<${thread}@${domain}>` }),
    date: new Date(date),
    messageId: `<${id}@${domain}>`,
    // Keeps automatic replies, such as holiday notices, from answering (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', ...makeOneClickUnsubscribeHeaders(mail) },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
