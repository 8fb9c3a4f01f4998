/**
 * `<time:…>`: a time, which clients show in the reader's zone. The time is written as people write dates: ISO 8601,
 * month names, am/pm, zone names or offsets, in any usual order.
 */
import { type InlineMarkdownRule, makePatternMarkdownRule } from './inline.js';
import { makeTextElementTokens } from './tokens.js';
import { timeZoneAbbreviationOffsetMinutes } from './zones.js';

export const timestampMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  '<time:',
  /<time:([^>]*)>/g,
  ([, written = ''], inline) => {
    const text = inline.source(written);
    const moment = parseHumanDate(text, inline.context.now);
    if (moment === null)
      return makeTextElementTokens('span', { class: 'timestamp-error' }, `Invalid time format: ${text}`);
    return makeTextElementTokens('time', { datetime: new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z') }, text);
  },
);

const MONTH_ABBREVIATIONS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAY_WORD_PATTERN = /^(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?$/;
const IGNORED_DATE_WORDS = new Set(['at', 'on', 'and', 'of', 'the', 't', 'st', 'nd', 'rd', 'th']);
/** Maximum length of a written date, characters. */
const MAX_DATE_TEXT_CHARACTERS = 100;
/** First and last time that a year of four digits can show, Unix ms. */
const MIN_FOUR_DIGIT_YEAR_TIME_MS = new Date('0001-01-01T00:00:00Z').getTime();
const MAX_FOUR_DIGIT_YEAR_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

interface WrittenDateParts {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  afternoon?: boolean;
  /** Offset of the time zone, minutes east of UTC. */
  zone?: number;
}

/**
 * Parses a date as people write it.
 * @param now Unix ms, completes a date that leaves parts out
 * @returns Unix ms, whole seconds; null if the text is no date
 */
export function parseHumanDate(text: string, now: number): number | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_DATE_TEXT_CHARACTERS) return null;
  if (/^[+-]?\d+(?:\.\d+)?$/.test(trimmed)) return parseCompactDateOrUnixSeconds(trimmed);
  const parts: WrittenDateParts = {};
  const rest = takeTimeAndZone(trimmed.toLowerCase(), parts);
  if (rest === null || !parseDateIntoParts(rest, parts)) return null;
  return Object.keys(parts).length === 0 ? null : datePartsToUnixMs(parts, now);
}

function parseCompactDateOrUnixSeconds(digits: string): number | null {
  const compact = /^(\d{4})(\d\d)(\d\d)$/.exec(digits);
  if (compact) {
    const date = datePartsToUnixMs({ year: Number(compact[1]), month: Number(compact[2]), day: Number(compact[3]) }, 0);
    if (date !== null) return date;
  }
  return timeInRangeOrNull(Math.floor(Number(digits)) * 1000);
}

/** Sets a part of a date. @returns false if the part is set already: a text that names a part twice is no date */
function setDatePartIfUnset<K extends keyof WrittenDateParts>(
  parts: WrittenDateParts,
  name: K,
  value: NonNullable<WrittenDateParts[K]>,
): boolean {
  if (parts[name] !== undefined) return false;
  parts[name] = value;
  return true;
}

const CLOCK_TIME_PATTERN = /(?<![\d:.])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(?:([ap])\.?m\b\.?)?/;
const HOUR_WITH_AM_PM_PATTERN = /(?<![\d:.])(\d{1,2})\s*([ap])\.?m\b\.?/;
const TIME_ZONE_PATTERN = /^\s*(?:(z|utc|gmt)?\s*([+-])(\d{1,2}):?(\d{2})?|([a-z]{1,5}))(?![\w:])/;
const COMPACT_ISO_DATE_TIME_PATTERN = /^(\d{4})-?(\d{2})-?(\d{2})t(\d{2})(\d{2})(\d{2})?(?=$|z|[+-])/;

/** Reads the time of day and the time zone of a date. @returns the rest of the text; null if the time is invalid */
function takeTimeAndZone(text: string, parts: WrittenDateParts): string | null {
  const compact = COMPACT_ISO_DATE_TIME_PATTERN.exec(text);
  if (compact) {
    const [all, year, month, day, hour, minute, second] = compact;
    Object.assign(parts, { year: Number(year), month: Number(month), day: Number(day) });
    Object.assign(parts, { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) });
    return takeLeadingZone(text.slice(all.length), parts);
  }
  const clock = CLOCK_TIME_PATTERN.exec(text.replace(/(\d)t(\d)/, '$1 $2')) ?? HOUR_WITH_AM_PM_PATTERN.exec(text);
  if (!clock) return takeTrailingZone(text, parts);
  const plain = text.replace(/(\d)t(\d)/, '$1 $2');
  const isHour = clock.length === 3;
  parts.hour = Number(clock[1]);
  parts.minute = isHour ? 0 : Number(clock[2]);
  parts.second = isHour ? 0 : Number(clock[3] ?? 0);
  const half = isHour ? clock[2] : clock[4];
  if (half !== undefined) {
    if (parts.hour < 1 || parts.hour > 12) return null;
    parts.hour = (parts.hour % 12) + (half === 'p' ? 12 : 0);
  }
  const after = takeLeadingZone(plain.slice(clock.index + clock[0].length), parts);
  return `${plain.slice(0, clock.index)} ${after}`;
}

