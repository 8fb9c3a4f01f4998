export { hiddenLink, withLinks } from './hidden-links.js';
export { type Mail, type Mailer, MailerAway, MailRefused } from './mailer.js';
export { FolderMailer } from './mailer-folder.js';
export { NoMailer } from './mailer-none.js';
export { SmtpMailer } from './mailer-smtp.js';
export { type Fate, PostOffice, pauseAfter, type Waiting } from './post-office.js';
