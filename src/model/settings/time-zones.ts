/**
 * Names of time zones as the IANA database has them. Intl knows all of them, but gives the names of long ago for some, and
 * one zone for several that only look the same today.
 */

/** Intl's name → today's. */
const TODAY: Readonly<Record<string, string>> = {
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

/** Zones of their own, whatever Intl says. */
const OWN = /^(?:CET|EET|MET|WET|EST|MST|HST|EST5EDT|CST6CDT|MST7MDT|PST8PDT)$/;
const UTC = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/;
const GMT = /^(?:Etc\/)?(?:GMT[+-]?0?|Greenwich)$/;

/** The name by which a zone goes today. @param name of a zone that exists, or '' */
export function canonicalZone(name: string): string {
  if (name === '' || OWN.test(name)) return name;
  if (UTC.test(name)) return 'Etc/UTC';
  if (GMT.test(name)) return 'Etc/GMT';
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  return TODAY[timeZone] ?? timeZone;
}