/** Reads a time zone at the beginning of a text. @returns the rest of the text */
function takeLeadingZone(text: string, parts: WrittenDateParts): string {
  const found = TIME_ZONE_PATTERN.exec(text);
  if (!found) return text;
  const [all, , sign, hours, minutes, name] = found;
  if (name !== undefined) {
    const offset = timeZoneAbbreviationOffsetMinutes(name);
    if (offset === undefined) return text;
    parts.zone = offset;
  } else {
    const size = Number(hours) * 60 + Number(minutes ?? 0);
    parts.zone = sign === '-' ? -size : size;
  }
  const rest = text.slice(all.length);
  // In `IST (+05:30)` and the like, the brackets repeat the zone.
  return rest.replace(/^\s*\([^)]*\)/, '');
}

function takeTrailingZone(text: string, parts: WrittenDateParts): string {
  const name = /(?<=\d,?\s+)([a-z]{1,5})$/.exec(text)?.[1];
  const offset =
    name === undefined || monthNumberOfWord(name) !== undefined ? undefined : timeZoneAbbreviationOffsetMinutes(name);
  if (name === undefined || offset === undefined) return text;
  parts.zone = offset;
  return text.slice(0, -name.length);
}

function monthNumberOfWord(word: string): number | undefined {
  const short = word.slice(0, 3);
  const index = MONTH_ABBREVIATIONS.indexOf(short);
  const full = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october'];
  const names = [...full, 'november', 'december', 'sept'];
  return index >= 0 && (word === short || names.includes(word)) ? index + 1 : undefined;
}

function parseDateIntoParts(text: string, parts: WrittenDateParts): boolean {
  const numeric = /(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text);
  const other = numeric ? null : /(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/.exec(text);
  let rest = text;
  if (numeric) {
    const [all, year, month, day] = numeric;
    if (!setWholeDateOnce(parts, Number(year), Number(month), Number(day))) return false;
    rest = text.replace(all, ' ');
  } else if (other) {
    const [all, first, second, year] = other.map(String);
    // The month comes first in a date of numbers, unless the first number is above 12.
    const isDayFirst = Number(first) > 12;
    const month = Number(isDayFirst ? second : first);
    if (!setWholeDateOnce(parts, expandYearDigits(String(year)), month, Number(isDayFirst ? first : second)))
      return false;
    rest = text.replace(String(all), ' ');
  }
  const words = rest.match(/\d+|[a-z]+|[^\s\w]/g) ?? [];
  return words.every((word) => parseDateWordIntoParts(word, parts));
}

function setWholeDateOnce(parts: WrittenDateParts, year: number, month: number, day: number): boolean {
  return (
    setDatePartIfUnset(parts, 'year', year) &&
    setDatePartIfUnset(parts, 'month', month) &&
    setDatePartIfUnset(parts, 'day', day)
  );
}

function parseDateWordIntoParts(word: string, parts: WrittenDateParts): boolean {
  if (/^[,.;/-]$/.test(word) || IGNORED_DATE_WORDS.has(word) || WEEKDAY_WORD_PATTERN.test(word)) return true;
  const month = monthNumberOfWord(word);
  if (month !== undefined) return setDatePartIfUnset(parts, 'month', month);
  if (!/^\d+$/.test(word)) return false;
  if (word.length <= 2 && parts.day === undefined && Number(word) <= 31)
    return setDatePartIfUnset(parts, 'day', Number(word));
  return (word.length === 4 || word.length === 2) && setDatePartIfUnset(parts, 'year', expandYearDigits(word));
}

function expandYearDigits(digits: string): number {
  if (digits.length > 2) return Number(digits);
  return Number(digits) + (Number(digits) < 70 ? 2000 : 1900);
}

function datePartsToUnixMs(parts: WrittenDateParts, now: number): number | null {
  const today = new Date(now);
  const year = parts.year ?? today.getUTCFullYear();
  const month = parts.month ?? today.getUTCMonth() + 1;
  const day = parts.day ?? today.getUTCDate();
  const { hour = 0, minute = 0, second = 0, zone = 0 } = parts;
  if (hour > 23 || minute > 59 || second > 59 || Math.abs(zone) > 24 * 60) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // JavaScript carries a day that the month lacks into the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return timeInRangeOrNull(date.getTime() + ((hour * 60 + minute - zone) * 60 + second) * 1000);
}

function timeInRangeOrNull(time: number): number | null {
  return time >= MIN_FOUR_DIGIT_YEAR_TIME_MS && time <= MAX_FOUR_DIGIT_YEAR_TIME_MS ? time : null;
}
