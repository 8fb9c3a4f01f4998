export { hiddenLink, withLinks } from './hidden-links.js';
export { MailDispatcher, type MailOutcome, type QueuedMail, retryDelay } from './mail-dispatcher.js';
export { type Mail, type Mailer, MailerUnavailable, MailRefused } from './mailer.js';
export { FolderMailer } from './mailer-folder.js';
export { NoMailer } from './mailer-none.js';
export { SmtpMailer } from './mailer-smtp.js';
