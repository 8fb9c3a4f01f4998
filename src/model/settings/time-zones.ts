/**
 * Names of time zones as in the IANA database. Intl knows all zones, but gives outdated names for some, and merges
 * zones that only have the same time at present.
 */

/** Current names of time zones for which Intl has another name, by Intl's name. */
const CURRENT_ZONE_NAME_BY_INTL_NAME: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** Matches time zones that Intl merges with others, and that this server keeps separate. */
const SEPARATELY_KEPT_ZONE_PATTERN = /^(?:CET|EET|MET|WET|EST|MST|HST|EST5EDT|CST6CDT|MST7MDT|PST8PDT)$/;
const UTC_ZONE_PATTERN = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/;
const GMT_ZONE_PATTERN = /^(?:Etc\/)?(?:GMT[+-]?0?|Greenwich)$/;

/** Returns the current name of a time zone. @param name name of an existing zone, or '' */
export function canonicalizeTimeZone(name: string): string {
  if (name === '' || SEPARATELY_KEPT_ZONE_PATTERN.test(name)) return name;
  if (UTC_ZONE_PATTERN.test(name)) return 'Etc/UTC';
  if (GMT_ZONE_PATTERN.test(name)) return 'Etc/GMT';
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  return CURRENT_ZONE_NAME_BY_INTL_NAME[timeZone] ?? timeZone;
}
