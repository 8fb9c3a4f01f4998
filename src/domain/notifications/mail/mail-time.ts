/** Formats times in mails, in the receiver's time zone. */

/** The facts about the receiver of a mail that its text depends on. */
export interface MailReceiverLocale {
  readonly fullName: string;
  /** IANA name of the receiver's time zone; '' if unknown, then UTC is used. */
  readonly timezone: string;
  readonly twentyFourHour: boolean;
}

/** Makes a format for times in seconds since 1970. */
export function makeMailTimeFormatter({ timezone, twentyFourHour }: MailReceiverLocale): (seconds: number) => string {
  const options = { dateStyle: 'medium', timeStyle: 'short', hour12: !twentyFourHour } as const;
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timezone === '' ? 'UTC' : timezone });
  const zone = timezone === '' ? ' UTC' : '';
  return (seconds) => `${format.format(seconds * 1000)}${zone}`;
}
