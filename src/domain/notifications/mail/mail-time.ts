/** Times in mails, in the receiver's time zone. */

/** The receiver of a mail, as far as its text depends on them. */
export interface MailReceiver {
  readonly fullName: string;
  /** IANA name; '': not known, UTC is used. */
  readonly timezone: string;
  readonly twentyFourHour: boolean;
}

/** Makes a format for times in seconds since 1970. */
export function formatMailTime({ timezone, twentyFourHour }: MailReceiver): (seconds: number) => string {
  const options = { dateStyle: 'medium', timeStyle: 'short', hour12: !twentyFourHour } as const;
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timezone === '' ? 'UTC' : timezone });
  const zone = timezone === '' ? ' UTC' : '';
  return (seconds) => `${format.format(seconds * 1000)}${zone}`;
}
