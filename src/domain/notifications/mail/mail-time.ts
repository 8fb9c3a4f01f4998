/** Formats times in mails, in the receiver's time zone and language. */
import { mailTextsIn, type ServerLanguage } from '#domain/texts';

/** The facts about the receiver of a mail that its text depends on. */
export interface MailReceiverLocale {
  readonly fullName: string;
  /** IANA name of the receiver's time zone; '' if unknown, then UTC is used. */
  readonly timezone: string;
  readonly twentyFourHour: boolean;
  readonly language: ServerLanguage;
}

/** The format made last: the mails of a run mostly have one receiver, and making a format takes a millisecond. */
let lastFormat:
  | {
      readonly timeZone: string;
      readonly hourCycle: string;
      readonly locale: string;
      readonly format: Intl.DateTimeFormat;
    }
  | undefined;

/** Makes a format for times in seconds since 1970. */
export function makeMailTimeFormatter({
  timezone,
  twentyFourHour,
  language,
}: MailReceiverLocale): (seconds: number) => string {
  // With `hour12`, some versions of V8 count the hours of British times from 0 to 11.
  const hourCycle = twentyFourHour ? 'h23' : 'h12';
  const timeZone = timezone === '' ? 'UTC' : timezone;
  const { locale } = mailTextsIn(language);
  if (lastFormat?.timeZone !== timeZone || lastFormat.hourCycle !== hourCycle || lastFormat.locale !== locale) {
    const options = { dateStyle: 'medium', timeStyle: 'short', hourCycle, timeZone } as const;
    lastFormat = { timeZone, hourCycle, locale, format: new Intl.DateTimeFormat(locale, options) };
  }
  const { format } = lastFormat;
  const zone = timezone === '' ? ' UTC' : '';
  return (seconds) => `${format.format(seconds * 1000)}${zone}`;
}
