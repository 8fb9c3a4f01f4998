/**
 * Outgoing mail.
 *
 * Pipeline: a command builds a mail, with links sealed by `hidden-links.ts`, and sends it to the mail actor
 * (actors/mail), which stores it. When the mail is due, the actor unseals its links and gives it to the
 * `MailDispatcher`. The dispatcher sends it through a `Mailer`, and decides about the outcome: done, or later.
 * `compose.ts` makes the message.
 *
 * Implementations of `Mailer`: `SmtpMailer` (a mail server), `FolderMailer` (a file per mail), `UnconfiguredMailer`
 * (mails wait). test/contract/mailer.ts runs the same contract against all of them.
 *
 * Invariants: no text of a mail becomes a header or a recipient. A mail may be sent twice, with the same Message-ID. It
 * is tried again for three days. Addresses and texts never go into logs.
 *
 * Actors may import the types, sealed links and the dispatcher; only src/app/server names the implementations.
 */
export { sealMailLink, unsealMailLinks } from './hidden-links.js';
export {
  MAX_MAIL_RETRY_DELAY_MS,
  MailDispatcher,
  type MailDisposition,
  mailRetryDelayMs,
  type QueuedMail,
} from './mail-dispatcher.js';
export { type Mailer, MailerUnavailableError, MailRefusedError, type OutgoingMail } from './mailer.js';
export { FolderMailer } from './mailer-folder.js';
export { UnconfiguredMailer } from './mailer-none.js';
export { SmtpMailer } from './mailer-smtp.js';
