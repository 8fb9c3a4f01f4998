/** How mails leave this server: the mail server of the configuration, else a folder, else not at all. */
import { join } from 'node:path';
import type { Config } from '#app/config';
import type { Logger } from '#base';
import { FolderMailer, type Mailer, NoMailer, SmtpMailer } from '#domain/mail';

/** Name and address under which mails go out. */
const mailFrom = (config: Config): string =>
  config.mailFrom ?? `Conclave <noreply@${config.externalHost.replace(/:\d+$/, '')}>`;

const smtp = (config: Config): Mailer | undefined =>
  config.smtpUrl === undefined ? undefined : new SmtpMailer(config.smtpUrl, mailFrom(config));

export const embeddedMailer = async (config: Config): Promise<Mailer> =>
  smtp(config) ?? (await FolderMailer.open(join(config.dataDir, 'mail'), mailFrom(config)));

/** Hosts of a cluster come and go, and so would folders of theirs. */
export function clusterMailer(config: Config, logger: Logger): Mailer {
  const mailer = smtp(config);
  if (mailer) return mailer;
  logger.warn({}, 'no --smtp-url: mails wait three days for one, then they are dropped');
  return new NoMailer();
}
