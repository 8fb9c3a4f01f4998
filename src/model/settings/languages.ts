/** Codes of the languages that clients are translated to (`default_language`). */
export const INTERFACE_LANGUAGE_CODES: ReadonlySet<string> = new Set([
  'ar',
  'bg',
  'ca',
  'cs',
  'cy',
  'da',
  'de',
  'el',
  'en',
  'en-gb',
  'es',
  'eu',
  'fa',
  'fi',
  'fr',
  'gl',
  'gu',
  'he',
  'hi',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'ml',
  'mn',
  'nl',
  'pl',
  'pt',
  'pt-br',
  'ro',
  'ru',
  'si',
  'sr',
  'sv',
  'ta',
  'te',
  'tr',
  'uk',
  'vi',
  'zh-hans',
  'zh-hant',
  'zh-tw',
]);

/** Returns the English name of one of these languages (`language_name`); '' for another code. */
export function findInterfaceLanguageName(code: string): string {
  if (!INTERFACE_LANGUAGE_CODES.has(code)) return '';
  return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code;
}

/** True if people with this language usually read times on a 24-hour clock. @param code value of `default_language` */
export function hasTwentyFourHourClock(code: string): boolean {
  const { hourCycle } = new Intl.DateTimeFormat(code, { hour: 'numeric' }).resolvedOptions();
  return hourCycle === 'h23' || hourCycle === 'h24';
}
